import type { ReportColumn, ColumnKind, Report, ReportCell } from '#contract/reports/report.ts';
import { STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import { reportMessages as t } from '../messages.en.ts';

/** Formats values in the report's language and time zone. */
export interface Words {
  cell(kind: ColumnKind, value: ReportCell): string;
  moment(at: number): string;
  span(from: number, to: number): string;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;
const NONE = '–';

export function getFormatters({
  language,
  timeZone,
}: Pick<Report, 'language' | 'timeZone'>): Words {
  const two = '2-digit';
  const count = new Intl.NumberFormat(language);
  const tenths = new Intl.NumberFormat(language, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const day = new Intl.DateTimeFormat(language, {
    year: two,
    month: two,
    day: two,
    weekday: 'short',
    timeZone: 'UTC',
  });
  const moment = new Intl.DateTimeFormat(language, {
    year: two,
    month: two,
    day: two,
    hour: two,
    minute: two,
    timeZone,
  });
  const bytes = (value: number): string => {
    let unit = 0;
    let left = Math.max(0, value);
    while (left >= 999.5 && unit < UNITS.length - 1) {
      left /= 1000;
      unit += 1;
    }
    return `${unit === 0 || left >= 99.95 ? count.format(Math.round(left)) : tenths.format(left)} ${UNITS[unit] ?? ''}`;
  };
  const number = (kind: ColumnKind, value: number): string => {
    switch (kind) {
      // Rounded down, so that it never shows 100 for less.
      case 'share':
        return `${tenths.format(Math.floor(value * 1000) / 10)}%`;
      case 'bytes':
        return bytes(value);
      case 'seconds':
        return duration(value);
      case 'moment':
        return moment.format(value);
      case 'count':
      case 'text':
      case 'state':
      case 'day':
      case 'days':
        return count.format(value);
    }
  };
  return {
    moment: (at) => moment.format(at),
    span: (from, to) => moment.formatRange(from, to),
    cell(kind, value) {
      if (value === null || typeof value === 'object')
        return kind === 'text' || kind === 'state' || kind === 'days' ? '' : NONE;
      if (typeof value === 'number') return number(kind, value);
      if (kind === 'state') return isState(value) ? STATE_WORDS[value] : value;
      return kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(value)
        ? day.format(Date.parse(value))
        : value;
    },
  };
}

/** A symbol for each state that is readable without color. */
const SIGNS: Readonly<Record<keyof typeof STATE_WORDS, string>> = {
  Failed: '✗',
  Error: '✗',
  Missed: '○',
  Anomaly: '◇',
  Warning: '!',
  Running: '…',
  Success: '✓',
  off: '–',
};
export const getStateSign = (state: string): string => (isState(state) ? SIGNS[state] : '·');
const isState = (text: string): text is keyof typeof STATE_WORDS => text in STATE_WORDS;

/** Returns at most two units: `45 s`, `2 min 05 s`, `1 h 38 min`. */
function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const min = Math.round(whole / 60);
  if (whole < 60) return t.seconds({ seconds: whole });
  if (whole < 600)
    return t.minutesSeconds({
      minutes: Math.floor(whole / 60),
      seconds: String(whole % 60).padStart(2, '0'),
    });
  return min < 60
    ? t.minutes({ minutes: min })
    : t.hoursMinutes({ hours: Math.floor(min / 60), minutes: String(min % 60).padStart(2, '0') });
}

/** Numeric columns are right-aligned. */
export const isNumber = ({ kind }: Pick<ReportColumn, 'kind'>): boolean =>
  kind === 'count' || kind === 'share' || kind === 'bytes' || kind === 'seconds';
