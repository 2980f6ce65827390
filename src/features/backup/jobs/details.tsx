import type { StartObstacle } from '#contract/backup/chains.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { obstacleText } from '#contract/backup/obstacle-text.ts';
import { nextRuns } from '#contract/backup/schedule.ts';
import type { Ms } from '#contract/ids.ts';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Badge } from '#src/ui/badge.tsx';
import { formatBytes, formatCount, formatDuration } from '#src/ui/format.ts';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { Moment } from '../moment.tsx';
import { StateText } from '../state-text.tsx';
import { JobActions } from './actions.tsx';
import { LatestSession } from './latest-session.tsx';
import { NextRun } from './next-run.tsx';
import { fileVersionsLabel, stateLabel } from './labels.ts';
import type { EndedSession } from './labels.ts';
import { backupJobMessages as t } from './messages.en.ts';

/** A job beside the list: its settings and its last sessions. */
export function JobDetails({
  row,
  schedule,
  nextRun,
  obstacle,
  followers,
  now,
  onClose,
}: {
  readonly row: BackupJobRow;
  readonly schedule: string;
  readonly nextRun: Ms | null;
  /** Why the schedule never starts the job. */
  readonly obstacle: StartObstacle | null;
  /** The jobs that start after this one. */
  readonly followers: readonly BackupJobRow[];
  readonly now: Ms;
  readonly onClose: () => void;
}) {
  const zone = useZone();
  const repositories = useWatch('backupRepositories', EMPTY);
  const repository = repositories?.find(({ id }) => id === row.repository)?.name ?? t.unknown;
  const { backupWindow, retryNumber, retryWaitInterval } = row.schedulePolicy;
  const { enabled, notifyOnFailure } = row.notifications;
  const later =
    row.enabled && nextRun !== null
      ? nextRuns(row.schedulePolicy, Math.max(nextRun, now), zone, LATER_RUNS)
      : [];
  const previous = row.running === null ? row.recent.slice(1) : row.recent;
  return (
    <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
      {!row.enabled && (
        <p className="m-0 py-1">
          <Badge>{t.disabled}</Badge>
        </p>
      )}
      {obstacle !== null && (
        <div className="pt-2">
          <Callout tone="warning">{obstacleText(obstacle)}</Callout>
        </div>
      )}
      <JobActions row={row} followers={followers} onDeleted={onClose} />
      <LatestSession row={row} now={now} />
      <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">
        {t.settings}
      </h3>
      <FactList
        facts={[
          ...(row.description === '' ? [] : [[t.description, row.description] as const]),
          [t.scope, scopeLabel(row)],
          [t.schedule, schedule],
          [
            t.nextRun,
            <NextRun key="next" at={nextRun} now={now} zone={zone} obstacle={obstacle} />,
          ],
          ...(later.length === 0
            ? []
            : [
                [
                  t.laterRuns,
                  <ol key="later" className="m-0 list-none p-0">
                    {later.map((at) => (
                      <li key={at}>
                        <NextRun at={at} now={now} zone={zone} />
                      </li>
                    ))}
                  </ol>,
                ] as const,
              ]),
          [
            t.window,
            backupWindow === null
              ? t.anyTime
              : t.windowHours({ count: backupWindow.replaceAll('0', '').length }),
          ],
          [
            t.retries,
            retryNumber === 0
              ? t.noRetries
              : t.retryTimes({ count: retryNumber, minutes: retryWaitInterval }),
          ],
          [t.repository, repository],
          [t.fileVersions, fileVersionsLabel(row.fileVersions ?? 'none')],
          [t.fullText, row.isFullTextEnabled === true ? t.fullTextOn : t.fullTextOff],
          [t.lastPoint, <Moment key="point" at={row.lastPointAt} now={now} never={t.neverRan} />],
          [
            t.notifications,
            !enabled
              ? t.notificationsOff
              : notifyOnFailure
                ? t.notificationsFailure
                : t.notificationsAll,
          ],
        ]}
      />
      {previous.length > 0 && (
        <>
          <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">
            {t.previousSessions}
          </h3>
          <ul className="m-0 list-none p-0">
            {previous.map((session) => (
              <SessionLine key={session.id} session={session} now={now} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function SessionLine({
  session: { result, startedAt, endedAt, counts, bytesRead, bytesStored, message },
  now,
}: {
  readonly session: EndedSession;
  readonly now: Ms;
}) {
  return (
    <li className="grid gap-0.5 border-b border-hair py-2">
      <span className="flex flex-wrap items-baseline justify-between gap-x-3">
        <StateText label={stateLabel(result)} />
        <span className="text-agate text-ink-2">
          <Moment at={startedAt} now={now} never="" />
        </span>
      </span>
      <span className="text-agate text-ink-2">
        {[
          t.sessionObjects({
            done: formatCount(counts.succeeded + counts.warned),
            count: counts.objects,
          }),
          t.sessionBytes({ read: formatBytes(bytesRead), stored: formatBytes(bytesStored) }),
          t.sessionTook({ duration: formatDuration((endedAt - startedAt) / 1000) }),
        ].join(' · ')}
      </span>
      {message !== null && <span className="break-words">{message}</span>}
    </li>
  );
}

function scopeLabel({ backupType, selectedItems, excludedItems }: BackupJobRow): string {
  const scope =
    backupType === 'EntireOrganization'
      ? t.entireOrganization
      : t.selectedItems({ count: selectedItems.length });
  return excludedItems.length === 0
    ? scope
    : t.scopeWithExcluded({ scope, excluded: t.excludedItems({ count: excludedItems.length }) });
}

const LATER_RUNS = 4;
const EMPTY = {};
