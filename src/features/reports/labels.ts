import type { SentState } from '#contract/reports/calls.ts';
import type {
  ReportFormat,
  ReportLanguage,
  ReportPeriod,
  ReportSchedule,
} from '#contract/reports/setting.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { reportMessages as t } from './messages.en.ts';

export const PERIOD_WORDS: Readonly<Record<ReportPeriod, string>> = {
  'yesterday': t.yesterday,
  'last-2': t.last2Days,
  'last-7': t.last7Days,
  'last-14': t.last14Days,
  'last-30': t.last30Days,
  'this-month': t.thisMonth,
  'last-month': t.lastMonth,
};
export const FORMAT_WORDS: Readonly<Record<ReportFormat, string>> = {
  pdf: 'PDF',
  html: 'HTML',
  csv: 'CSV',
};
export const LANGUAGE_WORDS: Readonly<Record<ReportLanguage, string>> = {
  'en-US': t.englishUs,
  'en-GB': t.englishUk,
  'de': t.german,
  'fr': t.french,
  'es': t.spanish,
  'it': t.italian,
  'nl': t.dutch,
  'pt': t.portuguese,
  'pl': t.polish,
  'sv': t.swedish,
  'da': t.danish,
  'cs': t.czech,
};
export const WEEKDAY_NAMES = [
  t.monday,
  t.tuesday,
  t.wednesday,
  t.thursday,
  t.friday,
  t.saturday,
  t.sunday,
] as const;

/** `Every Monday at 08:00, Europe/Berlin`. Day 31 is the last day of each month. */
export function scheduleWords(schedule: ReportSchedule): string {
  const at = { time: schedule.at, zone: schedule.timeZone.replaceAll('_', ' ') };
  switch (schedule.every) {
    case 'day':
      return t.everyDayAt(at);
    case 'week':
      return t.everyWeekdayAt({ ...at, weekday: WEEKDAY_NAMES[schedule.weekday - 1] ?? '' });
    case 'month':
      return schedule.day === 31
        ? t.everyLastDayAt(at)
        : t.everyMonthDayAt({ ...at, day: schedule.day });
  }
}

/** A state is always icon, word and color. */
export const SENT_WORDS: Readonly<
  Record<SentState, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  waiting: { label: t.waiting, icon: 'clock', text: 'text-ink-2' },
  making: { label: t.generating, icon: 'running', text: 'text-running' },
  sending: { label: t.sending, icon: 'running', text: 'text-running' },
  sent: { label: t.sent, icon: 'success', text: 'text-success' },
  kept: { label: t.stateNoMailServer, icon: 'warning', text: 'text-warning' },
  partly: { label: t.partlySent, icon: 'warning', text: 'text-warning' },
  failed: { label: t.notSent, icon: 'failed', text: 'text-failed' },
};
export const isSendPending = (state: SentState): boolean =>
  state === 'waiting' || state === 'making' || state === 'sending';
