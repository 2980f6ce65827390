import type { Ms } from '#contract/ids.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import type { SyncStatus } from '#workers/api.ts';
import { formatTime, formatSpan } from '#src/ui/format.ts';

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
    ? { is: 'bare', words: 'No results yet' }
    : { is: 'clear', words: 'Nothing needs attention' };

/** A live device hears from its server every minute; after three it is told to be old. */
export const OLD_MS: Ms = 180_000;

/**
 * What the wall says of its data: of when they are, and what is wrong. Nothing old is ever shown as
 * live.
 */
export function standingOf(status: SyncStatus | undefined, now: Ms, zone: string): WallStanding {
  if (!status) return { is: 'starting', lead: 'Starting', rest: '' };
  const { syncedAt } = status;
  const age = syncedAt === null ? null : now - syncedAt;
  const data =
    syncedAt === null
      ? 'no data yet'
      : `data of ${formatTime(syncedAt, zone)}${agoOf(syncedAt, now)}`;
  if (status.is === 'signed-out') return { is: 'stale', lead: 'Signed out', rest: data };
  if (status.reload || status.is === 'update-needed')
    return { is: 'stale', lead: 'New version, reloading', rest: data };
  if (status.is === 'offline' || status.is === 'server-trouble') {
    const lead = status.is === 'offline' ? 'Offline' : 'Server trouble';
    return {
      is: 'stale',
      lead:
        status.offlineSince === null
          ? lead
          : `${lead} since ${formatTime(status.offlineSince, zone)}`,
      rest: data,
    };
  }
  if (status.fault !== null && status.storage !== 'full')
    return { is: 'stale', lead: 'Not up to date', rest: data };
  if (age !== null && age > OLD_MS) return { is: 'stale', lead: 'Not up to date', rest: data };
  if (status.is === 'catching-up') return { is: 'catching-up', lead: 'Catching up', rest: data };
  return { is: 'live', lead: 'Live', rest: data };
}

const agoOf = (at: Ms, now: Ms): string => {
  const span = formatSpan(at, now);
  return span === null ? '' : `, ${span} old`;
};

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
