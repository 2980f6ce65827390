import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';
import type { CronNext } from '#contract/problems/expectation.ts';

export const isCron = (cron: string, timeZone: string): boolean => parsed(cron, timeZone) !== null;

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
  // croner would accept seconds and years, which sources don't mean by a cron expression.
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
