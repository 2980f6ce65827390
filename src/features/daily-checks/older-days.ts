import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

const DAY: Ms = 86_400_000;

/**
 * How a list's time stands to the days that this device keeps: within them, from their beginning on
 * or sooner, or before all of them.
 */
export function reachOf(
  { from, to }: Pick<RunsFilter, 'from' | 'to'>,
  now: Ms,
): 'within' | 'all' | 'before' {
  const oldest = now - LIMITS.windowDays * DAY;
  if (to !== null && to <= oldest) return 'before';
  // The first of the days began within a day of it.
  return from === null || from <= oldest + DAY ? 'all' : 'within';
}

/**
 * Why nothing is listed, where there may be older results on the server (SEEK-6); null where that
 * is not why. `narrowed`: filters are set.
 */
export function olderWords(
  filter: Pick<RunsFilter, 'from' | 'to'>,
  now: Ms,
  narrowed: boolean,
): { readonly title: string; readonly detail: string } | null {
  const reach = reachOf(filter, now);
  const days = LIMITS.windowDays;
  if (reach === 'within' || (reach === 'all' && !narrowed)) return null;
  return {
    title: reach === 'before' ? t.daysNotOnDevice : t.noMatchesInDays({ days }),
    detail: t.olderOnServer({ days }),
  };
}
