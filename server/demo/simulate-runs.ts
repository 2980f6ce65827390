import type { Ms } from '#contract/ids.ts';
import { dayOf } from '#contract/time/day.ts';
import type { JobPlan, MachinePlan, ProviderPlan, RepositoryPlan } from './plan.ts';
import { LONGEST, type PlannedRun, runsOf } from './make-runs.ts';
import { momentOf } from './times.ts';

/** What happens in an estate by itself, at a moment. */
export type SimulatedEvent = { readonly at: Ms } & (
  | { readonly is: 'start' | 'finish'; readonly job: JobPlan; readonly run: PlannedRun }
  | { readonly is: 'sample'; readonly repository: RepositoryPlan }
  | { readonly is: 'seen'; readonly machine: MachinePlan }
  | { readonly is: 'disable'; readonly job: JobPlan }
);

const HOUR: Ms = 3_600_000;
const DAY: Ms = 24 * HOUR;
const WEEK = 7;
/** Seconds. Less than the grace of any job that may run so long. */
const LONG = 2_400;
/** Of machines that nothing backs up, every second is new. */
const NEW_FOR: Ms = 5 * DAY;

/**
 * All that happens from a moment until before another, in order. `since`: nothing began before it.
 * `starts`: of every run, or, as a past is told by its results, only of those that take so long
 * that they would be missed, and of those that go on beyond the end.
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
    const last = dayOf(to, job.when.tz, 0);
    // What ends now may have begun so long ago, after having waited for another run of its job.
    for (let day = dayOf(from - LONGEST - 6 * HOUR, job.when.tz, 0); day <= last; day += 1) {
      for (const run of runsOf(plan, job, day)) {
        if (run.startedAt < since) continue;
        const endsAt = heardAt(job, run);
        if (endsAt >= from && endsAt < to) all.push({ at: endsAt, is: 'finish', job, run });
        if (
          run.startedAt >= from &&
          run.startedAt < to &&
          (starts === 'all' || endsAt >= to || run.durationSec > LONG)
        )
          all.push({ at: run.startedAt, is: 'start', job, run });
      }
    }
    if (job.habit.is === 'forgotten' && job.habit.at >= from && job.habit.at < to)
      all.push({ at: job.habit.at, is: 'disable', job });
  }
  inventory(plan, from, to, all);
  return all.sort((a, b) => a.at - b.at);
}

/** A source tells of an end some seconds after it. */
const heardAt = (job: JobPlan, run: PlannedRun): Ms => run.endedAt + 500 + (job.seed % 3_000);

function inventory(plan: ProviderPlan, from: Ms, to: Ms, all: SimulatedEvent[]): void {
  const { timeZone } = plan.branding;
  const put = (one: SimulatedEvent): void => {
    if (one.at >= from && one.at < to) all.push(one);
  };
  for (let day = dayOf(from, timeZone, 0); day <= dayOf(to, timeZone, 0); day += 1) {
    for (const [place, repository] of plan.repositories.entries())
      put({ at: momentOf(day, 365 + (place % 45), timeZone), is: 'sample', repository });
    for (const [place, machine] of plan.machines.entries()) {
      if ((day + place) % WEEK !== 0) continue;
      const at = momentOf(day, 480 + (place % 540), timeZone);
      if (!machine.bare || place % 2 === 0 || at >= plan.bornAt - NEW_FOR)
        put({ at, is: 'seen', machine });
    }
  }
}
