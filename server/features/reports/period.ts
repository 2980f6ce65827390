import type { Ms } from '#contract/ids.ts';
import { getDay, dayText, startOfDay } from '#contract/time/day.ts';
import type { DayN } from '#contract/time/day.ts';
import type { ReportPeriod } from '#contract/reports/setting.ts';
import type { DayBounds } from '#server/platform/queries/query.ts';

/**
 * Returns the period of a report due at a time: whole operational days of the provider, the last of
 * which ends at that time.
 */
export function timeOfPeriod(
  period: ReportPeriod,
  at: Ms,
  { timeZone, dayBeginsHour }: DayBounds,
): { readonly from: Ms; readonly to: Ms } {
  const today = getDay(at, timeZone, dayBeginsHour);
  const start = (day: DayN): Ms => startOfDay(day, timeZone, dayBeginsHour);
  const month = getMonth(today);
  const lastDays = LAST[period];
  if (lastDays !== undefined) return { from: start(today - lastDays + 1), to: at + 1 };
  if (period === 'yesterday') return { from: start(today - 1), to: start(today) };
  return period === 'this-month'
    ? { from: start(month), to: at + 1 }
    : { from: start(getMonth(month - 1)), to: start(month) };
}

const LAST: Partial<Record<ReportPeriod, number>> = {
  'last-2': 2,
  'last-7': 7,
  'last-14': 14,
  'last-30': 30,
};

/** Returns the first day of the month of a day. */
const getMonth = (day: DayN): DayN => day - Number(dayText(day).slice(8)) + 1;
