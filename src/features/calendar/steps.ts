import { formatTime } from '#src/ui/format.ts';
import { formatTag } from '#contract/i18n/messages.ts';
import type { Day } from '#contract/ids.ts';
import { addDays, getDays } from '#src/features/shared/date-range/dates.ts';
import type { Span, SpanUnit } from '#src/features/shared/date-range/dates.ts';
import { calendarMessages as t } from './messages.en.ts';

/**
 * Returns the unit if the span is exactly a month, quarter or year. Null for other spans and for
 * "last 30 days", which moves with today.
 */
export function getSpanUnit(span: Span, today: Day): SpanUnit | null {
  if (span.kind === 'last') return null;
  const days = getDays(span, today);
  return (
    (['month', 'quarter', 'year'] as const).find((unit) =>
      same(days, getDays({ kind: 'this', unit }, days[0])),
    ) ?? null
  );
}

/**
 * Returns the previous or next span: as many days, or the adjacent unit. Null if it is entirely in
 * the future.
 */
export function stepSpan(span: Span, today: Day, by: 1 | -1): Span | null {
  const [first, last] = getDays(span, today);
  if (by === 1 && last >= today) return null;
  const unit = getSpanUnit(span, today);
  if (unit) return unitAt(by === 1 ? addDays(last, 1) : addDays(first, -1), unit, today);
  const days = getCount(first, last);
  const from = addDays(first, by * days);
  const to = addDays(last, by * days);
  return to >= today ? { kind: 'last', days } : { kind: 'range', from, to };
}

/** Returns the month, quarter or year that contains a day. */
export function unitAt(day: Day, unit: SpanUnit, today: Day): Span {
  const days = getDays({ kind: 'this', unit }, day);
  for (const kind of ['this', 'before'] as const)
    if (same(days, getDays({ kind, unit }, today))) return { kind, unit };
  return { kind: 'range', from: days[0], to: days[1] };
}

/**
 * Returns the displayed month or quarter: that of the last day, or of today if the span includes
 * future days.
 */
export function unitShown(span: Span, unit: SpanUnit, today: Day): Span {
  const [, last] = getDays(span, today);
  return unitAt(last < today ? last : today, unit, today);
}

/** `November 2026`, `Q4 2026`, `2026`; `10/22/26 to 11/20/26`. */
export function periodName(span: Span, today: Day): string {
  const [first, last] = getDays(span, today);
  const year = first.slice(0, 4);
  switch (getSpanUnit(span, today)) {
    case 'month':
      return monthName(first);
    case 'quarter':
      return t.quarterName({
        quarter: Math.floor((Number(first.slice(5, 7)) - 1) / 3) + 1,
        year,
      });
    case 'year':
      return year;
    case null:
      return first === last
        ? shortDay(first)
        : t.dayRange({ first: shortDay(first), last: shortDay(last) });
  }
}

/** `November 2026` */
export const monthName = (day: Day): string =>
  dateName(day, 'month', { month: 'long', year: 'numeric' });
/** `Nov` */
export const shortMonthName = (day: Day): string =>
  dateName(day, 'short month', { month: 'short' });
/** `Friday`, `Fri`, `F` */
export const weekdayName = (day: Day, weekday: 'long' | 'short' | 'narrow'): string =>
  dateName(day, weekday, { weekday });

const formats = new Map<string, Intl.DateTimeFormat>();
function dateName(day: Day, name: string, options: Intl.DateTimeFormatOptions): string {
  const tag = formatTag();
  const key = `${tag} ${name}`;
  let format = formats.get(key);
  if (!format)
    formats.set(key, (format = new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' })));
  return format.format(Date.parse(day));
}

/** `11/20/26` */
export const shortDay = (day: Day): string =>
  `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(2, 4)}`;

/** `06:00 AM` */
export const hourName = (hour: number): string => formatTime(hour * 3_600_000, 'UTC');

const same = (a: readonly [Day, Day], b: readonly [Day, Day]): boolean =>
  a[0] === b[0] && a[1] === b[1];
const getCount = (first: Day, last: Day): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
