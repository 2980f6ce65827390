import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import type { SyncStatus } from '#workers/api.ts';
import { formatTime, formatSpan } from '#src/ui/format.ts';
import { wallMessages as t } from './messages.en.ts';

/** Whether what stands on the wall may be believed. `stale`: it recedes, and a band says why. */
export interface WallStanding {
  readonly is: 'starting' | 'live' | 'catching-up' | 'stale';
  readonly lead: string;
  readonly rest: string;
}

/** What is said where nothing needs anybody: all is well only where something has ever come. */
export const quietOf = ({
  newestAt,
}: Pick<Overview, 'newestAt'>): { readonly is: 'clear' | 'bare'; readonly words: string } =>
  newestAt === null
    ? { is: 'bare', words: t.noResultsYet }
    : { is: 'clear', words: t.nothingNeedsAttention };

/** A live device hears from its server every minute; after three it is told to be old. */
export const OLD_MS: Ms = 180_000;

/**
 * What the wall says of its data: of when they are, and what is wrong. Nothing old is ever shown as
 * live.
 */
export function standingOf(status: SyncStatus | undefined, now: Ms, zone: string): WallStanding {
  if (!status) return { is: 'starting', lead: t.starting, rest: '' };
  const { syncedAt } = status;
  const age = syncedAt === null ? null : now - syncedAt;
  const data = syncedAt === null ? t.noData : dataWords(syncedAt, now, zone);
  if (status.is === 'signed-out') return { is: 'stale', lead: t.signedOut, rest: data };
  if (status.reload || status.is === 'update-needed')
    return { is: 'stale', lead: t.reloading, rest: data };
  if (status.is === 'offline' || status.is === 'server-trouble') {
    const offline = status.is === 'offline';
    const since = status.offlineSince === null ? null : formatTime(status.offlineSince, zone);
    return {
      is: 'stale',
      lead:
        since === null
          ? offline
            ? t.offline
            : t.serverTrouble
          : (offline ? t.offlineSince : t.serverTroubleSince)({ time: since }),
      rest: data,
    };
  }
  if (status.fault !== null && status.storage !== 'full')
    return { is: 'stale', lead: t.notUpToDate, rest: data };
  if (age !== null && age > OLD_MS) return { is: 'stale', lead: t.notUpToDate, rest: data };
  if (status.is === 'catching-up') return { is: 'catching-up', lead: t.catchingUp, rest: data };
  return { is: 'live', lead: t.live, rest: data };
}

function dataWords(at: Ms, now: Ms, zone: string): string {
  const time = formatTime(at, zone);
  const age = formatSpan(at, now);
  return age === null ? t.dataOf({ time }) : t.dataOfOld({ time, age });
}

/**
 * Whether the page should load itself anew: a newer build has taken over. Not again within ten
 * minutes.
 */
export const mustReload = (
  status: SyncStatus | undefined,
  reloadedAt: Ms | null,
  now: Ms,
): boolean =>
  status !== undefined &&
  (status.reload || status.is === 'update-needed') &&
  (reloadedAt === null || now - reloadedAt > 600_000);
