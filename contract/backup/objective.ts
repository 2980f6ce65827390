import type { Ms } from '../ids.ts';
import { PERIODS } from './schedule.ts';
import type { Schedule, SchedulePolicy } from './schedule.ts';

const HOUR: Ms = 3_600_000;
const DAY: Ms = 24 * HOUR;

/**
 * Returns how old the last restore point of an object may be: twice the longest wait between two
 * starts of its job, hours in which the job may not work included. Null if only people start the job.
 * `before`: the job that a chained one follows.
 */
export function getRecoveryPointObjective(
  { schedule, backupWindow }: SchedulePolicy,
  before: SchedulePolicy | null = null,
): Ms | null {
  const wait =
    schedule.type === 'Chained'
      ? before === null
        ? null
        : longestWait(before.schedule)
      : longestWait(schedule);
  return wait === null ? null : 2 * (wait + longestClosed(backupWindow));
}

/** Returns the longest time between two starts, rounded up to whole days where clocks may change. */
function longestWait(schedule: Schedule): Ms | null {
  switch (schedule.type) {
    case 'Daily':
      return daysBetween(schedule.dailyType) * DAY;
    case 'Monthly':
      return 35 * DAY;
    case 'Periodically':
      return PERIODS[schedule.periodicallyEvery];
    case 'Continuously':
      return HOUR;
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
  return Math.min(168, Math.max(0, ...stretches.map(({ length }) => length))) * HOUR;
}
