import type { CalendarCell, CalendarMode, CalendarView } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { formatCount } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';
import { weekday } from '#src/features/shared/date-range/dates.ts';
import { shortDay } from './steps.ts';

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

export const FORM_WORDS: Readonly<Record<Form, string>> = {
  failed: STATES.Failed.word,
  error: STATES.Error.word,
  missed: STATES.Missed.word,
  anomaly: STATES.Anomaly.word,
  warning: STATES.Warning.word,
  running: STATES.Running.word,
  success: STATES.Success.word,
  none: 'Not due',
  off: 'Disabled',
  away: 'Not on this device',
  part: 'Kept in part here',
  loading: 'On its way',
  ahead: 'To come',
};

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

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** `Friday 11/20/26, today` */
export const dayWords = ({ day, today }: DayHead): string =>
  `${WEEKDAYS[weekday(day)] ?? ''} ${shortDay(day)}${today ? ', today' : ''}`;

/** Returns the screen reader label of a cell. */
export const cellWords = (head: DayHead, form: Form): string =>
  `${dayWords(head)}: ${form === 'none' && head.today ? 'Nothing yet' : FORM_WORDS[form]}`;

/** Returns the screen reader label of a company's day. */
export const badWords = (head: DayHead, bad: number, standing: Standing): string =>
  `${dayWords(head)}: ${bad > 0 ? `${formatCount(bad)} failed or did not run` : standing === 'here' ? 'none failed' : FORM_WORDS[standing]}`;

export const MODE_WORDS: Readonly<
  Record<CalendarMode, { readonly word: string; readonly said: string }>
> = {
  worst: { word: 'Worst of the day', said: 'the worst is shown' },
  best: { word: 'Best of the day', said: 'the best is shown' },
  last: { word: 'Last of the day', said: 'the last is shown' },
  mixed: { word: 'Warning if mixed', said: 'good and bad together show a warning' },
};

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
    return first
      ? `Days before ${shortDay(first.day)} are not kept on this device`
      : 'These days are not kept on this device';
  if (standing.includes('loading'))
    return `${standing.filter((one) => one === 'here').length} of ${due} days here`;
  return part ? `${shortDay(part.day)} is only partly stored on this device` : null;
}
