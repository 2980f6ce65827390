import type { DateTime } from 'luxon';
import type { Recurrence } from '../sources/outlook/entities.ts';

const DAYS: Readonly<Record<string, string>> = {
  monday: 'MO',
  tuesday: 'TU',
  wednesday: 'WE',
  thursday: 'TH',
  friday: 'FR',
  saturday: 'SA',
  sunday: 'SU',
};
const POSITIONS: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  last: -1,
};

/** Returns how something repeats, as the value of RRULE (RFC 5545, 3.3.10). */
export function writeRule(
  { pattern, range }: Recurrence,
  { first, isAllDay }: { readonly first: DateTime; readonly isAllDay: boolean },
): string {
  const days = (pattern.daysOfWeek ?? []).flatMap((day) => DAYS[day.toLowerCase()] ?? []);
  const week = DAYS[pattern.firstDayOfWeek?.toLowerCase() ?? ''] ?? 'SU';
  const position = POSITIONS[pattern.index ?? ''] ?? 1;
  const parts: Readonly<Record<string, readonly string[]>> = {
    daily: ['FREQ=DAILY'],
    weekly: ['FREQ=WEEKLY', `BYDAY=${days.join(',')}`, `WKST=${week}`],
    absoluteMonthly: ['FREQ=MONTHLY', `BYMONTHDAY=${pattern.dayOfMonth ?? first.day}`],
    relativeMonthly: ['FREQ=MONTHLY', `BYDAY=${days.join(',')}`, `BYSETPOS=${position}`],
    absoluteYearly: [
      'FREQ=YEARLY',
      `BYMONTH=${pattern.month ?? first.month}`,
      `BYMONTHDAY=${pattern.dayOfMonth ?? first.day}`,
    ],
    relativeYearly: [
      'FREQ=YEARLY',
      `BYMONTH=${pattern.month ?? first.month}`,
      `BYDAY=${days.join(',')}`,
      `BYSETPOS=${position}`,
    ],
  };
  const rule = [...(parts[pattern.type] ?? ['FREQ=DAILY'])];
  if (pattern.interval > 1) rule.push(`INTERVAL=${pattern.interval}`);
  if (range.type === 'numbered' && range.numberOfOccurrences)
    rule.push(`COUNT=${range.numberOfOccurrences}`);
  if (range.type === 'endDate' && range.endDate)
    rule.push(`UNTIL=${until(range.endDate, first, isAllDay)}`);
  return rule.join(';');
}

/** The last day in the zone of the series: the instant of an occurrence on it. */
function until(endDate: string, first: DateTime, isAllDay: boolean): string {
  if (isAllDay) return endDate.replaceAll('-', '');
  const [year = 1, month = 1, day = 1] = endDate.split('-').map(Number);
  return first.set({ year, month, day }).toUTC().toFormat("yyyyLLdd'T'HHmmss'Z'");
}
