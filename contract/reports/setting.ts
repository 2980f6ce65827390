import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { MAX_CUSTOMERS, TEMPLATE_KEYS } from './template.ts';

export const REPORT_FORMATS = ['pdf', 'html', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/**
 * Periods of a report, relative to when it is due: the last days including that day, or the whole
 * days and months of the provider before it.
 */
export const REPORT_PERIODS = [
  'yesterday',
  'last-2',
  'last-7',
  'last-14',
  'last-30',
  'this-month',
  'last-month',
] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** Formats of dates and numbers. The first is the portal's own. */
export const REPORT_LANGUAGES = [
  'en-US',
  'en-GB',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pt',
  'pl',
  'sv',
  'da',
  'cs',
] as const;
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

const clock = v.pipe(v.string(), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'hh:mm'));
const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
const timeZone = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
/** `weekday` 1 (Monday) to 7; `day` 1 to 28, or 31 for the last day of each month. */
export const ReportScheduleSchema = v.variant('every', [
  v.strictObject({ every: v.literal('day'), at: clock, timeZone }),
  v.strictObject({ every: v.literal('week'), weekday: whole(1, 7), at: clock, timeZone }),
  v.strictObject({
    every: v.literal('month'),
    day: v.union([whole(1, 28), v.literal(31)]),
    at: clock,
    timeZone,
  }),
]);
export type ReportSchedule = v.InferOutput<typeof ReportScheduleSchema>;

/** One address, without anything that a mail server could read as a second one. */
const address = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(254),
  v.regex(
    /^[^\s\p{Cc}@<>,;:"()[\]\\]{1,64}@[^\s\p{Cc}@<>,;:"()[\]\\]{1,185}\.[^\s\p{Cc}@<>,;:"()[\]\\.]{2,}$/u,
    'an address',
  ),
);
const once = <T>(all: readonly T[]): T[] => [...new Set(all)];

/**
 * The fields of a report that a user sets. `companies`: an empty list means all companies that its
 * owner can see, if the template allows that.
 */
export const ReportFields = v.strictObject({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(LIMITS.nameChars),
    v.regex(/^\P{Cc}*$/u),
  ),
  template: v.picklist(TEMPLATE_KEYS),
  companies: v.pipe(
    v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(4_294_967_295))),
    v.maxLength(1_000),
    v.transform(once),
  ),
  period: v.picklist(REPORT_PERIODS),
  schedule: ReportScheduleSchema,
  recipients: v.pipe(
    v.array(address),
    v.minLength(1),
    v.maxLength(LIMITS.reportRecipients),
    v.transform(once),
  ),
  format: v.picklist(REPORT_FORMATS),
  language: v.picklist(REPORT_LANGUAGES),
  enabled: v.boolean(),
});
export type ReportFields = v.InferOutput<typeof ReportFields>;

/** Returns which fields contradict each other, or null if none do. */
export function findFieldsError(
  customers: 'any' | 'one' | 'some' | 'none',
  companies: readonly number[],
): 'one' | 'some' | 'many' | 'none' | null {
  if (customers === 'one') return companies.length === 1 ? null : 'one';
  if (customers === 'some')
    return companies.length === 0 ? 'some' : companies.length > MAX_CUSTOMERS ? 'many' : null;
  return customers === 'none' && companies.length > 0 ? 'none' : null;
}
