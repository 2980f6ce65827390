import { findStartObstacle } from '#contract/backup/chains.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { obstacleText } from '#contract/backup/obstacle-text.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import type { ReactNode } from 'react';
import { useZone } from '#src/app/session/session.ts';
import { formatDuration, formatTime } from '#src/ui/format.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { DashboardSection } from '../../shared/section.tsx';
import type { PolledQuery } from '../../shared/queries/use-polled-query.ts';
import { NEVER_STARTS } from '../jobs/next-run.tsx';
import { stateLabel } from '../jobs/labels.ts';
import { suiteListAddress } from '../../shared/suite-list/address.ts';
import { Moment } from '../moment.tsx';
import { getHealth } from '../organizations/health.ts';
import { healthLabel } from '../organizations/labels.ts';
import type { StateLabel } from '../state-label.ts';
import { StateText } from '../state-text.tsx';
import { backupDashboardMessages as t } from './messages.en.ts';

export interface AttentionProps {
  readonly organizations: readonly OrganizationRow[];
  readonly jobs: readonly BackupJobRow[];
  readonly now: Ms;
  readonly status: PolledQuery<OutputOf<'getBackupStatus'>>;
}

/**
 * What somebody should look at: certificates, jobs that failed or never start, objects without a recent restore
 * point, and sessions that Microsoft 365 makes wait.
 */
export function AttentionPanel({ organizations, jobs, now, status }: AttentionProps) {
  const zone = useZone();
  const past = status.value?.pastObjective ?? { count: 0, rows: [] };
  const byId = new Map(jobs.map((row) => [row.id as string, row]));
  const shown = past.rows.slice(0, SHOWN);
  const lines: readonly LineProps[] = [
    ...organizations.flatMap((row) => {
      const health = getHealth(row, [], now);
      return health.state === 'none'
        ? []
        : [getLine('/o365/organizations', row.id, row.name, healthLabel(health))];
    }),
    ...jobs.flatMap((row) => {
      const state = row.recent[0]?.result ?? null;
      return state === 'failed' || state === 'warning'
        ? [getLine('/o365/jobs', row.id, row.name, stateLabel(state))]
        : [];
    }),
    ...jobs.flatMap((row) => {
      const obstacle = findStartObstacle(row, byId);
      return obstacle === null
        ? []
        : [
            {
              ...getLine('/o365/jobs', row.id, row.name, NEVER_STARTS),
              id: `obstacle:${row.id}`,
              detail: obstacleText(obstacle),
            },
          ];
    }),
    ...shown.map(({ name, jobId, jobName, lastPointAt, objectiveMs }) => ({
      ...getLine('/o365/jobs', jobId, t.objectOfJob({ name, job: jobName }), OVERDUE),
      id: `${jobId} ${name}`,
      detail: (
        <>
          {t.pastObjectiveDetail({ age: formatDuration(objectiveMs / 1_000) })}{' '}
          <Moment at={lastPointAt} now={now} never={t.noPoint} />
        </>
      ),
    })),
    ...(status.value?.waiting ?? []).map(({ jobId, jobName, objects, until, reason }) => ({
      ...getLine('/o365/jobs', jobId, jobName, WAITING),
      id: `waiting:${jobId}`,
      detail: t.waitingDetail({ count: objects, time: formatTime(until, zone), reason }),
    })),
  ];
  return (
    <DashboardSection title={t.needAttention}>
      {status.value === null && status.error !== null && (
        <p className="m-0 border-b border-hair py-2.5 text-ink-2">
          {t.statusUnknown({ reason: status.error })}
        </p>
      )}
      {lines.length === 0 && status.value !== null && (
        <p className="m-0 py-3 text-ink-2">{t.allWell}</p>
      )}
      <ul className="m-0 list-none p-0">
        {lines.map((line) => (
          <Line key={line.id} {...line} />
        ))}
      </ul>
      {past.count > shown.length && (
        <p className="m-0 py-2.5 text-ink-2">
          {t.pastObjectiveMore({ count: past.count - shown.length })}
        </p>
      )}
    </DashboardSection>
  );
}

interface LineProps {
  readonly id: string;
  readonly href: string;
  readonly name: string;
  readonly label: StateLabel;
  readonly detail?: ReactNode;
}

const getLine = (path: string, id: string, name: string, label: StateLabel): LineProps => ({
  id,
  href: suiteListAddress(path, { text: '', open: id, tab: null }),
  name,
  label,
});

const Line = ({ href, name, label, detail }: LineProps) => (
  <li className="grid gap-x-4 gap-y-1 border-b border-hair py-2.5 tablet:grid-cols-[220px_minmax(0,1fr)]">
    <StateText label={label} />
    <span className="min-w-0 break-words">
      <SectionLink
        href={href}
        className="text-accent underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
      >
        {name}
      </SectionLink>
      {detail !== undefined && <span className="block text-ink-2">{detail}</span>}
    </span>
  </li>
);

/** How many overdue objects are listed. */
const SHOWN = 5;
const OVERDUE: StateLabel = {
  get label() {
    return t.pastObjective;
  },
  icon: 'missed',
  text: 'text-warning',
};
const WAITING: StateLabel = {
  get label() {
    return t.waiting;
  },
  icon: 'clock',
  text: 'text-running',
};
