import * as v from 'valibot';
import type { ScheduleType } from '../engine/engine.ts';
import type { BackupJobId, Ms } from '../ids.ts';
import { getDay, dayText, getMoment, offsetAt, type DayN } from '../time/day.ts';
import { uuidSchema } from '../id-schema.ts';
import { schemaMessages } from '../schemas.messages.en.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;
export const DAILY_TYPES = ['Everyday', 'Workdays', 'Weekends', ...WEEKDAYS] as const;
export const MONTHLY_NUMBERS = ['First', 'Second', 'Third', 'Fourth', 'Last'] as const;
export const MONTHLY_DAYS = [...WEEKDAYS, 'Day'] as const;

/** How often a periodic job starts, counted from midnight. */
export const PERIODS = {
  Minutes5: 5 * MINUTE_MS,
  Minutes10: 10 * MINUTE_MS,
  Minutes15: 15 * MINUTE_MS,
  Minutes30: 30 * MINUTE_MS,
  Hours1: HOUR_MS,
  Hours2: 2 * HOUR_MS,
  Hours4: 4 * HOUR_MS,
  Hours8: 8 * HOUR_MS,
  Hours12: 12 * HOUR_MS,
} as const satisfies Record<string, Ms>;
export const PERIODICALLY_EVERY = Object.keys(PERIODS) as readonly (keyof typeof PERIODS)[];

/** A continuous job starts this long after its previous session ended. */
const CONTINUOUS_PAUSE: Ms = 5 * MINUTE_MS;

/** `HH:mm`, as local time. */
const timeOfDay = v.pipe(
  v.string(),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, () => schemaMessages.timeOfDay),
);

/**
 * When a backup job starts, in local time of the provider's zone. A local time that the clocks skip
 * starts the job right after the gap; one that they repeat starts it the first time.
 * `chainedAfter`: the job whose end starts this one. `Disabled`: only people start the job.
 */
export const ScheduleSchema = v.variant('type', [
  v.strictObject({
    type: v.literal('Daily'),
    dailyType: v.picklist(DAILY_TYPES),
    dailyTime: timeOfDay,
  }),
  v.strictObject({
    type: v.literal('Monthly'),
    monthlyNumber: v.picklist(MONTHLY_NUMBERS),
    monthlyDay: v.picklist(MONTHLY_DAYS),
    monthlyTime: timeOfDay,
  }),
  v.strictObject({
    type: v.literal('Periodically'),
    periodicallyEvery: v.picklist(PERIODICALLY_EVERY),
  }),
  v.strictObject({ type: v.literal('Continuously') }),
  v.strictObject({ type: v.literal('Chained'), chainedAfter: uuidSchema<BackupJobId>() }),
  v.strictObject({ type: v.literal('Disabled') }),
]);
export type Schedule = v.InferOutput<typeof ScheduleSchema>;

const WITHOUT_TIMES = ['Disabled'] as const;
/** Only people start the job. */
export const NO_SCHEDULE: Schedule = { type: WITHOUT_TIMES[0] };
/** What a Veeam server offers. */
export const SERVER_SCHEDULES = [
  'Daily',
  'Periodically',
] as const satisfies readonly ScheduleType[];

/**
 * The hours of a week in which sessions may work, from Sunday 00:00 on: `1` open, `0` closed. A
 * session pauses in closed hours.
 */
export const BackupWindowSchema = v.pipe(
  v.string(),
  v.regex(/^[01]{168}$/, () => schemaMessages.backupWindow),
);

/**
 * Schedule, hours and retries of a job. `backupWindow` null: all hours. `retryNumber`: how often a
 * session repeats what failed (0: never), `retryWaitInterval` minutes after its end.
 */
export const SchedulePolicySchema = v.strictObject({
  schedule: ScheduleSchema,
  backupWindow: v.nullable(BackupWindowSchema),
  retryNumber: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(10)),
  retryWaitInterval: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(1_440)),
});
export type SchedulePolicy = v.InferOutput<typeof SchedulePolicySchema>;

/**
 * Returns the first start of a schedule after a moment, whatever its hours; null if only people or
 * another job start it. However many starts were missed before `after`, they cause one run. A
 * continuous job whose start is overdue, or that never ran, starts at `after`.
 */
export function nextStart(
  schedule: Schedule,
  after: Ms,
  timeZone: string,
  lastEnd: Ms | null,
): Ms | null {
  switch (schedule.type) {
    case 'Daily':
      return nextDaily(schedule, after, timeZone);
    case 'Monthly':
      return nextMonthly(schedule, after, timeZone);
    case 'Periodically':
      return nextPeriodic(PERIODS[schedule.periodicallyEvery], after, timeZone);
    case 'Continuously':
      return lastEnd === null ? after : Math.max(after, lastEnd + CONTINUOUS_PAUSE);
    case 'Chained':
    case 'Disabled':
      return null;
    default:
      return schedule satisfies never;
  }
}

type ScheduleOf<T extends Schedule['type']> = Extract<Schedule, { type: T }>;

function nextDaily(
  { dailyType, dailyTime }: ScheduleOf<'Daily'>,
  after: Ms,
  timeZone: string,
): Ms | null {
  const today = getDay(after, timeZone, 0);
  for (let day = today - 1; day <= today + 9; day += 1) {
    if (!isDay(dailyType, day)) continue;
    const start = getMoment(day, getTime(dailyTime), timeZone);
    if (start > after) return start;
  }
  return null;
}

function nextMonthly(
  { monthlyNumber, monthlyDay, monthlyTime }: ScheduleOf<'Monthly'>,
  after: Ms,
  timeZone: string,
): Ms | null {
  const [year = 0, month = 0] = dayText(getDay(after, timeZone, 0))
    .split('-')
    .map(Number);
  // Date.UTC counts months from 0: the month before the present one is `month - 2`.
  for (let index = month - 2; index <= month + 1; index += 1) {
    const day = dayInMonth(year, index, monthlyNumber, monthlyDay);
    const start = getMoment(day, getTime(monthlyTime), timeZone);
    if (start > after) return start;
  }
  return null;
}

function nextPeriodic(every: Ms, after: Ms, timeZone: string): Ms {
  const today = getDay(after, timeZone, 0);
  const midnight = getMoment(today, 0, timeZone);
  const next = midnight + (Math.floor((after - midnight) / every) + 1) * every;
  return Math.min(next, getMoment(today + 1, 0, timeZone));
}

/** 0: Sunday. 1970-01-01 was a Thursday. */
const getWeekday = (day: DayN): number => (((day + 4) % 7) + 7) % 7;

function isDay(dailyType: (typeof DAILY_TYPES)[number], day: DayN): boolean {
  const weekday = getWeekday(day);
  const isWeekend = weekday === 0 || weekday === 6;
  switch (dailyType) {
    case 'Everyday':
      return true;
    case 'Workdays':
      return !isWeekend;
    case 'Weekends':
      return isWeekend;
    default:
      return WEEKDAYS[weekday] === dailyType;
  }
}

function dayInMonth(
  year: number,
  monthIndex: number,
  monthlyNumber: (typeof MONTHLY_NUMBERS)[number],
  monthlyDay: (typeof MONTHLY_DAYS)[number],
): DayN {
  const first = Date.UTC(year, monthIndex, 1) / DAY_MS;
  const last = Date.UTC(year, monthIndex + 1, 0) / DAY_MS;
  const nth = MONTHLY_NUMBERS.indexOf(monthlyNumber);
  if (monthlyDay === 'Day') return monthlyNumber === 'Last' ? last : first + nth;
  const weekday = WEEKDAYS.indexOf(monthlyDay);
  return monthlyNumber === 'Last'
    ? last - ((getWeekday(last) - weekday + 7) % 7)
    : first + ((weekday - getWeekday(first) + 7) % 7) + nth * 7;
}

function getTime(text: string): Ms {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}

/** Returns whether sessions may work at a moment. */
export function isWithinHours(hours: string | null, at: Ms, timeZone: string): boolean {
  if (hours === null) return true;
  const wall = at + offsetAt(at, timeZone);
  const hour = Math.floor(wall / HOUR_MS) - Math.floor(wall / DAY_MS) * 24;
  return hours[getWeekday(Math.floor(wall / DAY_MS)) * 24 + hour] === '1';
}

/**
 * Returns the first moment from `at` on at which sessions may work; null if the window has no open
 * hour.
 */
export function nextOpen(hours: string | null, at: Ms, timeZone: string): Ms | null {
  if (isWithinHours(hours, at, timeZone)) return at;
  if (hours === null || !hours.includes('1')) return null;
  // Clocks change, and local hours begin, only at quarters of an hour. A change can skip the only
  // open hour of a week.
  const first = Math.floor(at / QUARTER) + 1;
  for (let quarter = first; quarter <= first + 3 * QUARTERS_OF_WEEK; quarter += 1)
    if (isWithinHours(hours, quarter * QUARTER, timeZone)) return quarter * QUARTER;
  return null;
}
const QUARTER: Ms = 15 * MINUTE_MS;
const QUARTERS_OF_WEEK = (7 * DAY_MS) / QUARTER;

/**
 * Returns when a job runs next after a moment. A start outside the window waits for it to open, and
 * all that wait for the same opening are one run.
 */
export function nextRun(
  { schedule, backupWindow }: Pick<SchedulePolicy, 'schedule' | 'backupWindow'>,
  after: Ms,
  timeZone: string,
  lastEnd: Ms | null,
): Ms | null {
  const start = nextStart(schedule, after, timeZone, lastEnd);
  return start === null ? null : nextOpen(backupWindow, start, timeZone);
}

/**
 * Returns the next runs of a job, at most `count`. A continuous job has one: the others depend on
 * how long it takes.
 */
export function nextRuns(
  policy: Pick<SchedulePolicy, 'schedule' | 'backupWindow'>,
  after: Ms,
  timeZone: string,
  count: number,
): readonly Ms[] {
  const runs: Ms[] = [];
  const max = policy.schedule.type === 'Continuously' ? Math.min(1, count) : count;
  while (runs.length < max) {
    const next = nextRun(policy, runs.at(-1) ?? after, timeZone, null);
    if (next === null) break;
    runs.push(next);
  }
  return runs;
}

/**
 * Returns when a session that ended with failures is repeated; null if never. The repeat is a session
 * of all objects, so that its restore point has them all: one without changes costs one request.
 * `attempt`: 0 for the session that the schedule started, 1 for its first retry.
 */
export const nextRetry = (
  { retryNumber, retryWaitInterval }: Pick<SchedulePolicy, 'retryNumber' | 'retryWaitInterval'>,
  endedAt: Ms,
  attempt: number,
): Ms | null => (attempt < retryNumber ? endedAt + retryWaitInterval * MINUTE_MS : null);
