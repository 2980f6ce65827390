import type { Day, Ms } from '#contract/ids.ts';
import { getDay, dayText, startOfDay as dayStart, zoneOrUtc } from '#contract/time/day.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { spanMessages as t } from './messages.en.ts';

/**
 * Period of a list. Days are calendar days in the provider's time zone, `YYYY-MM-DD`; both ends are
 * inclusive.
 */
export type Span =
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' }
  | { readonly kind: 'last'; readonly days: number }
  | { readonly kind: 'this' | 'before'; readonly unit: SpanUnit }
  | { readonly kind: 'range'; readonly from: Day; readonly to: Day };

export const SPAN_UNITS = ['month', 'quarter', 'year'] as const;
export type SpanUnit = (typeof SPAN_UNITS)[number];

/** Presets of the menu, in order. */
export const SHORTCUTS: readonly Span[] = [
  { kind: 'today' },
  { kind: 'yesterday' },
  ...[2, 3, 4, 5, 7, 14, 30, 90].map((days): Span => ({ kind: 'last', days })),
  ...SPAN_UNITS.flatMap((unit): Span[] => [
    { kind: 'this', unit },
    { kind: 'before', unit },
  ]),
];

/**
 * Start of a day: an IANA zone and the local hour (0 to 23) at which the operational day starts.
 */
export interface DayRule {
  readonly zone: string;
  readonly hour: number;
}

export function spanKey(span: Span): string {
  switch (span.kind) {
    case 'today':
    case 'yesterday':
      return span.kind;
    case 'last':
      return `last-${span.days}`;
    case 'this':
    case 'before':
      return `${span.kind === 'this' ? 'this' : 'last'}-${span.unit}`;
    case 'range':
      return `${span.from}..${span.to}`;
  }
}

/** Returns null if the key is invalid. */
export function spanOfKey(key: string): Span | null {
  if (key === 'today' || key === 'yesterday') return { kind: key };
  const last = /^last-([1-9]\d{0,2})$/.exec(key)?.[1];
  if (last !== undefined) return { kind: 'last', days: Number(last) };
  const named = /^(this|last)-(month|quarter|year)$/.exec(key);
  const unit = SPAN_UNITS.find((one) => one === named?.[2]);
  if (named && unit) return { kind: named[1] === 'this' ? 'this' : 'before', unit };
  const [from, to, more] = key.split('..');
  if (
    from === undefined ||
    to === undefined ||
    more !== undefined ||
    !isDay(from) ||
    !isDay(to) ||
    from > to
  )
    return null;
  return { kind: 'range', from, to };
}

export function spanLabel(span: Span): string {
  switch (span.kind) {
    case 'today':
      return t.today;
    case 'yesterday':
      return t.yesterday;
    case 'last':
      return span.days === 1 ? t.lastDay : t.lastDays({ count: span.days });
    case 'this':
      return { month: t.thisMonth, quarter: t.thisQuarter, year: t.thisYear }[span.unit];
    case 'before':
      return { month: t.lastMonth, quarter: t.lastQuarter, year: t.lastYear }[span.unit];
    case 'range':
      return span.from === span.to
        ? shortDay(span.from)
        : t.range({ from: shortDay(span.from), to: shortDay(span.to) });
  }
}

/** Returns the first and last day of a span. */
export function getDays(span: Span, today: Day): readonly [first: Day, last: Day] {
  switch (span.kind) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)];
    case 'last':
      return [addDays(today, 1 - span.days), today];
    case 'this':
      return [unitStart(today, span.unit, 0), addDays(unitStart(today, span.unit, 1), -1)];
    case 'before':
      return [unitStart(today, span.unit, -1), addDays(unitStart(today, span.unit, 0), -1)];
    case 'range':
      return [span.from, span.to];
  }
}

/** Returns the first day of the month, quarter or year of `today`, moved by `by` units. */
function unitStart(today: Day, unit: SpanUnit, by: number): Day {
  const year = Number(today.slice(0, 4));
  const month = Number(today.slice(5, 7)) - 1;
  const months = { month: 1, quarter: 3, year: 12 }[unit];
  return dayOfWall(Date.UTC(year, (Math.floor(month / months) + by) * months, 1));
}

/**
 * Returns `from` (inclusive) and `to` (exclusive): from the start of the first day to the end of
 * the last.
 */
export function getTimes(
  span: Span,
  today: Day,
  rule: DayRule,
): { readonly from: Ms; readonly to: Ms } {
  const [first, last] = getDays(span, today);
  return { from: firstMomentOfDay(first, rule), to: firstMomentOfDay(addDays(last, 1), rule) };
}

/** Returns the operational day that a moment belongs to. An unknown zone counts as UTC. */
export const dayAt = (at: Ms, { zone, hour }: DayRule): Day =>
  dayText(getDay(at, zoneOrUtc(zone), hour));

/**
 * Returns the first moment of a day. If the clock skips that time, returns the moment of the skip;
 * if the time occurs twice, the first occurrence.
 */
export const firstMomentOfDay = (day: Day, { zone, hour }: DayRule): Ms =>
  dayStart(Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS), zoneOrUtc(zone), hour);

/** Returns the moment at which the zone's local time is this hour of this day. */
export const momentAt = (day: Day, hour: number, zone: string): Ms =>
  firstMomentOfDay(day, { zone, hour });

export const addDays = (day: Day, days: number): Day =>
  dayOfWall(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

/** 0 Sunday … 6 Saturday. */
export const weekday = (day: Day): number => new Date(`${day}T00:00:00Z`).getUTCDay();

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  dayOfWall(Date.parse(`${text}T00:00:00Z`)) === text;

const shortDay = (day: Day): string => `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(2, 4)}`;
const dayOfWall = (wall: Ms): Day => new Date(wall).toISOString().slice(0, 10);
