import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { Ms } from '#contract/ids.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatBytes, formatCount, formatWhen } from '#src/ui/format.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { Moment } from '../moment.tsx';
import { StateText } from '../state-text.tsx';
import { jobState, stateLabel } from './labels.ts';
import {
  objectKindLabel,
  objectStateLabel,
  reasonLabel,
  sessionStateLabel,
} from './session-labels.ts';
import { LogLines, SessionLog } from './session-log.tsx';
import { useLatestSession } from './use-latest-session.ts';
import type { LatestSession as Latest } from './use-latest-session.ts';
import { backupJobMessages as t } from './messages.en.ts';

type Session = NonNullable<Latest['session']>;

/** The running or last session of a job, live: how far it is, what it waits for, and its log. */
export function LatestSession({ row, now }: { readonly row: BackupJobRow; readonly now: Ms }) {
  const zone = useZone();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { value, failure, again } = useLatestSession(row);
  const [logOpen, setLogOpen] = useState(false);
  if (row.running === null && row.recent.length === 0)
    return <p className="m-0 py-2 text-ink-2">{t.noSessions}</p>;
  const session = value?.session ?? null;
  const isRunning = session === null ? row.running !== null : session.state !== 'done';
  return (
    <section>
      <Heading>{isRunning ? t.currentSession : t.lastSession}</Heading>
      {failure !== null && (
        <div className="pt-2">
          <Callout
            tone="warning"
            action={offerRetry(failure, again, { size: 'sm', disabled: offline })}
          >
            {offline
              ? t.sessionOffline
              : session === null
                ? getFailureText(failure)
                : t.notRefreshed({ reason: getFailureText(failure) })}
          </Callout>
        </div>
      )}
      {session === null ? (
        <p className="m-0 py-2">
          <StateText label={stateLabel(jobState(row))} />
        </p>
      ) : (
        <>
          <Summary session={session} now={now} zone={zone} />
          <Objects objects={session.objects} isRunning={isRunning} />
          <Heading>{t.log}</Heading>
          <LogLines
            lines={value?.logs.slice(-NEWEST_LINES) ?? []}
            isDeleted={value?.isLogDeleted ?? false}
            zone={zone}
          />
          <Button size="sm" onClick={() => setLogOpen(true)}>
            {t.showLog}
          </Button>
          {logOpen && (
            <SessionLog
              jobId={row.id}
              session={{ id: session.id, startedAt: session.creationTime }}
              onClose={() => setLogOpen(false)}
            />
          )}
        </>
      )}
    </section>
  );
}

function Summary({
  session: { state, status, reason, creationTime, details, progress },
  now,
  zone,
}: {
  readonly session: Session;
  readonly now: Ms;
  readonly zone: string;
}) {
  const { objects, items, bytes, storedBytes, waiting } = progress;
  return (
    <div className="grid gap-1.5 py-2">
      <p className="m-0 flex flex-wrap items-center justify-between gap-x-3">
        <output>
          <StateText label={sessionStateLabel(state, status)} />
        </output>
        <span className="text-agate text-ink-2">
          <Moment at={creationTime} now={now} never="" />
        </span>
      </p>
      <p className="m-0 text-agate text-ink-2">{reasonLabel(reason)}</p>
      {state !== 'done' && objects.total !== null && objects.total > 0 && (
        <progress
          aria-label={t.progressLabel}
          value={objects.done}
          max={objects.total}
          className="h-1.5 w-full appearance-none border-0 bg-hair [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hair [&::-webkit-progress-value]:bg-accent"
        />
      )}
      <p className="m-0 text-agate text-ink-2">
        {[
          ...(objects.total === null
            ? []
            : [
                t.sessionObjects({
                  done: formatCount(objects.done),
                  count: objects.total,
                }),
              ]),
          // A Veeam server doesn't count items.
          ...(items.done === 0 && bytes.done > 0 ? [] : [t.progressItems({ count: items.done })]),
          t.sessionBytes({ read: formatBytes(bytes.done), stored: formatBytes(storedBytes) }),
        ].join(' · ')}
      </p>
      {waiting !== null && state !== 'done' && (
        <Callout tone="running">
          {waiting.until === null
            ? t.waitsOpen({ reason: waiting.reason })
            : t.waits({ when: formatWhen(waiting.until, zone), reason: waiting.reason })}
        </Callout>
      )}
      {details !== null && <p className="m-0 break-words">{details}</p>}
    </div>
  );
}

/** The objects with something to report come first; the server sends at most 500. */
function Objects({
  objects,
  isRunning,
}: {
  readonly objects: Session['objects'];
  readonly isRunning: boolean;
}) {
  const [max, setMax] = useState(FEW);
  if (objects.length === 0) return null;
  const rest = objects.length - max;
  return (
    <>
      <Heading>{t.objects}</Heading>
      <ul className="m-0 list-none p-0">
        {objects.slice(0, max).map(({ name, kind, state, items, bytes, message }) => (
          <li key={`${kind} ${name}`} className="grid gap-0.5 border-b border-hair py-1.5">
            <span className="flex items-center justify-between gap-x-3">
              <span className="min-w-0 truncate" data-tip={name}>
                {name} <span className="text-agate text-ink-3">{objectKindLabel(kind)}</span>
              </span>
              <span className="shrink-0">
                <StateText label={objectStateLabel(state)} />
              </span>
            </span>
            {(items > 0 || isRunning) && (
              <span className="text-agate text-ink-2">
                {t.progressItems({ count: items })} · {formatBytes(bytes)}
              </span>
            )}
            {message !== null && <span className="text-agate break-words">{message}</span>}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p className="m-0 pt-2">
          <Button size="sm" onClick={() => setMax(objects.length)}>
            {t.showObjects({ count: formatCount(rest) })}
          </Button>
        </p>
      )}
    </>
  );
}

const Heading = ({ children }: { readonly children: string }) => (
  <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">{children}</h3>
);

const FEW = 8;
const NEWEST_LINES = 8;
const EMPTY = {};
