import type { Ms } from '../ids.ts';
import { dayOf } from '../time/day.ts';
import type { ReviewState } from './query.ts';
import type { ProblemRow } from './rows.ts';

/**
 * What a problem asks of a person. Ended: cleared if a person reviewed it or a rule knew it as an
 * exception, else it asks nothing any more. A snooze that still runs hides it; a review or an
 * exception clears it; else it is pending.
 */
export function reviewOf(
  problem: Pick<ProblemRow, 'closedAt' | 'snooze' | 'review' | 'exception'>,
  now: Ms,
): ReviewState {
  if (problem.closedAt === null && problem.snooze !== null && problem.snooze.until > now)
    return 'snoozed';
  if (isCleared(problem)) return 'cleared';
  return problem.closedAt === null ? 'pending' : 'none';
}

/** By a person, or as an exception by a rule. */
export const isCleared = ({
  review,
  exception,
}: Pick<ProblemRow, 'review' | 'exception'>): boolean =>
  review !== null || (exception ?? null) !== null;

/**
 * What a result asks through its problem, where it has one. `anomalies` false: one that is an
 * anomaly asks nothing.
 */
export const reviewAsked = (
  problem: ProblemRow | null | undefined,
  now: Ms,
  anomalies: boolean,
): ReviewState =>
  !problem || (!anomalies && problem.state === 'Anomaly') ? 'none' : reviewOf(problem, now);

/** On how many of the provider's days a problem has stood, its first one counted. */
export const streakOf = (
  { openedAt, closedAt }: Pick<ProblemRow, 'openedAt' | 'closedAt'>,
  { timeZone, dayBeginsHour }: { readonly timeZone: string; readonly dayBeginsHour: number },
  now: Ms,
): number =>
  Math.max(
    1,
    dayOf(closedAt ?? now, timeZone, dayBeginsHour) - dayOf(openedAt, timeZone, dayBeginsHour) + 1,
  );
