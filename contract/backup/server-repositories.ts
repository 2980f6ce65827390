import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';
import { RETENTION_POLICIES, RetentionPolicySchema, type RetentionPolicy } from './retention.ts';
import { DAILY_TYPES, MONTHLY_NUMBERS, WEEKDAYS } from './schedule.ts';
import { schemaMessages } from '../schemas.messages.en.ts';
import { DAY_MS } from '../time/durations.ts';

// Repositories of a Veeam Backup for Microsoft 365 server, as its REST API has them.

const count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));

/** A period that isn't whole years. */
export const ShortPeriodSchema = v.variant('unit', [
  v.strictObject({ unit: v.literal('days'), count: count(9_999) }),
  v.strictObject({ unit: v.literal('months'), count: count(999) }),
]);
export type ShortPeriod = v.InferOutput<typeof ShortPeriodSchema>;

/** How long a server keeps backups: days, months, or one of its periods of years. */
export const ServerRetentionSchema = v.variant('unit', [
  ...ShortPeriodSchema.options,
  v.strictObject({ unit: v.literal('years'), policy: RetentionPolicySchema }),
]);
export type ServerRetention = v.InferOutput<typeof ServerRetentionSchema>;

const YEAR_DAYS = 365;
const YEAR_MONTHS = 12;

/** Returns about how many years a retention is; `Infinity` for `Keep`. */
function getYears(retention: ServerRetention): number {
  if (retention.unit === 'days') return retention.count / YEAR_DAYS;
  if (retention.unit === 'months') return retention.count / YEAR_MONTHS;
  return policyYears(retention.policy);
}
const policyYears = (policy: RetentionPolicy): number =>
  policy === 'Keep' ? Infinity : Number(policy.replaceAll(/\D/g, ''));

/**
 * Returns whether a retention is shorter than another on some day. A month or year isn't a number of
 * days: 365 days are shorter than a year that has a leap day.
 */
export function isShorterRetention(one: ServerRetention, than: ServerRetention): boolean {
  if (than.unit === 'days')
    return (one.unit === 'days' ? one.count : getDays(getMonths(one)).min) < than.count;
  return one.unit === 'days'
    ? one.count < getDays(getMonths(than)).max
    : getMonths(one) < getMonths(than);
}
const getMonths = (retention: Exclude<ServerRetention, { unit: 'days' }>): number =>
  retention.unit === 'months' ? retention.count : policyYears(retention.policy) * YEAR_MONTHS;

/** After these, the calendar repeats itself. */
const CYCLE_MONTHS = 400 * YEAR_MONTHS;
const dayFor = (month: number): number => Date.UTC(2000, month, 1) / DAY_MS;

/**
 * Returns how few and how many days a number of months can have, counted to the same date or, in a month
 * without it, to its last day.
 */
function getDays(months: number): { readonly min: number; readonly max: number } {
  if (months === Infinity) return { min: Infinity, max: Infinity };
  let min = Infinity;
  let max = 0;
  for (let month = 0; month < CYCLE_MONTHS; month += 1) {
    const days = dayFor(month + months) - dayFor(month);
    // Dates that only one of both months has. Those of the first count forwards, the others back.
    const more = dayFor(month + months + 1) - dayFor(month + 1) - days;
    min = Math.min(min, days + Math.min(0, more));
    max = Math.max(max, days + Math.max(0, more));
  }
  return { min, max };
}

/** Returns the longest policy of whole years that a retention reaches; the shortest if none. */
export function toYears(retention: ServerRetention): RetentionPolicy {
  if (retention.unit === 'years') return retention.policy;
  const years = getYears(retention);
  return RETENTION_POLICIES.findLast((policy) => policyYears(policy) <= years) ?? 'Year1';
}

/** Returns what a row stores beside its policy of years; null if that says it all. */
export const toShortPeriod = (retention: ServerRetention): ShortPeriod | null =>
  retention.unit === 'years' ? null : { ...retention };

/** In the time zone of the server. */
const time = v.pipe(
  v.string(),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, () => schemaMessages.timeOfDay),
);

export const CLEAN_UP_TYPES = ['Daily', 'Monthly'] as const;

/** When a server removes what it no longer keeps. */
export const CleanUpScheduleSchema = v.variant('type', [
  v.strictObject({ type: v.literal('Daily'), day: v.picklist(DAILY_TYPES), time }),
  v.strictObject({
    type: v.literal('Monthly'),
    number: v.picklist(MONTHLY_NUMBERS),
    day: v.picklist(WEEKDAYS),
    time,
  }),
]);
export type CleanUpSchedule = v.InferOutput<typeof CleanUpScheduleSchema>;

/** An id of something on the server. */
export const ServerIdSchema = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[\w-]{1,100}$/, () => schemaMessages.serverId),
);

/**
 * A folder of a proxy, as its operating system writes it: on a drive of Windows, or below the root of
 * Linux. No share of another machine, to which the proxy would send its credentials.
 */
export const ServerPathSchema = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(LIMITS.subjectChars),
  v.regex(/^(?:[A-Za-z]:[\\/]|\/(?!\/))[^\p{Cc}]*$/u, () => schemaMessages.serverPath),
  v.check((path) => !path.split(/[\\/]/).some((name) => name.replaceAll(/\s/g, '') === '..')),
);

/** What can be changed of a repository later. */
export const SERVER_REPOSITORY_FIELDS = {
  repository: nameText(),
  description: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)),
  retention: ServerRetentionSchema,
  cleanUp: CleanUpScheduleSchema,
};
