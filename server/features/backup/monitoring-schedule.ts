import { getLongestWait, type PlannedJob } from '#contract/backup/objective.ts';
import {
  DAILY_TYPES,
  MONTHLY_NUMBERS,
  type Schedule,
  WEEKDAYS,
} from '#contract/backup/schedule.ts';
import type { JobSchedule as ExpectedSchedule } from '#contract/runs/rows.ts';

/**
 * Returns a backup job's schedule as Monitoring expects its results: a cron expression in the
 * provider's zone. A continuous job has no times of its own, and one that runs after another has the
 * longest wait of its chain. Null: only people start the job. `jobs`: deleted ones, too.
 */
export function expectedSchedule(
  job: PlannedJob,
  timeZone: string,
  jobs: ReadonlyMap<string, PlannedJob>,
): ExpectedSchedule | null {
  const { schedule } = job.schedulePolicy;
  switch (schedule.type) {
    case 'Disabled':
      return null;
    case 'Chained': {
      const wait = getLongestWait(job, jobs);
      return wait === null
        ? { type: 'kind', kind: schedule.type }
        : { type: 'every', everySec: wait / 1_000, kind: schedule.type };
    }
    case 'Continuously':
      return { type: 'kind', kind: schedule.type };
    case 'Daily':
    case 'Monthly':
    case 'Periodically':
      return { type: 'cron', cron: getCron(schedule), tz: timeZone, kind: schedule.type };
    default:
      return schedule satisfies never;
  }
}

type Timed = Extract<Schedule, { type: 'Daily' | 'Monthly' | 'Periodically' }>;

function getCron(schedule: Timed): string {
  switch (schedule.type) {
    case 'Periodically':
      return PERIODS[schedule.periodicallyEvery];
    case 'Daily':
      return `${minuteAndHour(schedule.dailyTime)} * * ${DAYS[schedule.dailyType]}`;
    case 'Monthly': {
      const time = minuteAndHour(schedule.monthlyTime);
      const isLast = schedule.monthlyNumber === 'Last';
      const nth = MONTHLY_NUMBERS.indexOf(schedule.monthlyNumber) + 1;
      return schedule.monthlyDay === 'Day'
        ? `${time} ${isLast ? 'L' : nth} * *`
        : `${time} * * ${WEEKDAYS.indexOf(schedule.monthlyDay)}#${isLast ? 'L' : nth}`;
    }
    default:
      return schedule satisfies never;
  }
}

const PERIODS = {
  Minutes5: '*/5 * * * *',
  Minutes10: '*/10 * * * *',
  Minutes15: '*/15 * * * *',
  Minutes30: '*/30 * * * *',
  Hours1: '0 * * * *',
  Hours2: '0 */2 * * *',
  Hours4: '0 */4 * * *',
  Hours8: '0 */8 * * *',
  Hours12: '0 */12 * * *',
} as const satisfies Readonly<
  Record<Extract<Timed, { type: 'Periodically' }>['periodicallyEvery'], string>
>;

const DAYS: Readonly<Record<(typeof DAILY_TYPES)[number], string>> = {
  Everyday: '*',
  Workdays: '1-5',
  Weekends: '0,6',
  Sunday: '0',
  Monday: '1',
  Tuesday: '2',
  Wednesday: '3',
  Thursday: '4',
  Friday: '5',
  Saturday: '6',
};

function minuteAndHour(time: string): string {
  const [hour = '0', minute = '0'] = time.split(':');
  return `${Number(minute)} ${Number(hour)}`;
}
