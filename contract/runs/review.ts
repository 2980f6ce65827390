import type { Ms } from '../ids.ts';
import { getDay } from '../time/day.ts';
import type { ReviewState } from './query.ts';
import type { ProblemRow } from './rows.ts';

/**
 * Returns the review state of a problem. An ended problem is cleared if a person reviewed it or a
 * rule made it an exception, otherwise none. An open problem is snoozed while its snooze lasts,
 * cleared if it has a review or an exception, and otherwise pending.
 */
export function getReview(
  problem: Pick<ProblemRow, 'closedAt' | 'snooze' | 'review' | 'exception'>,
  now: Ms,
): ReviewState {
  if (problem.closedAt === null && problem.snooze !== null && problem.snooze.until > now)
    return 'snoozed';
  if (isCleared(problem)) return 'cleared';
  return problem.closedAt === null ? 'pending' : 'none';
}

/** Whether a person reviewed it, or a rule made it an exception. */
export const isCleared = ({
  review,
  exception,
}: Pick<ProblemRow, 'review' | 'exception'>): boolean =>
  review !== null || (exception ?? null) !== null;

/**
 * Returns the review state of a result by its problem. `anomalies` false: problems that are
 * anomalies count as none.
 */
export const toRequestedReview = (
  problem: ProblemRow | null | undefined,
  now: Ms,
  anomalies: boolean,
): ReviewState =>
  !problem || (!anomalies && problem.state === 'Anomaly') ? 'none' : getReview(problem, now);

/** Returns on how many of the provider's days a problem has existed, including the first. */
export const getStreak = (
  { openedAt, closedAt }: Pick<ProblemRow, 'openedAt' | 'closedAt'>,
  { timeZone, dayBeginsHour }: { readonly timeZone: string; readonly dayBeginsHour: number },
  now: Ms,
): number =>
  Math.max(
    1,
    getDay(closedAt ?? now, timeZone, dayBeginsHour) -
      getDay(openedAt, timeZone, dayBeginsHour) +
      1,
  );
