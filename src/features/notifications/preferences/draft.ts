import { NOTIFY_CATEGORIES } from '#contract/notifications/notifications.ts';
import type { NotifyCategory, NotifySettings } from '#contract/notifications/notifications.ts';
import type { ErrorLabels } from '#src/ui/form-errors.ts';

/** What each kind is, as somebody is told of it. */
export const CATEGORY_WORDS: Readonly<
  Record<NotifyCategory, readonly [title: string, detail: string]>
> = {
  failed: [
    'A job failed',
    'A new failure: not each run of one that is known, and none that a rule counts as OK.',
  ],
  missed: ['A job did not run', 'It is past its time and its grace.'],
  sla: ['An SLA alarm is broken', 'Of those whose jobs you see.'],
  repository: ['A repository fills up', 'Full within two weeks, or 95 % used.'],
  source: [
    'A source stopped reporting',
    'Nothing for a day and all of its jobs overdue, nothing for a week, or a system that cannot be read.',
  ],
  ticket: ['A ticket was closed elsewhere', 'By the ticketing system, not here.'],
};

export const DAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

export const FAULT_WORDS: ErrorLabels = {
  'settings.digest.weekdays': 'Choose a day at least.',
  'settings.digest.at': 'Give a time.',
  'settings.quiet.from': 'Give a time.',
  'settings.quiet.to': 'Give a time.',
  'settings.quiet': 'They need another end than their beginning.',
  'settings.timeZone': 'Choose a zone of the list.',
};

/** With a day put in or taken out. */
export const withDay = (weekdays: readonly number[], day: number): number[] =>
  weekdays.includes(day)
    ? weekdays.filter((one) => one !== day)
    : [...weekdays, day].toSorted((a, b) => a - b);

/** Another choice for one kind. */
export const withTold = (
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

/** When mail comes, in a line. */
export function digestWords({ digest: { on, at, weekdays }, timeZone }: NotifySettings): string {
  if (!on) return 'No mail is sent.';
  const days =
    weekdays.length === 7
      ? 'Every day'
      : weekdays.join() === '1,2,3,4,5'
        ? 'Monday to Friday'
        : weekdays.length === 1
          ? `Once a week, ${DAYS[(weekdays[0] ?? 1) - 1] ?? ''}`
          : weekdays.map((day) => (DAYS[day - 1] ?? '').slice(0, 3)).join(', ');
  return `${days} at ${at}, ${timeZone.replaceAll('_', ' ')}.`;
}

export const isSame = (a: NotifySettings, b: NotifySettings): boolean =>
  JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
const ordered = ({ categories, timeZone, quiet, digest }: NotifySettings): readonly unknown[] => [
  NOTIFY_CATEGORIES.map((one) => [categories[one].mail, categories[one].push]),
  timeZone,
  quiet.on,
  quiet.from,
  quiet.to,
  digest.on,
  digest.at,
  digest.whenWell,
  digest.weekdays,
];
