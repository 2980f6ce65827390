/** The columns' judge: the same questions answered from plain rows, one by one, by code that can be read at a glance. */
import { isAnomaly, managedCode, sourceCode, statusCode, typeCode } from '#contract/monitoring/columns.ts';
import type { LeanRun } from '#contract/monitoring/columns.ts';
import { dayOf, worst } from '#contract/monitoring/day.ts';
import { LEAST_SPREAD, usualOf } from '#contract/monitoring/judge.ts';
import { REVIEW_STATES, RUN_STATES } from '#contract/monitoring/query.ts';
import type { ReviewState, RunsFacets, RunsFilter, RunState, RunView } from '#contract/monitoring/query.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/monitoring/rows.ts';
import { JOB_TYPES, PROBLEM_KINDS, SOURCES, STATUSES } from '#contract/monitoring/words.ts';
import type { CompanyRow } from '#contract/people/rows.ts';

export interface Plain {
  readonly runs: ReadonlyMap<number, LeanRun>;
  readonly companies: ReadonlyMap<number, CompanyRow>;
  readonly jobs: ReadonlyMap<number, JobRow>;
  readonly causes: ReadonlyMap<number, CauseRow>;
  readonly problems: ReadonlyMap<number, ProblemRow>;
  readonly over: ReadonlyMap<number, ProblemRow>;
  readonly people: ReadonlyMap<string, string>;
  readonly timeZone: string;
  readonly beginsHour: number;
}

/** A run with everything that a filter asks of it. */
interface Told {
  readonly run: LeanRun;
  readonly state: RunState;
  readonly problem: ProblemRow | undefined;
  readonly review: ReviewState;
  readonly kind: string | undefined;
  readonly cause: number | undefined;
}
type Dimension = keyof RunsFacets;

const newest = (a: LeanRun, b: LeanRun): number => b.startSec - a.startSec || b.n - a.n;

const stateOf = (kind: number): RunState => {
  const status = STATUSES[statusCode(kind)] ?? 'Running';
  return status === 'Success' && isAnomaly(kind) ? 'Anomaly' : status;
};
const managedOf = (kind: number): boolean | null => (managedCode(kind) === 0 ? null : managedCode(kind) === 2);

export function reviewOf(problem: ProblemRow | undefined, now: number): ReviewState {
  if (!problem) return 'none';
  if (problem.closedAt !== null) return problem.review ? 'cleared' : 'none';
  if (problem.snooze && problem.snooze.until > now) return 'snoozed';
  return problem.review ? 'cleared' : 'pending';
}

const problemOf = (plain: Plain, n: number | null): ProblemRow | undefined => (n === null ? undefined : plain.over.get(n) ?? plain.problems.get(n));

const serverOf = ({ jobs }: Plain, { job }: LeanRun): string => jobs.get(job)?.server || jobs.get(job)?.computer || '';

function tell(plain: Plain, run: LeanRun, filter: RunsFilter, now: number): Told {
  const found = problemOf(plain, run.problem);
  const problem = found && !filter.anomaly && found.state === 'Anomaly' ? undefined : found;
  return {
    run, state: stateOf(run.kind), problem, review: reviewOf(problem, now), cause: problem?.cause,
    kind: problem && (plain.causes.get(problem.cause)?.kind ?? 'other'),
  };
}

const found = <T>(all: readonly (T | undefined)[]): T[] => [...new Set(all)].filter((one) => one !== undefined);
const most = <F extends { value: number; count: number }>(all: F[]): F[] =>
  all.filter((one) => one.count > 0).sort((a, b) => b.count - a.count || a.value - b.value);

export function answer(plain: Plain, filter: RunsFilter, now: number): { ids: number[]; facets: RunsFacets; progress: { cleared: number; of: number } } {
  let runs = [...plain.runs.values()].sort(newest).filter(({ startSec }) =>
    (filter.from === null || startSec * 1000 >= filter.from) && (filter.to === null || startSec * 1000 < filter.to));
  if (filter.rows === 'jobs') runs = runs.filter((run, i) => runs.findIndex(({ job }) => job === run.job) === i);
  const key = filter.text.trim().toLowerCase();
  const has = (text: string | null | undefined): boolean => !key.includes('\0') && (text ?? '').toLowerCase().includes(key);
  const told = runs.filter((run) => filter.jobs.length === 0 || filter.jobs.includes(run.job)).filter((run) => key === ''
    || has(plain.jobs.get(run.job)?.name) || has(plain.jobs.get(run.job)?.computer) || has(plain.companies.get(run.company)?.name) || has(run.message))
    .filter((run) => filter.servers.length === 0 || filter.servers.includes(serverOf(plain, run)))
    .filter((run) => filter.instructionTypes.length === 0 || filter.instructionTypes.some((group) => group === plain.jobs.get(run.job)?.group))
    .map((run) => tell(plain, run, filter, now));
  const wants: Record<Dimension, (one: Told) => boolean> = {
    review: (one) => filter.review === null || one.review === filter.review,
    states: (one) => filter.states.length === 0 || filter.states.includes(one.state),
    kinds: (one) => filter.kinds.length === 0 || filter.kinds.some((kind) => kind === one.kind),
    companies: (one) => filter.companies.length === 0 || filter.companies.includes(one.run.company),
    sources: (one) => filter.sources.length === 0 || filter.sources.some((source) => source === SOURCES[sourceCode(one.run.kind)]),
    types: (one) => filter.types.length === 0 || filter.types.some((type) => type === JOB_TYPES[typeCode(one.run.kind)]),
    managed: (one) => filter.managed === null || managedOf(one.run.kind) === filter.managed,
    anomaly: () => true,
    causes: (one) => filter.causes.length === 0 || filter.causes.includes(one.cause ?? 0),
  };
  const passing = (but: Dimension | null): Told[] =>
    told.filter((one) => Object.entries(wants).every(([dimension, wants]) => dimension === but || wants(one)));
  const count = <T>(dimension: Dimension, values: readonly T[], of: (one: Told) => unknown): { value: T; count: number }[] => {
    const rows = passing(dimension);
    return values.map((value) => ({ value, count: rows.filter((one) => of(one) === value).length }));
  };
  const review = count('review', REVIEW_STATES, (one) => one.review);
  const of = (state: ReviewState): number => review.find(({ value }) => value === state)?.count ?? 0;
  const listed = passing(null);
  if (filter.order === 'worst') listed.sort((a, b) => RUN_STATES.indexOf(a.state) - RUN_STATES.indexOf(b.state) || newest(a.run, b.run));
  return {
    ids: listed.map(({ run }) => run.n),
    facets: {
      review,
      states: count('states', RUN_STATES, (one) => one.state),
      kinds: count('kinds', PROBLEM_KINDS, (one) => one.kind),
      companies: most(count('companies', found(told.map((one) => one.run.company)), (one) => one.run.company))
        .map((one) => ({ ...one, name: plain.companies.get(one.value)?.name ?? '' })),
      sources: count('sources', SOURCES, (one) => SOURCES[sourceCode(one.run.kind)]),
      types: count('types', JOB_TYPES, (one) => JOB_TYPES[typeCode(one.run.kind)]),
      managed: count('managed', [true, false, null], (one) => managedOf(one.run.kind)),
      anomaly: [true, false].map((value) => ({ value, count: passing(null).filter((one) => (one.state === 'Anomaly') === value).length })),
      causes: most(count('causes', found(told.map((one) => one.cause)), (one) => one.cause))
        .map((one) => ({ ...one, template: plain.causes.get(one.value)?.template ?? '' })),
    },
    progress: { cleared: of('snoozed') + of('cleared'), of: of('pending') + of('snoozed') + of('cleared') },
  };
}

export function view(plain: Plain, ids: readonly number[], filter: RunsFilter, now: number): RunView[] {
  const today = dayOf(now, plain.timeZone, plain.beginsHour);
  const day = (ms: number): number => dayOf(ms, plain.timeZone, plain.beginsHour);
  const named = <T extends { readonly by: string }>(one: T | null): (T & { name: string }) | null => one && { ...one, name: plain.people.get(one.by) ?? '' };
  return ids.flatMap((n): RunView[] => {
    const run = plain.runs.get(n);
    if (!run) return [];
    const job = plain.jobs.get(run.job), problem = problemOf(plain, run.problem), cause = problem && plain.causes.get(problem.cause);
    const history = [...plain.runs.values()].filter((one) => one.job === run.job).sort(newest);
    const good = history.filter(({ kind }) => ['Success', 'Warning'].includes(STATUSES[statusCode(kind)] ?? ''));
    const before = good.filter((one) => newest(run, one) < 0);
    const durations = before.map((one) => one.elapsedSec).filter((one) => one !== null).slice(0, 30);
    const bytes = before.map((one) => one.bytes).filter((one) => one !== null).slice(0, 30);
    return [{
      n, job: run.job, jobName: job?.name ?? '', company: run.company, companyName: plain.companies.get(run.company)?.name ?? '',
      computer: job?.computer ?? '', source: SOURCES[sourceCode(run.kind)] ?? 'api', type: JOB_TYPES[typeCode(run.kind)] ?? 'Other',
      managed: managedOf(run.kind), status: STATUSES[statusCode(run.kind)] ?? 'Running', state: stateOf(run.kind),
      startedAt: run.startSec * 1000, durationSec: run.elapsedSec, usualDuration: usualOf(durations, LEAST_SPREAD.duration),
      bytes: run.bytes, usualBytes: usualOf(bytes, LEAST_SPREAD.bytes), message: run.message, template: problem ? (cause?.template ?? null) : null,
      strip: Array.from({ length: 14 }, (_, i) => worst(history.toReversed()
        .filter(({ startSec }) => Math.min(today, day(startSec * 1000)) === today - 13 + i).map(({ kind }) => stateOf(kind)), 'worst')),
      lastGoodAt: good[0] ? good[0].startSec * 1000 : null,
      review: !filter.anomaly && problem?.state === 'Anomaly' ? 'none' : reviewOf(problem, now),
      problem: problem ? {
        n: problem.n, cause: problem.cause, kind: cause?.kind ?? 'other', day: Math.max(1, day(problem.closedAt ?? now) - day(problem.openedAt) + 1),
        openedAt: problem.openedAt, closedAt: problem.closedAt, review: named(problem.review), snooze: named(problem.snooze),
        note: named(problem.note), ticket: problem.ticket,
      } : null,
      waiting: run.problem !== null && plain.over.has(run.problem),
    }];
  });
}
