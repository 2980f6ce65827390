import { formatTenths } from '#src/ui/format.ts';
import type { CalendarCell, CalendarMode, CalendarView } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { STATES } from '#src/ui/states.ts';
import { shortDay, weekdayName } from './steps.ts';
import { calendarMessages as t } from './messages.en.ts';

export type DayHead = CalendarView['days'][number];

/**
 * The visible forms of a cell. Days that are not stored here and future days must not look like
 * "not due".
 */
export type CellForm =
  | 'failed'
  | 'error'
  | 'missed'
  | 'anomaly'
  | 'warning'
  | 'running'
  | 'success'
  | 'none'
  | 'off'
  | Exclude<DayStatus, 'here'>;

export function formLabel(form: CellForm): string {
  switch (form) {
    case 'failed':
      return STATES.Failed.label;
    case 'error':
      return STATES.Error.label;
    case 'missed':
      return STATES.Missed.label;
    case 'anomaly':
      return STATES.Anomaly.label;
    case 'warning':
      return STATES.Warning.label;
    case 'running':
      return STATES.Running.label;
    case 'success':
      return STATES.Success.label;
    case 'none':
      return t.notDue;
    case 'off':
      return t.disabled;
    case 'away':
      return t.notStored;
    case 'part':
      return t.partlyStored;
    case 'loading':
      return t.stillLoading;
    case 'ahead':
      return t.upcoming;
  }
}

/** Entries of the legend, in order. */
export const LEGEND: readonly CellForm[] = [
  'success',
  'warning',
  'failed',
  'error',
  'missed',
  'anomaly',
  'running',
  'none',
  'off',
  'away',
];

/**
 * Whether a day is stored here, still loading, completely or partly older than this device's data,
 * or in the future.
 */
export type DayStatus = 'here' | 'loading' | 'away' | 'part' | 'ahead';
export function getDayStatus(
  { from, to, here }: DayHead,
  storedFrom: Ms | null,
  now: Ms,
): DayStatus {
  if (from > now) return 'ahead';
  if (here) return 'here';
  if (storedFrom === null || from >= storedFrom) return 'loading';
  return to > storedFrom ? 'part' : 'away';
}

/** Results on this device are shown, even if other results of the day are missing. */
export function getCellForm(cell: CalendarCell | undefined, status: DayStatus): CellForm {
  if (cell !== null && cell !== undefined && cell !== 'off') return FORMS[cell];
  if (status !== 'here') return status;
  return cell === 'off' ? 'off' : 'none';
}
const FORMS = {
  Failed: 'failed',
  Error: 'error',
  Missed: 'missed',
  Anomaly: 'anomaly',
  Warning: 'warning',
  Running: 'running',
  Success: 'success',
} as const;

/** `Friday 11/20/26, today` */
export function dayTitle({ day, today }: DayHead): string {
  const name = `${weekdayName(day, 'long')} ${shortDay(day)}`;
  return today ? t.dayToday({ day: name }) : name;
}

/** Returns the screen reader label of a cell. */
export const cellWords = (head: DayHead, form: CellForm): string =>
  t.cell({
    day: dayTitle(head),
    state: form === 'none' && head.today ? t.noResultYet : formLabel(form),
  });

/** Returns the screen reader label of a company's day. */
export const badWords = (head: DayHead, bad: number, status: DayStatus): string =>
  t.cell({
    day: dayTitle(head),
    state:
      bad > 0
        ? t.failedCount({ count: bad })
        : status === 'here'
          ? t.noneFailed
          : formLabel(status),
  });

/** Returns which result of a day is shown: `Worst of the day`. */
export const modeLabel = (mode: CalendarMode): string => t[mode];

/** Returns the number of results with the one that is shown: `3 results, showing the worst`. */
export const shownResult = (mode: CalendarMode, results: string): string =>
  t[SHOWN[mode]]({ results });
const SHOWN = {
  worst: 'showsWorst',
  best: 'showsBest',
  last: 'showsLast',
  mixed: 'showsMixed',
} as const satisfies Readonly<Record<CalendarMode, keyof typeof t>>;

/** `97.5%`, or a dash if nothing was due. Never rounds up to 100. */
export const shareOrDash = (share: number | null): string =>
  share === null ? '–' : `${formatTenths(Math.floor(share * 1000))}%`;

/** Explains why some days are empty; null if all are stored here. */
export function missingWords(
  days: readonly DayHead[],
  storedFrom: Ms | null,
  now: Ms,
): string | null {
  const status = days.map((day) => getDayStatus(day, storedFrom, now));
  const first = days[status.lastIndexOf('away') + 1];
  const part = days[status.indexOf('part')];
  const due = status.filter((one) => one === 'here' || one === 'loading').length;
  if (status.includes('away'))
    return first ? t.daysNotStored({ day: shortDay(first.day) }) : t.noDayStored;
  if (status.includes('loading'))
    return t.daysLoaded({ count: status.filter((one) => one === 'here').length, total: due });
  return part ? t.dayPartlyStored({ day: shortDay(part.day) }) : null;
}
