import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import type { SyncStatus } from '#workers/api.ts';
import { formatRecent, formatSpan, formatTime } from '#src/ui/format.ts';
import { wallMessages as t } from './messages.en.ts';

/**
 * How current the wall board's data is. `stale`: the figures are muted and a banner explains why.
 */
export interface WallFreshness {
  readonly kind: 'starting' | 'live' | 'catching-up' | 'stale';
  readonly lead: string;
  readonly rest: string;
}

/** Returns the text to show without open issues. "All well" requires that data has ever arrived. */
export const getQuietState = ({
  newestAt,
}: Pick<Overview, 'newestAt'>): { readonly kind: 'clear' | 'bare'; readonly words: string } =>
  newestAt === null
    ? { kind: 'bare', words: t.noResultsYet }
    : { kind: 'clear', words: t.nothingNeedsAttention };

/**
 * A live device gets a message from its server every minute. After three minutes its data counts as
 * old.
 */
export const OLD_MS: Ms = 180_000;

/** Returns how current the data is, and any problem with it. Old data is never shown as live. */
export function getFreshness(status: SyncStatus | undefined, now: Ms, zone: string): WallFreshness {
  if (!status) return { kind: 'starting', lead: t.starting, rest: '' };
  const { syncedAt } = status;
  const age = syncedAt === null ? null : now - syncedAt;
  const data = syncedAt === null ? t.noData : dataWords(syncedAt, now, zone);
  if (status.kind === 'signed-out') return { kind: 'stale', lead: t.signedOut, rest: data };
  if (status.reload || status.kind === 'update-needed')
    return { kind: 'stale', lead: t.reloading, rest: data };
  if (status.kind === 'offline' || status.kind === 'server-trouble') {
    const offline = status.kind === 'offline';
    const since =
      status.offlineSince === null ? null : formatRecent(status.offlineSince, zone, now);
    return {
      kind: 'stale',
      lead:
        since === null
          ? offline
            ? t.offline
            : t.serverTrouble
          : (offline ? t.offlineSince : t.serverTroubleSince)({ time: since }),
      rest: data,
    };
  }
  if (status.error !== null && status.storage !== 'full')
    return { kind: 'stale', lead: t.notUpToDate, rest: data };
  if (age !== null && age > OLD_MS) return { kind: 'stale', lead: t.notUpToDate, rest: data };
  if (status.kind === 'catching-up') return { kind: 'catching-up', lead: t.catchingUp, rest: data };
  return { kind: 'live', lead: t.live, rest: data };
}

function dataWords(at: Ms, now: Ms, zone: string): string {
  const time = formatTime(at, zone);
  const age = formatSpan(at, now);
  return age === null ? t.dataOf({ time }) : t.dataOfOld({ time, age });
}

/**
 * Returns whether the page should reload because a newer build is active. At most once every ten
 * minutes.
 */
export const mustReload = (
  status: SyncStatus | undefined,
  reloadedAt: Ms | null,
  now: Ms,
): boolean =>
  status !== undefined &&
  (status.reload || status.kind === 'update-needed') &&
  (reloadedAt === null || now - reloadedAt > 600_000);
