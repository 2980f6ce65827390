import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { addDays, dayAt, isDay, momentAt } from '#src/features/shared/date-range/dates.ts';
import { SNOOZE_HOUR } from '../runs/snooze-times.ts';
import { listMessages as t } from './messages.en.ts';

/** `until`: null for permanently. */
export interface IgnoreChoice {
  readonly label: string;
  readonly until: Ms | null;
}

/**
 * Returns a week, a month and a quarter, each until 8 AM in the provider's zone; and permanently,
 * if allowed.
 */
export function ignoreChoices(now: Ms, zone: string, forGood: boolean): readonly IgnoreChoice[] {
  const today = dayAt(now, { zone, hour: 0 });
  const inDays = (label: string, days: number): IgnoreChoice => ({
    label,
    until: momentAt(addDays(today, days), SNOOZE_HOUR, zone),
  });
  return [
    inDays(t.forAWeek, 7),
    inDays(t.for30Days, 30),
    inDays(t.for90Days, 90),
    ...(forGood ? [{ label: t.permanently, until: null }] : []),
  ];
}

/** Returns the end for a custom day; null if the day is invalid. */
export const ignoreUntil = (day: string, zone: string): Ms | null =>
  isDay(day) ? momentAt(day, SNOOZE_HOUR, zone) : null;

/** Returns why the date is not allowed, or null. */
export const notUntil = (until: Ms | null, now: Ms): string | null =>
  until === null
    ? null
    : until <= now
      ? MESSAGES.ignoreTooShort
      : until > now + LIMITS.snoozeMaxMs
        ? MESSAGES.ignoreTooLong
        : null;
