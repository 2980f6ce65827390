import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Ms } from '#contract/ids.ts';

/**
 * A stored end time ("until", "next at") counts only within the longest wait of its rule. A time
 * further ahead was written while the clock was wrong and counts as over, so that a clock that
 * jumped ahead and back locks nobody out and delays nothing (G13).
 */

/** How far apart the clocks of two servers on one database may be. */
export const SKEW_MS: Ms = 5 * 60_000;

/** The longest time between two runs of a schedule: a month, plus the hour of a clock change. */
export const LONGEST_PERIOD_MS: Ms = 31 * 86_400_000 + 3_600_000;

/** Returns whether `until` is in the future, and no further ahead than `longestMs`. */
export const isAhead = (until: Ms, now: Ms, longestMs: Ms): boolean =>
  until > now && until <= now + longestMs + SKEW_MS;

/** The same check as an SQL condition on a column. */
export const columnAhead = (column: string, now: Ms, longestMs: Ms): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} > ${now} and ${sql.ref(column)} <= ${now + longestMs + SKEW_MS})`;

/**
 * The opposite: the column's time has passed or is too far ahead. A column without a value matches
 * neither.
 */
export const columnOver = (column: string, now: Ms, longestMs: Ms): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + longestMs + SKEW_MS})`;
