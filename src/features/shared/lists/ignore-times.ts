import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { addDays, dayAt, isDay, momentAt } from '#src/features/shared/date-range/dates.ts';
import { SNOOZE_HOUR } from '../runs/snooze-times.ts';
import { otherListsMessages as t } from './messages.en.ts';

/** `until` null: for good. */
export interface IgnoreChoice {
  readonly word: string;
  readonly until: Ms | null;
}

/** A week, a month, a quarter, at eight of the provider's clock; and for good where that may be. */
export function ignoreChoices(now: Ms, zone: string, forGood: boolean): readonly IgnoreChoice[] {
  const today = dayAt(now, { zone, hour: 0 });
  const inDays = (word: string, days: number): IgnoreChoice => ({
    word,
    until: momentAt(addDays(today, days), SNOOZE_HOUR, zone),
  });
  return [
    inDays(t.forAWeek, 7),
    inDays(t.for30Days, 30),
    inDays(t.for90Days, 90),
    ...(forGood ? [{ word: t.permanently, until: null }] : []),
  ];
}

/** A day of one's own; null where it is none. */
export const ignoreUntil = (day: string, zone: string): Ms | null =>
  isDay(day) ? momentAt(day, SNOOZE_HOUR, zone) : null;

/** Why it cannot be ignored until then; null where it can. */
export const notUntil = (until: Ms | null, now: Ms): string | null =>
  until === null
    ? null
    : until <= now
      ? MESSAGES.ignoreTooShort
      : until > now + LIMITS.snoozeMaxMs
        ? MESSAGES.ignoreTooLong
        : null;
