import type { SentState } from '#contract/reports/calls.ts';
import type {
  ReportFormat,
  ReportLanguage,
  ReportPeriod,
  ReportSchedule,
} from '#contract/reports/setting.ts';
import type { IconName } from '#src/ui/icon.tsx';

export const PERIOD_WORDS: Readonly<Record<ReportPeriod, string>> = {
  'yesterday': 'Yesterday',
  'last-2': 'Last 2 days',
  'last-7': 'Last 7 days',
  'last-14': 'Last 14 days',
  'last-30': 'Last 30 days',
  'this-month': 'This month',
  'last-month': 'Last month',
};
export const FORMAT_WORDS: Readonly<Record<ReportFormat, string>> = {
  pdf: 'PDF',
  html: 'HTML',
  csv: 'CSV',
};
export const LANGUAGE_WORDS: Readonly<Record<ReportLanguage, string>> = {
  'en-US': 'English (US)',
  'en-GB': 'English (UK)',
  'de': 'German',
  'fr': 'French',
  'es': 'Spanish',
  'it': 'Italian',
  'nl': 'Dutch',
  'pt': 'Portuguese',
  'pl': 'Polish',
  'sv': 'Swedish',
  'da': 'Danish',
  'cs': 'Czech',
};
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** `1st`, `2nd`, `the last day`. */
export function dayWords(day: number): string {
  if (day === 31) return 'last day';
  const end =
    day % 10 === 1 && day !== 11
      ? 'st'
      : day % 10 === 2 && day !== 12
        ? 'nd'
        : day % 10 === 3 && day !== 13
          ? 'rd'
          : 'th';
  return `${day}${end}`;
}

/** `Every Monday at 08:00, Europe/Berlin`. */
export function scheduleWords(schedule: ReportSchedule): string {
  const end = `at ${schedule.at}, ${schedule.timeZone.replaceAll('_', ' ')}`;
  switch (schedule.every) {
    case 'day':
      return `Every day ${end}`;
    case 'week':
      return `Every ${WEEKDAYS[schedule.weekday - 1] ?? ''} ${end}`;
    case 'month':
      return `On the ${dayWords(schedule.day)} of each month ${end}`;
  }
}

/** State is a sign, a word and a colour. */
export const SENT_WORDS: Readonly<
  Record<SentState, { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  waiting: { word: 'Waiting', icon: 'clock', text: 'text-ink-2' },
  making: { word: 'Being made', icon: 'running', text: 'text-running' },
  sending: { word: 'Being sent', icon: 'running', text: 'text-running' },
  sent: { word: 'Sent', icon: 'success', text: 'text-success' },
  kept: { word: 'No mail server', icon: 'warning', text: 'text-warning' },
  partly: { word: 'Sent in part', icon: 'warning', text: 'text-warning' },
  failed: { word: 'Not sent', icon: 'failed', text: 'text-failed' },
};
export const isOpen = (state: SentState): boolean =>
  state === 'waiting' || state === 'making' || state === 'sending';
