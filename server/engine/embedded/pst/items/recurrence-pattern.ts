import { DateTime } from 'luxon';
import type { Recurrence } from '../../sources/outlook/entities.ts';

// How something repeats, in the binary form of Outlook ([MS-OXOCAL] 2.2.1.44.1).

const FREQUENCY = { daily: 0x200a, weekly: 0x200b, monthly: 0x200c, yearly: 0x200d } as const;
const PATTERN = { day: 0, week: 1, month: 2, monthNth: 3 } as const;
const ENDS = { onDate: 0x2021, afterCount: 0x2022, never: 0x2023 } as const;
/** The last date of the format, for what never ends. */
const NEVER_MINUTES = 0x5ae9_80df;
const NEVER_COUNT = 10;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const POSITIONS = ['first', 'second', 'third', 'fourth', 'last'];
/** More days than anybody repeats something for. */
const MAX_DAYS = 40_000;

/** What differs in single occurrences, as local times: minutes that have no zone. */
export interface ChangedDates {
  /** Midnight of the original dates of all occurrences that were canceled or moved. */
  readonly removed: readonly DateTime[];
  /** Midnight of the new dates of those that were moved. */
  readonly moved: readonly DateTime[];
}

interface Rule {
  readonly frequency: number;
  readonly pattern: number;
  /** Minutes, weeks or months. */
  readonly period: number;
  readonly specific: readonly number[];
}

/** `first`: the first occurrence in the zone of the series. */
export function makeRecurrencePattern(
  recurrence: Recurrence,
  first: DateTime,
  { removed, moved }: ChangedDates = { removed: [], moved: [] },
): Buffer {
  const { pattern, range } = recurrence;
  const rule = getRule(recurrence, first);
  const start = getDay(range.startDate) ?? first.setZone('UTC', { keepLocalTime: true });
  const from = start.startOf('day');
  const end = findEnd(recurrence, from, first);
  const dates = (list: readonly DateTime[]): readonly number[] => [
    list.length,
    ...list.map(countMinutes).toSorted((a, b) => a - b),
  ];
  return Buffer.concat([
    shorts([0x3004, 0x3004, rule.frequency, rule.pattern, 0]),
    longs([
      getFirstDate(rule, from, getWeekStart(pattern.firstDayOfWeek)),
      rule.period,
      0,
      ...rule.specific,
      end.kind,
      end.count,
      getWeekStart(pattern.firstDayOfWeek),
      ...dates(removed),
      ...dates(moved),
      countMinutes(from),
      end.minutes,
    ]),
  ]);
}

/** Minutes from 1601 to a local time. */
export function countMinutes(at: DateTime): number {
  const local = at.setZone('UTC', { keepLocalTime: true });
  return Math.round(local.diff(EPOCH, 'minutes').minutes);
}
const EPOCH = DateTime.utc(1601, 1, 1);

export const longs = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, n) => bytes.writeUInt32LE(number >>> 0, 4 * n));
  return bytes;
};
export const shorts = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * numbers.length);
  numbers.forEach((number, n) => bytes.writeUInt16LE(number & 0xffff, 2 * n));
  return bytes;
};

/** How often something repeats, as programs show it ([MS-OXOCAL] 2.2.1.45). */
export const getRecurrenceType = ({ pattern }: Recurrence): number =>
  pattern.type === 'daily'
    ? 1
    : pattern.type === 'weekly'
      ? 2
      : pattern.type.endsWith('Monthly')
        ? 3
        : 4;

function getRule({ pattern }: Recurrence, first: DateTime): Rule {
  const interval = Math.max(1, Math.round(pattern.interval));
  const day = pattern.dayOfMonth || first.day;
  const nth = [getMask(pattern.daysOfWeek ?? []), POSITIONS.indexOf(pattern.index ?? 'first') + 1];
  switch (pattern.type) {
    case 'weekly':
      return {
        frequency: FREQUENCY.weekly,
        pattern: PATTERN.week,
        period: interval,
        specific: [getMask(getWeekDays(pattern.daysOfWeek, first))],
      };
    case 'absoluteMonthly':
      return {
        frequency: FREQUENCY.monthly,
        pattern: PATTERN.month,
        period: interval,
        specific: [day],
      };
    case 'relativeMonthly':
      return {
        frequency: FREQUENCY.monthly,
        pattern: PATTERN.monthNth,
        period: interval,
        specific: nth,
      };
    case 'absoluteYearly':
      return {
        frequency: FREQUENCY.yearly,
        pattern: PATTERN.month,
        period: 12 * interval,
        specific: [day],
      };
    case 'relativeYearly':
      return {
        frequency: FREQUENCY.yearly,
        pattern: PATTERN.monthNth,
        period: 12 * interval,
        specific: nth,
      };
    default:
      return {
        frequency: FREQUENCY.daily,
        pattern: PATTERN.day,
        period: 1_440 * interval,
        specific: [],
      };
  }
}

const getWeekDays = (
  days: readonly string[] | null | undefined,
  first: DateTime,
): readonly string[] => (days?.length ? days : [DAYS[first.weekday % 7] ?? '']);
const getMask = (days: readonly string[]): number =>
  days.flatMap(toDays).reduce((mask, day) => mask | (1 << DAYS.indexOf(day)), 0);
/** Graph also has names for several days. */
const toDays = (name: string): readonly string[] => {
  const day = name.toLowerCase();
  if (day === 'weekday') return WEEKDAYS;
  if (day === 'weekendday') return ['saturday', 'sunday'];
  return day === 'day' ? DAYS : DAYS.filter((known) => known === day);
};
const getWeekStart = (day: string | null | undefined): number =>
  Math.max(0, DAYS.indexOf(day?.toLowerCase() ?? 'sunday'));

const getDay = (text: string | null | undefined): DateTime | null => {
  const at = DateTime.fromISO(text ?? '', { zone: 'UTC' });
  // Graph writes the first of all days where there is none.
  return at.isValid && at.year > 1 ? at : null;
};

/** [MS-OXOCAL] 2.2.1.44.1, FirstDateTime: where the periods begin, in the first of them. */
function getFirstDate({ frequency, period }: Rule, from: DateTime, weekStart: number): number {
  if (frequency === FREQUENCY.daily) return countMinutes(from) % period;
  if (frequency === FREQUENCY.weekly)
    return countMinutes(getWeek(from, weekStart)) % (period * 10_080);
  return countMinutes(EPOCH.plus({ months: countMonths(from) % period }));
}
const getWeek = (day: DateTime, weekStart: number): DateTime =>
  day.minus({ days: ((day.weekday % 7) - weekStart + 7) % 7 });
const countMonths = (day: DateTime): number => (day.year - 1601) * 12 + day.month - 1;

interface End {
  readonly kind: number;
  readonly count: number;
  readonly minutes: number;
}

/** The format has both the last date and the number of occurrences, whichever is given. */
function findEnd(recurrence: Recurrence, from: DateTime, first: DateTime): End {
  const { type, endDate, numberOfOccurrences } = recurrence.range;
  const until = type === 'endDate' ? getDay(endDate) : null;
  const count = type === 'numbered' ? (numberOfOccurrences ?? 0) : 0;
  if (until === null && count <= 0)
    return { kind: ENDS.never, count: NEVER_COUNT, minutes: NEVER_MINUTES };
  const dates = listDates(recurrence, from, first, { until, count });
  if (until !== null)
    return { kind: ENDS.onDate, count: dates.length, minutes: countMinutes(until.startOf('day')) };
  return { kind: ENDS.afterCount, count, minutes: countMinutes(dates.at(-1) ?? from) };
}

/** The dates of a series, day by day. */
function listDates(
  recurrence: Recurrence,
  from: DateTime,
  first: DateTime,
  { until, count }: { readonly until: DateTime | null; readonly count: number },
): DateTime[] {
  const dates: DateTime[] = [];
  for (let n = 0; n < MAX_DAYS; n += 1) {
    const day = from.plus({ days: n });
    if (until === null ? dates.length >= count : day > until) break;
    if (isOccurrence(recurrence, from, first, day)) dates.push(day);
  }
  return dates;
}

function isOccurrence(
  { pattern }: Recurrence,
  from: DateTime,
  first: DateTime,
  day: DateTime,
): boolean {
  const interval = Math.max(1, Math.round(pattern.interval));
  const months = countMonths(day) - countMonths(from);
  const monthDay = Math.min(pattern.dayOfMonth || first.day, day.daysInMonth ?? 31);
  const isDay = (days: readonly string[] | null | undefined): boolean =>
    (getMask(days ?? []) & (1 << (day.weekday % 7))) !== 0;
  const isInYear = (): boolean =>
    (day.year - from.year) % interval === 0 && day.month === (pattern.month || first.month);
  switch (pattern.type) {
    case 'weekly': {
      const weekStart = getWeekStart(pattern.firstDayOfWeek);
      const weeks = getWeek(day, weekStart).diff(getWeek(from, weekStart), 'weeks').weeks;
      return Math.round(weeks) % interval === 0 && isDay(getWeekDays(pattern.daysOfWeek, first));
    }
    case 'absoluteMonthly':
      return months % interval === 0 && day.day === monthDay;
    case 'relativeMonthly':
      return (
        months % interval === 0 && isNth(day, pattern.index, getMask(pattern.daysOfWeek ?? []))
      );
    case 'absoluteYearly':
      return isInYear() && day.day === monthDay;
    case 'relativeYearly':
      return isInYear() && isNth(day, pattern.index, getMask(pattern.daysOfWeek ?? []));
    default:
      return Math.round(day.diff(from, 'days').days) % interval === 0;
  }
}

/** Whether a day is the first, second … or last of its month that matches. */
function isNth(day: DateTime, index: string | null | undefined, mask: number): boolean {
  const matches = (number: number): boolean =>
    (mask & (1 << ((((day.weekday + number - day.day) % 7) + 7) % 7))) !== 0;
  if (!matches(day.day)) return false;
  const all = Array.from({ length: day.daysInMonth ?? 31 }, (_, n) => n + 1).filter(matches);
  const n = POSITIONS.indexOf(index ?? 'first');
  return (index === 'last' ? all.at(-1) : all[n]) === day.day;
}
