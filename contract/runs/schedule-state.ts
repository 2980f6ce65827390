import type { JobRow, JobSchedule } from './rows.ts';

/** Kinds of schedule, in the terms of Veeam Service Provider Console. */
export const SCHEDULE_KINDS = [
  'Daily',
  'Monthly',
  'Continuously',
  'Periodically',
  'Chained',
] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

export const SCHEDULE_STATES = [...SCHEDULE_KINDS, 'Disabled'] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

/** Returns the schedule of a job in one word, or null if its schedule is unknown. */
export function getScheduleState({
  enabled,
  schedule,
}: Pick<JobRow, 'enabled' | 'schedule'>): ScheduleState | null {
  if (!enabled) return 'Disabled';
  return schedule === null ? null : getKind(schedule);
}

function getKind(schedule: JobSchedule): ScheduleKind {
  if (schedule.kind !== undefined) return schedule.kind;
  return schedule.type === 'every'
    ? 'Periodically'
    : kindOfCron(schedule.cron.trim().toLowerCase());
}

const NICKNAMES: Readonly<Record<string, ScheduleKind>> = {
  '@hourly': 'Periodically',
  '@daily': 'Daily',
  '@midnight': 'Daily',
  '@weekly': 'Daily',
  '@monthly': 'Monthly',
  '@yearly': 'Monthly',
  '@annually': 'Monthly',
};

/**
 * Classifies a cron expression of five fields. Several times a day, or once every few days, is
 * periodical. One time, on certain days of the month or in certain months, is monthly. One time
 * each day or on certain days of the week is daily, as in the console.
 */
function kindOfCron(cron: string): ScheduleKind {
  const nickname = NICKNAMES[cron];
  if (nickname !== undefined) return nickname;
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.split(/\s+/);
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return 'Periodically';
  if (/^\*\/(?!1$)/.test(day) && EVERY.test(month)) return 'Periodically';
  return EVERY.test(day) && EVERY.test(month) && !OF_MONTH.test(weekday) ? 'Daily' : 'Monthly';
}
const EVERY = /^(?:\*|\?|\*\/1)$/;
/** The first Monday (`1#1`), the last Friday (`5l`). */
const OF_MONTH = /[#l]/;
