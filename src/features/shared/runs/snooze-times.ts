import type { Day, Ms } from '#contract/ids.ts';
import { addDays, dayAt, momentAt, weekday } from '#src/features/shared/date-range/dates.ts';
import { runMessages as t } from './messages.en.ts';

export interface SnoozeChoice {
  readonly label: string;
  readonly until: Ms;
  readonly day: Day;
}

/** Local hour in the provider's zone at which a snooze ends. */
export const SNOOZE_HOUR = 8;
const MONDAY = 1;

/** Returns tomorrow, next Monday (unless tomorrow is Monday) and in a week, each at 8 AM. */
export function snoozeChoices(now: Ms, zone: string): readonly SnoozeChoice[] {
  const today = dayAt(now, { zone, hour: 0 });
  const toMonday = (MONDAY - weekday(today) + 7) % 7 || 7;
  const choice = (label: string, days: number): SnoozeChoice =>
    snoozeUntil(label, addDays(today, days), zone);
  return [
    choice(t.tomorrow, 1),
    ...(toMonday === 1 || toMonday === 7 ? [] : [choice(t.monday, toMonday)]),
    choice(toMonday === 7 ? t.mondayInOneWeek : t.inOneWeek, 7),
  ];
}

export const snoozeUntil = (label: string, day: Day, zone: string): SnoozeChoice => ({
  label,
  day,
  until: momentAt(day, SNOOZE_HOUR, zone),
});
