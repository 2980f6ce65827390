import { REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import type { RunsFacets, RunsFilter, RunState } from '#contract/runs/query.ts';
import { JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import { CAUSES, COMPANIES, getReview, UNDEALT, getView } from './daily-checks-data.ts';
import type { Dealt, Job } from './daily-checks-data.ts';
import { arranged } from './daily-checks-groups.ts';

const DAY = 86_400_000;

/** A run before it is shown: its job, how many days ago it ran, and its state. */
export interface Lean {
  readonly n: number;
  readonly job: Job;
  readonly ago: number;
  readonly state: RunState;
}

export function getFresh(stored: readonly Lean[], live: readonly Lean[]): number {
  const had = new Set(stored.map(({ n }) => n));
  return live.filter(({ n }) => !had.has(n)).length;
}

const any = <T>(list: readonly T[], value: T): boolean => list.length === 0 || list.includes(value);
export const reviewed = (run: Lean, dealt: ReadonlyMap<number, Dealt>, now: number) =>
  getReview(run.state, run.ago, run.job, dealt.get(run.job.n) ?? UNDEALT, now);

export function listed(
  runs: readonly Lean[],
  filter: RunsFilter,
  dealt: ReadonlyMap<number, Dealt>,
  now: number,
): readonly Lean[] {
  const seen = new Set<number>();
  const text = filter.text.toLowerCase();
  const found = runs.filter((run) => {
    const { job } = run;
    const startedAt = now - run.ago * DAY - job.hour * 3_600_000 - (job.n % 60) * 60_000;
    if (
      (filter.from !== null && startedAt < filter.from) ||
      (filter.to !== null && startedAt >= filter.to)
    )
      return false;
    if (filter.rows === 'jobs') {
      if (seen.has(job.n)) return false;
      seen.add(job.n);
    }
    const cause =
      job.cause !== null && run.ago < job.days ? job.cause : run.state === 'Warning' ? 4 : -1;
    return (
      (filter.review === null || reviewed(run, dealt, now) === filter.review) &&
      any(filter.states, run.state) &&
      any(filter.companies, job.company + 1) &&
      any(filter.sources, job.source) &&
      any(filter.types, job.type) &&
      any(filter.instructionTypes, 'other') &&
      any(filter.servers, job.type === 'M365' ? 'M365' : job.computer) &&
      any(filter.causes, cause + 1) &&
      any(filter.jobs, job.n + 1) &&
      (filter.kinds.length === 0 ||
        (cause >= 0 && filter.kinds.includes(CAUSES[cause]?.kind ?? 'other'))) &&
      (filter.managed === null || job.managed === filter.managed) &&
      (text === '' ||
        `${job.name} ${job.computer} ${COMPANIES[job.company] ?? ''} ${cause >= 0 ? (CAUSES[cause]?.say('', job.n) ?? '') : ''}`
          .toLowerCase()
          .includes(text))
    );
  });
  const at = (run: Lean): number =>
    run.ago * DAY + run.job.hour * 3_600_000 + (run.job.n % 60) * 60_000;
  return arranged(
    found.sort((a, b) => at(a) - at(b) || b.n - a.n),
    filter,
    ({ state }) => state,
    ({ n, job, ago, state }) =>
      getView(n, job, ago, state, dealt.get(job.n) ?? UNDEALT, now, false),
  );
}

export function getFacets(
  runs: readonly Lean[],
  filter: RunsFilter,
  dealt: ReadonlyMap<number, Dealt>,
  now: number,
): RunsFacets {
  const count = <T>(without: Partial<RunsFilter>, values: readonly T[], of: (run: Lean) => T) => {
    const counts = new Map<T, number>();
    for (const run of listed(
      runs,
      { ...filter, ...without, order: 'newest', reverse: false, group: null },
      dealt,
      now,
    ))
      counts.set(of(run), (counts.get(of(run)) ?? 0) + 1);
    return values.map((value) => ({ value, count: counts.get(value) ?? 0 }));
  };
  const getCause = (run: Lean): number =>
    run.job.cause !== null && run.ago < run.job.days
      ? run.job.cause
      : run.state === 'Warning'
        ? 4
        : -1;
  return {
    review: count({ review: null }, REVIEW_STATES, (run) => reviewed(run, dealt, now)),
    states: count({ states: [] }, RUN_STATES, (run) => run.state),
    kinds: count(
      { kinds: [] },
      PROBLEM_KINDS,
      (run) => CAUSES[getCause(run)]?.kind ?? ('none' as never),
    ),
    companies: count(
      { companies: [] },
      COMPANIES.map((_, i) => i + 1),
      (run) => run.job.company + 1,
    )
      .filter((one) => one.count > 0)
      .sort((a, b) => b.count - a.count)
      .map((one) => ({ ...one, name: COMPANIES[one.value - 1] ?? '' })),
    sources: count({ sources: [] }, SOURCES, (run) => run.job.source),
    types: count({ types: [] }, JOB_TYPES, (run) => run.job.type),
    managed: count({ managed: null }, [true, false, null], (run) => run.job.managed),
    anomaly: count({}, [true, false], (run) => run.state === 'Anomaly'),
    causes: count(
      { causes: [] },
      CAUSES.map((_, i) => i + 1),
      (run) => getCause(run) + 1,
    )
      .filter((one) => one.count > 0)
      .map((one) => ({ ...one, template: CAUSES[one.value - 1]?.template ?? '' })),
  };
}
