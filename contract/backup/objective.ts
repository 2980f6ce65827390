import type { Ms } from '../ids.ts';
import { DAY_MS, HOUR_MS } from '../time/durations.ts';
import { type ChainedJob, listChain } from './chains.ts';
import { PERIODS } from './schedule.ts';
import type { Schedule, SchedulePolicy } from './schedule.ts';

/**
 * Returns how old the last restore point of an object may be: twice the longest wait between two
 * starts of its job. Null if only people start it.
 */
export function getRecoveryPointObjective<T extends PlannedJob>(
  job: T,
  jobs: ReadonlyMap<string, T> = new Map(),
): Ms | null {
  const wait = getLongestWait(job, jobs);
  return wait === null ? null : 2 * wait;
}

/**
 * Returns the longest wait between two starts of a job, hours in which it may not work included. A
 * chained job waits as long as the first job of its chain, and for the hours of each job in it. Null
 * if only people start the first job, or it isn't known. `jobs`: deleted ones, too, whose schedule
 * still says how often the job ran.
 */
export function getLongestWait<T extends PlannedJob>(
  job: T,
  jobs: ReadonlyMap<string, T>,
): Ms | null {
  const { chain, isCycle } = listChain(job, jobs);
  const first = chain.at(-1) ?? job;
  const wait = isCycle ? null : getLongestGap(first.schedulePolicy.schedule);
  if (wait === null) return null;
  // Jobs with the same hours wait for the same opening.
  const hours = new Set(chain.map(({ schedulePolicy: { backupWindow } }) => backupWindow));
  return [...hours].reduce((sum, window) => sum + longestClosed(window), wait);
}

/** A job as far as its waits need it. */
export type PlannedJob = ChainedJob & {
  readonly schedulePolicy: Pick<SchedulePolicy, 'backupWindow'>;
};

/** Returns the longest time between two starts, rounded up to whole days where clocks may change. */
function getLongestGap(schedule: Schedule): Ms | null {
  switch (schedule.type) {
    case 'Daily':
      return daysBetween(schedule.dailyType) * DAY_MS;
    case 'Monthly':
      return 35 * DAY_MS;
    case 'Periodically':
      return PERIODS[schedule.periodicallyEvery];
    case 'Continuously':
      return HOUR_MS;
    case 'Chained':
    case 'Disabled':
      return null;
    default:
      return schedule satisfies never;
  }
}

/** From Friday to Monday, from Sunday to Saturday, or a week for a single day. */
function daysBetween(dailyType: Extract<Schedule, { type: 'Daily' }>['dailyType']): number {
  switch (dailyType) {
    case 'Everyday':
      return 1;
    case 'Workdays':
      return 3;
    case 'Weekends':
      return 6;
    default:
      return 7;
  }
}

/** Returns the longest stretch of closed hours in a row, over the end of the week too. */
function longestClosed(hours: string | null): Ms {
  if (hours === null) return 0;
  const stretches = (hours + hours).match(/0+/g) ?? [];
  return Math.min(168, Math.max(0, ...stretches.map(({ length }) => length))) * HOUR_MS;
}
