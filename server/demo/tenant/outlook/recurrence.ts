import { DateTime } from 'luxon';
import * as v from 'valibot';
import { readZone } from './zones.ts';

const DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
const date = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/));

/** How an event repeats, as Graph takes it. */
export const Recurrence = v.object({
  pattern: v.object({
    type: v.picklist([
      'daily',
      'weekly',
      'absoluteMonthly',
      'relativeMonthly',
      'absoluteYearly',
      'relativeYearly',
    ]),
    interval: v.pipe(v.number(), v.integer(), v.minValue(1)),
    month: v.optional(v.number(), 0),
    dayOfMonth: v.optional(v.number(), 0),
    daysOfWeek: v.optional(v.array(v.picklist(DAYS)), []),
    firstDayOfWeek: v.optional(v.picklist(DAYS), 'sunday'),
    index: v.optional(v.picklist(['first', 'second', 'third', 'fourth', 'last']), 'first'),
  }),
  range: v.object({
    type: v.picklist(['endDate', 'noEnd', 'numbered']),
    startDate: date,
    endDate: v.optional(date, '0001-01-01'),
    recurrenceTimeZone: v.optional(v.string(), ''),
    numberOfOccurrences: v.optional(v.number(), 0),
  }),
});
export type Recurrence = v.InferOutput<typeof Recurrence>;

const MAX_DAYS = 3_660;

/** Returns the dates of a series up to a date, day by day: slow and obvious. */
export function listDates({ pattern, range }: Recurrence, until: string): string[] {
  const dates: string[] = [];
  const start = DateTime.fromISO(range.startDate, { zone: 'UTC' });
  for (let n = 0; n < MAX_DAYS; n += 1) {
    const day = start.plus({ days: n });
    const text = day.toISODate() ?? '';
    if (text > until || (range.type === 'endDate' && text > range.endDate)) break;
    if (range.type === 'numbered' && dates.length === range.numberOfOccurrences) break;
    if (isInPattern(pattern, start, day)) dates.push(text);
  }
  return dates;
}

function isInPattern(pattern: Recurrence['pattern'], start: DateTime, day: DateTime): boolean {
  const { type, interval, daysOfWeek, dayOfMonth, month } = pattern;
  const months = (day.year - start.year) * 12 + day.month - start.month;
  const name = DAYS[day.weekday - 1] ?? 'monday';
  const hasDay = daysOfWeek.includes(name);
  switch (type) {
    case 'daily':
      return Math.round(day.diff(start, 'days').days) % interval === 0;
    case 'weekly': {
      const weeks = getWeek(day, pattern.firstDayOfWeek) - getWeek(start, pattern.firstDayOfWeek);
      return hasDay && weeks % interval === 0;
    }
    case 'absoluteMonthly':
      return day.day === dayOfMonth && months % interval === 0;
    case 'relativeMonthly':
      return hasDay && isAtIndex(pattern, day) && months % interval === 0;
    case 'absoluteYearly':
      return day.day === dayOfMonth && day.month === month && (months / 12) % interval === 0;
    case 'relativeYearly':
      return (
        hasDay &&
        isAtIndex(pattern, day) &&
        day.month === month &&
        (day.year - start.year) % interval === 0
      );
  }
}

function getWeek(day: DateTime, first: (typeof DAYS)[number]): number {
  const days = Math.floor(day.toMillis() / 86_400_000);
  // 1970-01-05 was a Monday.
  return Math.floor((days - 4 - DAYS.indexOf(first)) / 7);
}

/** Whether a day is the first, second … last one of the pattern's days in its month. */
function isAtIndex({ index, daysOfWeek }: Recurrence['pattern'], day: DateTime): boolean {
  const days: number[] = [];
  for (let n = 1; n <= (day.daysInMonth ?? 0); n += 1)
    if (daysOfWeek.includes(DAYS[day.set({ day: n }).weekday - 1] ?? 'monday')) days.push(n);
  const at = index === 'last' ? days.length - 1 : ORDER.indexOf(index);
  return days[at] === day.day;
}
const ORDER: readonly string[] = ['first', 'second', 'third', 'fourth'];

/** Returns when the occurrence of a date begins. */
export const startOn = (first: DateTime, zone: string, day: string): DateTime => {
  const local = first.setZone(readZone(zone));
  const { year, month, day: n } = DateTime.fromISO(day);
  return local.set({ year, month, day: n });
};
