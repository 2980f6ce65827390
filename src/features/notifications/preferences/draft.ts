import { formatList } from '#contract/i18n/list.ts';
import type { NotifyCategory, NotifySettings } from '#contract/notifications/notifications.ts';
import type { ErrorLabels } from '#src/ui/form-errors.ts';
import { notificationMessages as t } from './messages.en.ts';

/** Descriptions of the notification categories. */
export const CATEGORY_WORDS: Readonly<
  Record<NotifyCategory, readonly [title: string, detail: string]>
> = {
  failed: [t.jobFailed, t.jobFailedDetail],
  missed: [t.jobMissed, t.jobMissedDetail],
  sla: [t.slaBroken, t.slaBrokenDetail],
  repository: [t.repositoryFull, t.repositoryFullDetail],
  source: [t.sourceSilent, t.sourceSilentDetail],
  ticket: [t.ticketClosed, t.ticketClosedDetail],
};

export const DAYS = [
  t.monday,
  t.tuesday,
  t.wednesday,
  t.thursday,
  t.friday,
  t.saturday,
  t.sunday,
] as const;

const SHORT_DAYS = [t.dayMon, t.dayTue, t.dayWed, t.dayThu, t.dayFri, t.daySat, t.daySun] as const;

export const PREFERENCE_ERRORS: ErrorLabels = {
  'settings.digest.weekdays': t.dayMissing,
  'settings.digest.at': t.timeMissing,
  'settings.quiet.from': t.timeMissing,
  'settings.quiet.to': t.timeMissing,
  'settings.quiet': t.quietHoursEqual,
  'settings.timeZone': t.timeZoneInvalid,
};

/** Adds a day, or removes it. */
export const withDay = (weekdays: readonly number[], day: number): number[] =>
  weekdays.includes(day)
    ? weekdays.filter((one) => one !== day)
    : [...weekdays, day].toSorted((a, b) => a - b);

/** Changes the channels of one category. */
export const addDefaults = (
  settings: NotifySettings,
  category: NotifyCategory,
  by: 'mail' | 'push',
  on: boolean,
): NotifySettings => ({
  ...settings,
  categories: {
    ...settings.categories,
    [category]: { ...settings.categories[category], [by]: on },
  },
});

/** Summarizes when emails are sent, in one line. */
export function digestWords({ digest: { on, at, weekdays }, timeZone }: NotifySettings): string {
  if (!on) return t.digestOff;
  const days =
    weekdays.length === 7
      ? t.everyDay
      : weekdays.join() === '1,2,3,4,5'
        ? t.mondayToFriday
        : weekdays.length === 1
          ? t.weeklyOn({ day: DAYS[(weekdays[0] ?? 1) - 1] ?? '' })
          : formatList(
              weekdays.map((day) => SHORT_DAYS[day - 1] ?? ''),
              'plain',
            );
  return t.digestDaysAt({ days, time: at, zone: timeZone.replaceAll('_', ' ') });
}
