import { useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Ms } from '#contract/ids.ts';
import type { SyncStatus } from '#workers/api.ts';
import { useNow } from '../../clock.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { useMe, useZone } from '../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatAge, formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showFailure } from '../../../ui/toasts.ts';
import { LastSyncList } from './last-sync.tsx';
import { DamagedList, RefusedList } from './rejected-list.tsx';
import { Again, Dismiss, DialogPart, SyncProblem } from './dialog-parts.tsx';
import { getGlance } from './labels.ts';
import { syncMessages as t } from '../sync.messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

/** Shows the sync state, waiting changes, and rejected changes with their reasons. */
export function SyncStatusDialog({
  status,
  onClose,
}: {
  readonly status: SyncStatus;
  readonly onClose: () => void;
}) {
  const outbox = useWatch('outbox', EMPTY);
  const zone = useZone();
  const now = useNow(15_000);
  const [request, setRequested] = useState(false);
  const roles = useMe()?.roles ?? [];
  const hears = HEARS_SOURCES.some((ability) => can(roles, ability));
  const { icon, tone, lead, rest } = getGlance(status, zone, now);
  const refused = outbox?.entries.filter((entry) => entry.state === 'refused') ?? [];
  const waiting = outbox?.entries.filter((entry) => entry.state !== 'refused') ?? [];
  const damaged = outbox?.damaged ?? [];
  const rejected = refused.length + damaged.length;
  const partly = outbox?.notices.filter((notice) => notice.refused > 0) ?? [];
  const notices = outbox?.notices.filter((notice) => notice.refused === 0) ?? [];
  return (
    <Dialog
      title={t.sync}
      place="corner"
      onClose={onClose}
      footer={
        <>
          <Button
            icon="sync"
            onClick={() => {
              setRequested(true);
              client()
                .syncNow()
                .catch(() => showFailure(t.syncFailed));
            }}
          >
            {t.syncNow}
          </Button>
          {(status.reload || status.kind === 'update-needed') && (
            <Button variant="primary" onClick={() => location.reload()}>
              {uiMessages.reload}
            </Button>
          )}
        </>
      }
    >
      <p className="m-0 flex items-center gap-2.5 px-5 py-3">
        <Icon
          name={icon}
          className={
            tone === 'well' ? 'text-success' : tone === 'busy' ? 'text-running' : 'text-warning'
          }
        />
        <span>
          <b>{lead}</b>
          {rest !== '' && `, ${rest}`}
        </span>
      </p>
      <Troubles status={status} zone={zone} now={now} />
      <output className="block">
        {request && (status.kind === 'offline' || status.kind === 'server-trouble') && (
          <SyncProblem>{t.connecting}</SyncProblem>
        )}
      </output>
      {rejected > 0 && (
        <DialogPart title={t.changesRefused({ count: rejected })}>
          {refused.map((entry) => (
            <li key={entry.id} className="border-t border-hair py-2">
              <p className="m-0 font-semibold break-words">{entry.what}</p>
              <p className="m-0 break-words text-failed">{entry.failure?.message ?? t.noReason}</p>
              {entry.runs.length > 0 && (
                <RefusedList id={entry.id} count={entry.runs.length} zone={zone} onGo={onClose} />
              )}
              <Again id={entry.id} away={t.discard} at={entry.madeAt} zone={zone} now={now} />
            </li>
          ))}
          <DamagedList changes={damaged} />
        </DialogPart>
      )}
      {partly.length > 0 && (
        <DialogPart title={t.changesPartly({ count: partly.length })}>
          {partly.map((notice) => (
            <li key={notice.id} className="border-t border-hair py-2">
              <p className="m-0 break-words">{notice.text}</p>
              <RefusedList id={notice.id} count={notice.refused} zone={zone} onGo={onClose} />
              <Again
                id={notice.id}
                away={uiMessages.dismiss}
                at={notice.at}
                zone={zone}
                now={now}
              />
            </li>
          ))}
        </DialogPart>
      )}
      {waiting.length > 0 && (
        <DialogPart title={t.changesWaiting({ count: waiting.length })}>
          {waiting.slice(0, MAX_SHOWN).map((entry) => (
            <li key={entry.id} className="flex items-baseline gap-3 border-t border-hair py-1.5">
              <span className="min-w-0 grow break-words">{entry.what}</span>
              <span
                className="shrink-0 text-agate text-ink-3"
                data-tip={formatWhen(entry.madeAt, zone)}
              >
                {entry.state === 'sending' ? t.sending : formatAge(entry.madeAt, now)}
              </span>
            </li>
          ))}
          {waiting.length > MAX_SHOWN && (
            <li className="border-t border-hair py-1.5 text-ink-3">
              {t.moreChanges({ count: waiting.length - MAX_SHOWN })}
            </li>
          )}
        </DialogPart>
      )}
      {notices.length > 0 && (
        <DialogPart title={t.conflicts}>
          {notices.map((notice) => (
            <li key={notice.id} className="flex items-start gap-3 border-t border-hair py-1.5">
              <span className="min-w-0 grow">
                <span className="block break-words">{notice.text}</span>
                <span className="block text-agate text-ink-3">{formatWhen(notice.at, zone)}</span>
              </span>
              <Dismiss id={notice.id} />
            </li>
          ))}
        </DialogPart>
      )}
      {outbox !== undefined && rejected + partly.length + waiting.length === 0 && (
        <DialogPart title={t.changes}>
          <li className="py-1 text-ink-2">{t.allSent}</li>
        </DialogPart>
      )}
      {hears && (
        <DialogPart title={t.sources}>
          <LastSyncList zone={zone} now={now} onGo={onClose} />
        </DialogPart>
      )}
    </Dialog>
  );
}

function Troubles({
  status,
  zone,
  now,
}: {
  readonly status: SyncStatus;
  readonly zone: string;
  readonly now: Ms;
}) {
  return (
    <>
      {status.reload && <SyncProblem>{t.newerVersionRuns}</SyncProblem>}
      {!status.reload && status.kind === 'update-needed' && (
        <SyncProblem>{t.updateNeeded}</SyncProblem>
      )}
      {status.storage === 'full' && <SyncProblem>{t.deviceFullHint}</SyncProblem>}
      {status.storage === 'memory' && <SyncProblem>{t.notStored}</SyncProblem>}
      {status.storage === 'best-effort' &&
        (status.waiting > 0 || status.kind === 'offline' || status.kind === 'server-trouble') && (
          <SyncProblem>{t.mayBeDeleted}</SyncProblem>
        )}
      {status.kind === 'server-trouble' && <SyncProblem>{t.serverTroubleHint}</SyncProblem>}
      {(status.kind === 'offline' || status.kind === 'server-trouble') && (
        <SyncProblem>
          {status.syncedAt !== null &&
            `${t.offlineData({ age: formatAge(status.syncedAt, now), time: formatWhen(status.syncedAt, zone) })} `}
          {status.kind === 'offline' ? t.worksOffline : t.worksWithoutServer}
        </SyncProblem>
      )}
      {status.error !== null && <SyncProblem>{status.error}</SyncProblem>}
      {status.follower && <p className="m-0 px-5 pb-3 text-agate text-ink-3">{t.otherTabSyncs}</p>}
    </>
  );
}

/** Abilities that may read when sources last synced. The server refuses other users. */
const HEARS_SOURCES = ['monitoring.dashboard', 'monitoring.sources', 'admin.dashboard'] as const;
const EMPTY = {};
const MAX_SHOWN = 50;
