import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import type { DayBounds } from '#server/platform/queries/query.ts';

/** The number of months that can be requested. */
const MONTHS = 12;

/**
 * A month in the provider's time zone, from the start of its first operational day to the start of
 * the next month's.
 */
export interface MonthSpan {
  readonly month: string;
  readonly from: Ms;
  readonly to: Ms;
}

const firstDay = (month: string, { timeZone, dayBeginsHour }: DayBounds): DateTime =>
  DateTime.fromISO(`${month}-01`, { zone: timeZone }).set({ hour: dayBeginsHour });

export const getMonthSpan = (month: string, wall: DayBounds): MonthSpan => {
  const first = firstDay(month, wall);
  const next = firstDay(first.plus({ months: 1 }).toFormat('yyyy-MM'), wall);
  return { month, from: first.toMillis(), to: next.toMillis() };
};

/** Returns the months that can be requested, the current one first. */
export function monthsAt(now: Ms, { timeZone, dayBeginsHour }: DayBounds): readonly string[] {
  const today = DateTime.fromMillis(now, { zone: timeZone })
    .minus({ hours: dayBeginsHour })
    .startOf('month');
  return Array.from({ length: MONTHS }, (_, i) => today.minus({ months: i }).toFormat('yyyy-MM'));
}
