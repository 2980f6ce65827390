// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
import type { Ms } from '#contract/ids.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { formatRecent } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { SyncStatus } from '#workers/api.ts';
import { runMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

interface NoticesProps {
  readonly status: SyncStatus | undefined;
  readonly newestAt: Ms | null;
  readonly zone: string;
  readonly now: Ms;
}

/**
 * Banners above the list: offline or server problems with their start, age of the data and waiting
 * changes; or another problem and how to fix it.
 */
export function SyncNotices({ status, newestAt, zone, now }: NoticesProps) {
  if (!status) return null;
  const upTo = status.syncedAt ?? newestAt;
  const when = (at: Ms): string => formatRecent(at, zone, now);
  if (status.kind === 'offline' || status.kind === 'server-trouble') {
    const offline = status.kind === 'offline';
    return (
      <output className="flex min-h-10 flex-wrap items-center gap-x-2 border-t border-rule bg-warning-wash px-4 py-1">
        <Icon name={offline ? 'offline' : 'warning'} className="text-warning" />
        <b>
          {status.offlineSince === null
            ? offline
              ? t.offline
              : t.serverTrouble
            : (offline ? t.offlineSince : t.serverTroubleSince)({
                time: when(status.offlineSince),
              })}
        </b>
        {upTo !== null && <span>{t.resultsUpTo({ time: when(upTo) })}</span>}
        {status.waiting > 0 && (
          <span className="ml-auto text-ink-2">{t.changesWaiting({ count: status.waiting })}</span>
        )}
      </output>
    );
  }
  if (status.error === null) return null;
  return (
    <div
      role="alert"
      className="flex min-h-10 flex-wrap items-center gap-x-2 border-t border-l-[3px] border-rule border-l-failed bg-sheet px-4 py-1.5"
    >
      <Icon name="failed" className="text-failed" />
      <span className="min-w-0 grow">
        {status.error}
        {upTo !== null && (
          <span className="block text-agate text-ink-3">
            {t.listOutdated({ time: when(upTo) })}
          </span>
        )}
      </span>
      <Button
        size="sm"
        onClick={() => {
          client()
            .syncNow()
            .catch(() => {});
        }}
      >
        {uiMessages.tryAgain}
      </Button>
    </div>
  );
}
