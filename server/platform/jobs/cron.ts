import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';
import { isTimeZone } from '#contract/time/day.ts';
import type { CronNext } from '#contract/problems/expectation.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';

/** Returns what is wrong with a declared schedule; null if it is valid. */
export function findScheduleError(schedule: JobSchedule): string | null {
  if (schedule.type === 'kind') return null;
  if (schedule.type === 'every')
    return schedule.everySec < 1 ? 'every must be a second at least' : null;
  if (!isTimeZone(schedule.tz)) return 'tz is not a time zone';
  return parsed(schedule.cron, schedule.tz) === null ? 'cron is not a cron line' : null;
}

/**
 * Uses croner: five fields, names of days and months. Returns null for an invalid line or one that
 * never matches.
 */
export const cronNext: CronNext = (cron, timeZone, after) =>
  parsed(cron, timeZone)?.nextRun(new Date(after))?.getTime() ?? null;

const known = new LRUCache<string, { readonly schedule: Cron | null }>({ max: 2_000 });

function parsed(cron: string, timeZone: string): Cron | null {
  const name = `${timeZone} ${cron}`;
  const found = known.get(name) ?? { schedule: make(cron.trim(), timeZone) };
  known.set(name, found);
  return found.schedule;
}

function make(cron: string, timezone: string): Cron | null {
  // croner would accept seconds and years, which a source doesn't mean by a cron line.
  if (
    cron.split(/\s+/).length !== 5 &&
    !/^@(?:yearly|annually|monthly|weekly|daily|hourly)$/.test(cron)
  )
    return null;
  try {
    return new Cron(cron, { timezone, paused: true });
  } catch {
    return null;
  }
}
