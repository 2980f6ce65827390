import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Ms } from '#contract/ids.ts';

/**
 * Times that are stored to end later ("until", "next at") hold only within their rule's longest
 * wait. One further ahead was written while the clock was wrong: it counts as over, so that a clock
 * that went ahead and came back locks nobody out and delays nothing (G13).
 */

/** How far the clocks of two servers on one database may be apart. */
export const SKEW_MS: Ms = 5 * 60_000;

/**
 * The longest time between two runs of a schedule: a month, and the hour of a change of the clocks.
 */
export const LONGEST_PERIOD_MS: Ms = 31 * 86_400_000 + 3_600_000;

/** Whether `until` is ahead, and no further than a time that was written now could be. */
export const isAhead = (until: Ms, now: Ms, longestMs: Ms): boolean =>
  until > now && until <= now + longestMs + SKEW_MS;

/** The same of a column, as a condition. */
export const columnAhead = (column: string, now: Ms, longestMs: Ms): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} > ${now} and ${sql.ref(column)} <= ${now + longestMs + SKEW_MS})`;

/**
 * The opposite: the time of the column has come, or was never meant. A column without a value is
 * neither.
 */
export const columnOver = (column: string, now: Ms, longestMs: Ms): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now + longestMs + SKEW_MS})`;
