import { formatList } from '#contract/i18n/list.ts';
import { useRouter } from '@tanstack/react-router';
import {
  findStartObstacle,
  getPreviousJob,
  listFollowers,
  type StartObstacle,
} from '#contract/backup/chains.ts';
import { dueAt } from '#contract/backup/jobs.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { Ms } from '#contract/ids.ts';
import { useNow } from '#src/app/clock.ts';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';
import { stripPaths, stripWidth, WIDE } from '../../shared/runs/spark-bars.ts';
import { ListCell, SuiteList } from '../../shared/suite-list/suite-list.tsx';
import { StateText } from '../state-text.tsx';
import { JobDetails } from './details.tsx';
import { NextRun } from './next-run.tsx';
import { jobState, scheduleLabel, stateLabel, getStripMarks } from './labels.ts';
import '#src/styles/runs.css';
import { backupJobMessages as t } from './messages.en.ts';

export const JOBS_PATH = '/o365/jobs';

/** `/o365/jobs`: what of each organization is backed up, and when. */
export function BackupJobs() {
  const rows = useWatch('backupJobs', EMPTY) ?? null;
  const organizations = useWatch('organizations', EMPTY);
  const zone = useZone();
  const now = useNow(30_000);
  const names = new Map(organizations?.map(({ id, name }) => [id, name]));
  const byId = new Map<string, BackupJobRow>(rows?.map((row) => [row.id, row]));
  const getOrganization = ({ organization }: BackupJobRow): string => names.get(organization) ?? '';
  const getSchedule = ({ schedulePolicy: { schedule } }: BackupJobRow): string =>
    scheduleLabel(
      schedule,
      schedule.type === 'Chained' ? (byId.get(schedule.chainedAfter)?.name ?? null) : null,
    );
  const getNextRun = (row: BackupJobRow): Ms | null => dueAt(row, zone, getPreviousJob(row, byId));
  const getObstacle = (row: BackupJobRow): StartObstacle | null => findStartObstacle(row, byId);
  return (
    <SuiteList
      path={JOBS_PATH}
      title={t.title}
      searchLabel={t.search}
      rows={rows}
      getSearchWords={(row) => [getOrganization(row), row.description]}
      getDescription={getOrganization}
      heads={[
        { label: t.job, className: 'pl-5' },
        { label: t.state, className: 'w-[15%]' },
        { label: t.schedule, className: 'w-[19%] max-desk:hidden' },
        { label: t.nextRun, className: 'w-[15%]' },
        { label: t.lastSessions, className: 'w-28' },
        { label: t.transferred, className: 'w-24 pr-5 text-right max-desk:hidden' },
      ]}
      renderCells={(row) => (
        <>
          <ListCell>
            <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
              <StateText label={stateLabel(jobState(row))} />
              {!row.enabled && <Badge>{t.disabled}</Badge>}
            </span>
          </ListCell>
          <ListCell className="max-desk:hidden tablet:truncate" tip={getSchedule(row)}>
            {getSchedule(row)}
          </ListCell>
          <ListCell label={t.nextRun}>
            <NextRun at={getNextRun(row)} now={now} zone={zone} obstacle={getObstacle(row)} />
          </ListCell>
          <ListCell className="max-tablet:hidden">
            <Sessions row={row} />
          </ListCell>
          <ListCell className="text-right max-desk:hidden tablet:pr-5">
            {row.recent[0] === undefined ? '–' : formatBytes(row.recent[0].bytesRead)}
          </ListCell>
        </>
      )}
      action={<NewButton />}
      empty={{ icon: 'scheduled', title: t.none, hint: t.noneHint, action: <NewButton /> }}
      getPanelDetail={getOrganization}
      renderPanel={(row, close) => (
        <JobDetails
          row={row}
          schedule={getSchedule(row)}
          nextRun={getNextRun(row)}
          obstacle={getObstacle(row)}
          followers={listFollowers(row.id, rows ?? [])}
          now={now}
          onClose={close}
        />
      )}
    />
  );
}

/** Opens the wizard where its draft was left. */
function NewButton() {
  const { history } = useRouter();
  return (
    <Button variant="primary" icon="plus" onClick={() => history.push(`${JOBS_PATH}/new`)}>
      {t.newJob}
    </Button>
  );
}

/** The strip of the last sessions. */
function Sessions({ row }: { readonly row: BackupJobRow }) {
  const strip = getStripMarks(row, BARS);
  const counts = new Map<string, number>();
  for (const state of strip)
    if (state !== null) counts.set(STATES[state].label, (counts.get(STATES[state].label) ?? 0) + 1);
  const width = stripWidth(BARS, WIDE);
  if (counts.size === 0) return <span className="text-ink-3">–</span>;
  return (
    <svg
      className="dc-strip"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn inline instead of loading an image
      role="img"
      aria-label={t.stripLabel({
        states: formatList(
          [...counts].map(([state, count]) => t.stripState({ count, state })),
          'plain',
        ),
      })}
      width={width}
      height={WIDE.tall}
      viewBox={`0 0 ${width} ${WIDE.tall}`}
    >
      {stripPaths(strip, WIDE).map(({ mark, d }) => (
        <path key={mark} className={`dc-m-${mark}`} d={d} />
      ))}
    </svg>
  );
}

const BARS = 14;
const EMPTY = {};
