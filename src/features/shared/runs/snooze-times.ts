import type { Day, Ms } from '#contract/ids.ts';
import { addDays, dayAt, momentAt, weekday } from '#src/features/shared/date-range/dates.ts';
import { runMessages as t } from './messages.en.ts';

export interface SnoozeChoice {
  readonly word: string;
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
  const choice = (word: string, days: number): SnoozeChoice =>
    snoozeUntil(word, addDays(today, days), zone);
  return [
    choice(t.tomorrow, 1),
    ...(toMonday === 1 || toMonday === 7 ? [] : [choice(t.monday, toMonday)]),
    choice(toMonday === 7 ? t.mondayInOneWeek : t.inOneWeek, 7),
  ];
}

export const snoozeUntil = (word: string, day: Day, zone: string): SnoozeChoice => ({
  word,
  day,
  until: momentAt(day, SNOOZE_HOUR, zone),
});
