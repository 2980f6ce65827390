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
export type Form =
  | 'failed'
  | 'error'
  | 'missed'
  | 'anomaly'
  | 'warning'
  | 'running'
  | 'success'
  | 'none'
  | 'off'
  | Exclude<Standing, 'here'>;

export function formLabel(form: Form): string {
  switch (form) {
    case 'failed':
      return STATES.Failed.word;
    case 'error':
      return STATES.Error.word;
    case 'missed':
      return STATES.Missed.word;
    case 'anomaly':
      return STATES.Anomaly.word;
    case 'warning':
      return STATES.Warning.word;
    case 'running':
      return STATES.Running.word;
    case 'success':
      return STATES.Success.word;
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
export const LEGEND: readonly Form[] = [
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
export type Standing = 'here' | 'loading' | 'away' | 'part' | 'ahead';
export function standingOf({ from, to, here }: DayHead, keptFrom: Ms | null, now: Ms): Standing {
  if (from > now) return 'ahead';
  if (here) return 'here';
  if (keptFrom === null || from >= keptFrom) return 'loading';
  return to > keptFrom ? 'part' : 'away';
}

/** Results on this device are shown, even if other results of the day are missing. */
export function formOf(cell: CalendarCell | undefined, standing: Standing): Form {
  if (cell !== null && cell !== undefined && cell !== 'off') return FORMS[cell];
  if (standing !== 'here') return standing;
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
export function dayWords({ day, today }: DayHead): string {
  const name = `${weekdayName(day, 'long')} ${shortDay(day)}`;
  return today ? t.dayToday({ day: name }) : name;
}

/** Returns the screen reader label of a cell. */
export const cellWords = (head: DayHead, form: Form): string =>
  t.cell({
    day: dayWords(head),
    state: form === 'none' && head.today ? t.noResultYet : formLabel(form),
  });

/** Returns the screen reader label of a company's day. */
export const badWords = (head: DayHead, bad: number, standing: Standing): string =>
  t.cell({
    day: dayWords(head),
    state:
      bad > 0
        ? t.failedCount({ count: bad })
        : standing === 'here'
          ? t.noneFailed
          : formLabel(standing),
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
export const shareWords = (share: number | null): string =>
  share === null ? '–' : `${(Math.floor(share * 1000) / 10).toFixed(1)}%`;

/** Explains why some days are empty; null if all are stored here. */
export function missingWords(
  days: readonly DayHead[],
  keptFrom: Ms | null,
  now: Ms,
): string | null {
  const standing = days.map((day) => standingOf(day, keptFrom, now));
  const first = days[standing.lastIndexOf('away') + 1];
  const part = days[standing.indexOf('part')];
  const due = standing.filter((one) => one === 'here' || one === 'loading').length;
  if (standing.includes('away'))
    return first ? t.daysNotStored({ day: shortDay(first.day) }) : t.noDayStored;
  if (standing.includes('loading'))
    return t.daysLoaded({ count: standing.filter((one) => one === 'here').length, total: due });
  return part ? t.dayPartlyStored({ day: shortDay(part.day) }) : null;
}
