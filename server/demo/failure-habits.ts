import { getDay } from '#contract/time/day.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { type Rng, upTo } from './random.ts';
import type { JobPlan, ProviderPlan } from './plan.ts';
import { getCron, EVERY_DAY, everyMinutes, getLocalMoment, getWeekday } from './times.ts';

const THURSDAY = 4;
/** How many jobs fail on the bad Thursday, and how many of them still fail when the demo starts. */
export const THURSDAY_JOBS = 40;
const STILL_DOWN = 12;
/** The server that failed. */
export const THURSDAY_SERVER = 'CBS-02';

type Changed = Pick<ProviderPlan, 'jobs' | 'machines' | 'repositories'>;

/**
 * Gives some jobs and machines a special behavior. `main`: the provider with the detailed
 * scenarios.
 */
export function makeFailureHabits(plan: ProviderPlan, main: boolean, random: Rng): Changed {
  const jobs = [...plan.jobs];
  const change = (job: JobPlan | undefined, more: Partial<JobPlan>): void => {
    if (job) jobs[job.index] = { ...job, ...more };
  };

  for (const job of plan.jobs) {
    if (job.when.times.length === 1 && random() < 0.02)
      change(job, { habit: { kind: 'grumbling' } });
    else if (daily(job) && job.source === 'vbr' && random() < 0.03) change(job, { moves: 'fulls' });
  }
  const pick = (wanted: (job: JobPlan) => boolean): JobPlan | undefined => {
    const some = jobs.filter((job) => job.habit.kind === 'steady' && daily(job) && wanted(job));
    return some[upTo(random, some.length)];
  };
  for (let i = 0; i < (main ? 2 : 1); i += 1)
    change(
      pick((job) => job.source === 'restic' || job.source === 'vac'),
      { habit: { kind: 'fading' }, frailty: 0 },
    );
  change(
    pick((job) => job.source === 'vbr'),
    { habit: { kind: 'forgotten', at: plan.bornAt - Math.round(19.3 * DAY_MS) }, frailty: 0 },
  );
  // One transfer that never catches up, so that a run is always in progress.
  const slow = jobs.find((job) => job.type === 'ObjectStorage' && job.habit.kind === 'steady');
  change(slow, slow ? { bytesPerSec: (slow.size * slow.change) / (3.5 * 3_600), frailty: 0 } : {});
  const [log] = main
    ? jobs.filter((job) => job.type === 'LogBackup' && job.when.times.length === 48)
    : [];
  if (log) change(log, quick(log));
  if (main) badThursday(plan, jobs);
  const repositories = filling(plan, jobs, main ? 4 : 2);
  return { jobs, machines: tuesdays(plan, main ? 5 : 3), repositories };
}

/**
 * Log backups every five minutes, between the usual start times of other jobs, so that a visitor
 * sees live activity.
 */
function quick(job: JobPlan): Partial<JobPlan> {
  const when = { ...job.when, times: everyMinutes(5, 3) };
  return {
    name: `Log shipping ${job.computer} every 5 min`,
    when,
    schedule: { type: 'cron', cron: getCron(when), tz: when.tz },
    graceSec: 900,
    change: job.change / 6,
  };
}

const daily = (job: JobPlan): boolean =>
  job.when.times.length === 1 && job.when.days === EVERY_DAY && job.moves === 'changes';

/**
 * On the last Thursday before the demo starts, one server fails with all of its jobs for one cause.
 * Some of them keep failing.
 */
function badThursday({ bornAt, branding }: ProviderPlan, jobs: JobPlan[]): void {
  const today = getDay(bornAt, branding.timeZone, 0);
  const day = today - ((getWeekday(today) - THURSDAY + 7) % 7 || 7);
  const [from, to] = [
    getLocalMoment(day, 0, branding.timeZone),
    getLocalMoment(day + 1, 0, branding.timeZone),
  ];
  const hit = jobs
    .filter(
      (job) =>
        job.source === 'vbr' &&
        job.type === 'Backup' &&
        job.when.days === EVERY_DAY &&
        job.habit.kind === 'steady',
    )
    .sort((a, b) => a.seed - b.seed)
    .slice(0, THURSDAY_JOBS);
  for (const [place, job] of hit.entries()) {
    jobs[job.index] = {
      ...job,
      server: THURSDAY_SERVER,
      moves: 'changes',
      frailty: 0,
      habit: {
        kind: 'thursday',
        from,
        to: place < STILL_DOWN ? Math.max(to, bornAt + 1.5 * DAY_MS) : to,
      },
    };
  }
}

/** One repository is nearly full. A handful of jobs write to it. */
function filling(
  plan: ProviderPlan,
  jobs: JobPlan[],
  company: number,
): ProviderPlan['repositories'] {
  const mine = plan.repositories.flatMap((one, place) => (one.company === company ? [place] : []));
  const [full = -1, other = full] = mine;
  let stored = 0;
  for (const job of plan.jobs) {
    if (job.repository !== full) continue;
    if (stored < 6 && job.source === 'vbr' && jobs[job.index]?.habit.kind === 'steady') stored += 1;
    else jobs[job.index] = { ...(jobs[job.index] ?? job), repository: other };
  }
  return plan.repositories.map((one, place) =>
    place === full ? { ...one, used: 0.945, gain: 0.0125 } : one,
  );
}

/** A site whose connection is unreliable on Tuesdays. */
function tuesdays(plan: ProviderPlan, company: number): ProviderPlan['machines'] {
  const site = plan.companies[company]?.sites.at(1) ?? plan.companies[company]?.sites[0];
  return plan.machines.map((machine) =>
    machine.company === company && machine.site === site && machine.habit === 'steady'
      ? { ...machine, habit: 'tuesdays' }
      : machine,
  );
}
