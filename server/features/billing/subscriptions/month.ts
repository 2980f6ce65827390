import { DAY_MS } from '#contract/time/durations.ts';
import type { Ms } from '#contract/ids.ts';
import { type DayN, dayText, getDay, startOfDay } from '#contract/time/day.ts';

/** A calendar month in the provider's time zone. `text`: such as `2026-11`. Both days are included. */
export interface CalendarMonth {
  readonly text: string;
  readonly first: DayN;
  readonly last: DayN;
}

export function getCalendarMonth(year: number, month: number): CalendarMonth {
  const first = Date.UTC(year, month - 1, 1) / DAY_MS;
  return { text: dayText(first).slice(0, 7), first, last: Date.UTC(year, month, 1) / DAY_MS - 1 };
}

export const parseMonth = (text: string): CalendarMonth =>
  getCalendarMonth(Number(text.slice(0, 4)), Number(text.slice(5)));

export const getMonthAt = (at: Ms, timeZone: string): CalendarMonth =>
  parseMonth(dayText(getDay(at, timeZone, 0)).slice(0, 7));

export const getMonthBefore = ({ first }: CalendarMonth): CalendarMonth =>
  parseMonth(dayText(first - 1).slice(0, 7));

export const getMonthEnd = ({ last }: CalendarMonth, timeZone: string): Ms =>
  startOfDay(last + 1, timeZone, 0);
