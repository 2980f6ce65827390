import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

/**
 * Compares the list's period with the days on this device: within them, reaching back to their
 * start or further, or entirely before them.
 */
export function getRangePosition(
  { from, to }: Pick<RunsFilter, 'from' | 'to'>,
  now: Ms,
): 'within' | 'all' | 'before' {
  const oldest = now - LIMITS.windowDays * DAY_MS;
  if (to !== null && to <= oldest) return 'before';
  // The first day of the window begins within one day after `oldest`.
  return from === null || from <= oldest + DAY_MS ? 'all' : 'within';
}

/**
 * Returns why nothing is listed if the server can have older results (SEEK-6), otherwise null.
 * `narrowed`: filters are set.
 */
export function olderWords(
  filter: Pick<RunsFilter, 'from' | 'to'>,
  now: Ms,
  narrowed: boolean,
): { readonly title: string; readonly detail: string } | null {
  const reach = getRangePosition(filter, now);
  const days = LIMITS.windowDays;
  if (reach === 'within' || (reach === 'all' && !narrowed)) return null;
  return {
    title: reach === 'before' ? t.daysNotOnDevice : t.noMatchesInDays({ days }),
    detail: t.olderOnServer({ days }),
  };
}
