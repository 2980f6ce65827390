import type { Ms } from '#contract/ids.ts';
import { getDay } from '#contract/time/day.ts';
import { DAY_MS, HOUR_MS } from '#contract/time/durations.ts';
import type { JobPlan, MachinePlan, ProviderPlan, RepositoryPlan } from './plan.ts';
import { LONGEST, type PlannedRun, getRuns } from './make-runs.ts';
import { getLocalMoment } from './times.ts';

/** A simulated event without a user, at a time. */
export type SimulatedEvent = { readonly at: Ms } & (
  | { readonly kind: 'start' | 'finish'; readonly job: JobPlan; readonly run: PlannedRun }
  | { readonly kind: 'sample'; readonly repository: RepositoryPlan }
  | { readonly kind: 'seen'; readonly machine: MachinePlan }
  | { readonly kind: 'disable'; readonly job: JobPlan }
);

const WEEK = 7;
/** Seconds. Shorter than the grace period of any job that may run this long. */
const LONG = 2_400;
/** How recently every second machine without a backup was first seen. */
const NEW_FOR: Ms = 5 * DAY_MS;

/**
 * Returns everything that happens in [from, to), in order. `since`: no run began before it.
 * `starts`: report the start of every run, or, for a history written from results, only of runs
 * that take so long that they would count as missed, and of runs that end after `to`.
 */
export function simulateRuns(
  plan: ProviderPlan,
  since: Ms,
  from: Ms,
  to: Ms,
  starts: 'all' | 'few',
): SimulatedEvent[] {
  const all: SimulatedEvent[] = [];
  for (const job of plan.jobs) {
    const last = getDay(to, job.when.tz, 0);
    // A run that ends now may have begun this long ago, after waiting for another run of its job.
    for (let day = getDay(from - LONGEST - 6 * HOUR_MS, job.when.tz, 0); day <= last; day += 1) {
      for (const run of getRuns(plan, job, day)) {
        if (run.startedAt < since) continue;
        const endsAt = heardAt(job, run);
        if (endsAt >= from && endsAt < to) all.push({ at: endsAt, kind: 'finish', job, run });
        if (
          run.startedAt >= from &&
          run.startedAt < to &&
          (starts === 'all' || endsAt >= to || run.durationSec > LONG)
        )
          all.push({ at: run.startedAt, kind: 'start', job, run });
      }
    }
    if (job.habit.kind === 'forgotten' && job.habit.at >= from && job.habit.at < to)
      all.push({ at: job.habit.at, kind: 'disable', job });
  }
  inventory(plan, from, to, all);
  return all.sort((a, b) => a.at - b.at);
}

/** A source reports an end a few seconds later. */
const heardAt = (job: JobPlan, run: PlannedRun): Ms => run.endedAt + 500 + (job.seed % 3_000);

function inventory(plan: ProviderPlan, from: Ms, to: Ms, all: SimulatedEvent[]): void {
  const { timeZone } = plan.branding;
  const put = (one: SimulatedEvent): void => {
    if (one.at >= from && one.at < to) all.push(one);
  };
  for (let day = getDay(from, timeZone, 0); day <= getDay(to, timeZone, 0); day += 1) {
    for (const [place, repository] of plan.repositories.entries())
      put({ at: getLocalMoment(day, 365 + (place % 45), timeZone), kind: 'sample', repository });
    for (const [place, machine] of plan.machines.entries()) {
      if ((day + place) % WEEK !== 0) continue;
      const at = getLocalMoment(day, 480 + (place % 540), timeZone);
      if (!machine.bare || place % 2 === 0 || at >= plan.bornAt - NEW_FOR)
        put({ at, kind: 'seen', machine });
    }
  }
}
