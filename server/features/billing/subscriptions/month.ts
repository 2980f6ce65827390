import type { Ms } from '#contract/ids.ts';
import { type DayN, dayText, getDay, startOfDay } from '#contract/time/day.ts';

const DAY_MS: Ms = 86_400_000;

/** A calendar month in the provider's time zone. `text`: such as `2026-11`. Both days are included. */
export interface Month {
  readonly text: string;
  readonly first: DayN;
  readonly last: DayN;
}

export function getMonth(year: number, month: number): Month {
  const first = Date.UTC(year, month - 1, 1) / DAY_MS;
  return { text: dayText(first).slice(0, 7), first, last: Date.UTC(year, month, 1) / DAY_MS - 1 };
}

export const parseMonth = (text: string): Month =>
  getMonth(Number(text.slice(0, 4)), Number(text.slice(5)));

export const getMonthAt = (at: Ms, timeZone: string): Month =>
  parseMonth(dayText(getDay(at, timeZone, 0)).slice(0, 7));

export const getMonthBefore = ({ first }: Month): Month =>
  parseMonth(dayText(first - 1).slice(0, 7));

export const getMonthEnd = ({ last }: Month, timeZone: string): Ms =>
  startOfDay(last + 1, timeZone, 0);
