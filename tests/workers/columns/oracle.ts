/**
 * The columns' judge: the same questions answered from plain rows, one by one, by code that can be
 * read at a glance.
 */
import { nameKey } from '#workers/columns/order-names.ts';
import {
  isAnomaly,
  managedCode,
  sourceCode,
  statusCode,
  typeCode,
} from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { getDay, worst } from '#contract/time/day.ts';
import { MIN_SPREAD, getUsualRange } from '#contract/problems/judge.ts';
import { REVIEW_STATES, RUN_STATES, SINGLE_CAUSES } from '#contract/runs/query.ts';
import type {
  GroupHead,
  ReviewState,
  RunsFacets,
  RunsFilter,
  RunState,
  RunView,
} from '#contract/runs/query.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import {
  JOB_TYPES,
  PROBLEM_KINDS,
  SOURCE_NAMES,
  SOURCES,
  STATUSES,
} from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';

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
interface Details {
  readonly run: LeanRun;
  readonly state: RunState;
  readonly problem: ProblemRow | undefined;
  readonly review: ReviewState;
  readonly kind: string | undefined;
  readonly cause: number | undefined;
}
type Dimension = keyof RunsFacets;

const newest = (a: LeanRun, b: LeanRun): number => b.startSec - a.startSec || b.n - a.n;

const getState = (kind: number): RunState => {
  const status = STATUSES[statusCode(kind)] ?? 'Running';
  return status === 'Success' && isAnomaly(kind) ? 'Anomaly' : status;
};
const isGood = ({ kind }: LeanRun): boolean =>
  ['Success', 'Warning'].includes(STATUSES[statusCode(kind)] ?? '');
const getManaged = (kind: number): boolean | null =>
  managedCode(kind) === 0 ? null : managedCode(kind) === 2;

export function getReview(problem: ProblemRow | undefined, now: number): ReviewState {
  if (!problem) return 'none';
  if (problem.closedAt !== null) return problem.review ? 'cleared' : 'none';
  if (problem.snooze && problem.snooze.until > now) return 'snoozed';
  return problem.review ? 'cleared' : 'pending';
}

const getProblem = (plain: Plain, n: number | null): ProblemRow | undefined =>
  n === null ? undefined : (plain.over.get(n) ?? plain.problems.get(n));

const getServer = ({ jobs }: Plain, { job }: LeanRun): string =>
  jobs.get(job)?.server || jobs.get(job)?.computer || '';

function toDetails(plain: Plain, run: LeanRun, filter: RunsFilter, now: number): Details {
  const found = getProblem(plain, run.problem);
  const problem = found && !filter.anomaly && found.state === 'Anomaly' ? undefined : found;
  return {
    run,
    state: getState(run.kind),
    problem,
    review: getReview(problem, now),
    cause: problem?.cause,
    kind: problem && (plain.causes.get(problem.cause)?.kind ?? 'other'),
  };
}

const found = <T>(all: readonly (T | undefined)[]): T[] =>
  [...new Set(all)].filter((one) => one !== undefined);
const max = <F extends { value: number; count: number }>(all: F[]): F[] =>
  all.filter((one) => one.count > 0).sort((a, b) => b.count - a.count || a.value - b.value);

type Value = string | number | null;

/** What a row is ordered by; null and the empty name are no value. */
function getValue(
  plain: Plain,
  { run, state }: Details,
  order: Exclude<RunsFilter['order'], 'newest'>,
  now: number,
): Value {
  const job = plain.jobs.get(run.job);
  const problem = getProblem(plain, run.problem);
  const day = (ms: number): number => getDay(ms, plain.timeZone, plain.beginsHour);
  switch (order) {
    case 'worst':
      return RUN_STATES.indexOf(state);
    case 'company':
      return plain.companies.get(run.company)?.name ?? null;
    case 'job':
      return job?.name ?? null;
    case 'computer':
      return job?.computer ?? null;
    case 'duration':
      return run.elapsedSec;
    case 'bytes':
      return run.bytes;
    case 'lastGood':
      return (
        [...plain.runs.values()].filter((one) => one.job === run.job && isGood(one)).sort(newest)[0]
          ?.startSec ?? null
      );
    case 'streak':
      return problem ? Math.max(1, day(problem.closedAt ?? now) - day(problem.openedAt) + 1) : null;
    case 'cause':
      return (problem && plain.causes.get(problem.cause)?.template) ?? null;
    case 'source':
      return SOURCE_NAMES[SOURCES[sourceCode(run.kind)] ?? 'api'];
    case 'ticket':
      return problem?.ticket ?? null;
  }
}

const less = (a: string | number, b: string | number): boolean =>
  typeof a === 'string' && typeof b === 'string' && nameKey(a) !== nameKey(b)
    ? nameKey(a) < nameKey(b)
    : a < b;

/** Rows without a value are last, either way. */
function compare(a: Value, b: Value, reverse: boolean): number {
  const none = (value: Value): boolean => value === null || value === '';
  if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
  if (a === b || a === null || b === null) return 0;
  return less(a, b) === reverse ? 1 : -1;
}

function inOrder(
  plain: Plain,
  rows: readonly Details[],
  filter: RunsFilter,
  now: number,
): Details[] {
  if (filter.order === 'newest')
    return rows.toSorted((a, b) => (filter.reverse ? -1 : 1) * newest(a.run, b.run));
  const { order } = filter;
  const valued = rows.map((one) => ({ one, value: getValue(plain, one, order, now) }));
  return valued
    .sort((a, b) => compare(a.value, b.value, filter.reverse) || newest(a.one.run, b.one.run))
    .map(({ one }) => one);
}

export interface PlainGroup {
  readonly head: Omit<GroupHead, 'line' | 'folded'>;
  readonly ids: number[];
}

/** `rows` in order; `reviewed`: the rows of any review state. */
function getGroups(
  plain: Plain,
  rows: readonly Details[],
  reviewed: readonly Details[],
  { group }: RunsFilter,
): PlainGroup[] {
  const met = [...rows, ...reviewed.filter(({ review }) => review !== 'none')];
  const getJobs = (cause: number): number =>
    new Set(met.filter((one) => one.cause === cause).map(({ run }) => run.job)).size;
  const single = new Set(
    group === 'cause'
      ? found(met.map(({ cause }) => cause)).filter((cause) => getJobs(cause) === 1)
      : [],
  );
  const getKey = ({ run, cause }: Details): number | string =>
    group === 'company'
      ? run.company
      : group === 'job'
        ? run.job
        : group === 'server'
          ? getServer(plain, run)
          : cause !== undefined && single.has(cause)
            ? SINGLE_CAUSES
            : (cause ?? 0);
  const getTitle = (key: number | string): string =>
    (group === 'company'
      ? plain.companies.get(Number(key))?.name
      : group === 'job'
        ? plain.jobs.get(Number(key))?.name
        : group === 'cause'
          ? plain.causes.get(Number(key))?.template
          : String(key)) ?? '';
  const groups = [...new Set(rows.map(getKey))].map((key): PlainGroup => {
    const own = rows.filter((one) => getKey(one) === key);
    const request = reviewed.filter((one) => getKey(one) === key && one.review !== 'none');
    return {
      head: {
        key,
        title: getTitle(key),
        rows: own.length,
        jobs: new Set(own.map(({ run }) => run.job)).size,
        companies: new Set(own.map(({ run }) => run.company)).size,
        worst: RUN_STATES.find((state) => own.some((one) => one.state === state)) ?? 'Success',
        progress: {
          cleared: request.filter(({ review }) => review !== 'pending').length,
          of: request.length,
        },
        ...(key === SINGLE_CAUSES && { causes: [...single].sort((a, b) => a - b) }),
      },
      ids: own.map(({ run }) => run.n),
    };
  });
  const behind = (key: number | string): number =>
    group !== 'cause' ? 0 : key === SINGLE_CAUSES ? 1 : key === 0 ? 2 : 0;
  return groups.sort(
    ({ head: a }, { head: b }) =>
      behind(a.key) - behind(b.key) ||
      RUN_STATES.indexOf(a.worst) - RUN_STATES.indexOf(b.worst) ||
      b.rows - a.rows ||
      compare(a.title, b.title, false) ||
      Number(a.key) - Number(b.key),
  );
}

/** The lines of a list: heads, and the runs of those that are not folded away. */
export function getLines(
  ids: readonly number[],
  groups: readonly PlainGroup[] | null,
  folded: readonly (number | string)[],
): (number | GroupHead)[] {
  if (!groups) return [...ids];
  const lines: (number | GroupHead)[] = [];
  for (const { head, ids: own } of groups) {
    const isFolded = folded.includes(head.key);
    lines.push({ ...head, line: lines.length, folded: isFolded }, ...(isFolded ? [] : own));
  }
  return lines;
}

interface Answer {
  readonly ids: number[];
  readonly groups: PlainGroup[] | null;
  readonly facets: RunsFacets;
  readonly progress: { readonly cleared: number; readonly of: number };
}

export function answer(plain: Plain, filter: RunsFilter, now: number): Answer {
  let runs = [...plain.runs.values()]
    .sort(newest)
    .filter(
      ({ startSec }) =>
        (filter.from === null || startSec * 1000 >= filter.from) &&
        (filter.to === null || startSec * 1000 < filter.to),
    );
  if (filter.rows === 'jobs')
    runs = runs.filter((run, i) => runs.findIndex(({ job }) => job === run.job) === i);
  const key = filter.text.trim().toLowerCase();
  const has = (text: string | null | undefined): boolean =>
    !key.includes('\0') && (text ?? '').toLowerCase().includes(key);
  const details = runs
    .filter((run) => filter.jobs.length === 0 || filter.jobs.includes(run.job))
    .filter(
      (run) =>
        key === '' ||
        has(plain.jobs.get(run.job)?.name) ||
        has(plain.jobs.get(run.job)?.computer) ||
        has(plain.companies.get(run.company)?.name) ||
        has(run.message),
    )
    .filter((run) => filter.servers.length === 0 || filter.servers.includes(getServer(plain, run)))
    .filter(
      (run) =>
        filter.instructionTypes.length === 0 ||
        filter.instructionTypes.some((group) => group === plain.jobs.get(run.job)?.group),
    )
    .map((run) => toDetails(plain, run, filter, now));
  const wants: Record<Dimension, (one: Details) => boolean> = {
    review: (one) => filter.review === null || one.review === filter.review,
    states: (one) => filter.states.length === 0 || filter.states.includes(one.state),
    kinds: (one) => filter.kinds.length === 0 || filter.kinds.some((kind) => kind === one.kind),
    companies: (one) => filter.companies.length === 0 || filter.companies.includes(one.run.company),
    sources: (one) =>
      filter.sources.length === 0 ||
      filter.sources.some((source) => source === SOURCES[sourceCode(one.run.kind)]),
    types: (one) =>
      filter.types.length === 0 ||
      filter.types.some((type) => type === JOB_TYPES[typeCode(one.run.kind)]),
    managed: (one) => filter.managed === null || getManaged(one.run.kind) === filter.managed,
    anomaly: () => true,
    causes: (one) => filter.causes.length === 0 || filter.causes.includes(one.cause ?? 0),
  };
  const passing = (but: Dimension | null): Details[] =>
    details.filter((one) =>
      Object.entries(wants).every(([dimension, wants]) => dimension === but || wants(one)),
    );
  const count = <T>(
    dimension: Dimension,
    values: readonly T[],
    of: (one: Details) => unknown,
  ): { value: T; count: number }[] => {
    const rows = passing(dimension);
    return values.map((value) => ({
      value,
      count: rows.filter((one) => of(one) === value).length,
    }));
  };
  const review = count('review', REVIEW_STATES, (one) => one.review);
  const of = (state: ReviewState): number =>
    review.find(({ value }) => value === state)?.count ?? 0;
  const listed = inOrder(plain, passing(null), filter, now);
  const groups = filter.group && getGroups(plain, listed, passing('review'), filter);
  const counted = filter.anomaly
    ? listed
    : details
        .map(({ run }) => toDetails(plain, run, { ...filter, anomaly: true }, now))
        .filter((one) => Object.values(wants).every((want) => want(one)));
  return {
    ids: groups ? groups.flatMap(({ ids }) => ids) : listed.map(({ run }) => run.n),
    groups,
    facets: {
      review,
      states: count('states', RUN_STATES, (one) => one.state),
      kinds: count('kinds', PROBLEM_KINDS, (one) => one.kind),
      companies: max(
        count('companies', found(details.map((one) => one.run.company)), (one) => one.run.company),
      ).map((one) => ({ ...one, name: plain.companies.get(one.value)?.name ?? '' })),
      sources: count('sources', SOURCES, (one) => SOURCES[sourceCode(one.run.kind)]),
      types: count('types', JOB_TYPES, (one) => JOB_TYPES[typeCode(one.run.kind)]),
      managed: count('managed', [true, false, null], (one) => getManaged(one.run.kind)),
      anomaly: [true, false].map((value) => ({
        value,
        count: counted.filter((one) => (one.state === 'Anomaly') === value).length,
      })),
      causes: max(count('causes', found(details.map((one) => one.cause)), (one) => one.cause)).map(
        (one) => ({ ...one, template: plain.causes.get(one.value)?.template ?? '' }),
      ),
    },
    progress: {
      cleared: of('snoozed') + of('cleared'),
      of: of('pending') + of('snoozed') + of('cleared'),
    },
  };
}

export function view(
  plain: Plain,
  ids: readonly number[],
  filter: RunsFilter,
  now: number,
): RunView[] {
  const today = getDay(now, plain.timeZone, plain.beginsHour);
  const day = (ms: number): number => getDay(ms, plain.timeZone, plain.beginsHour);
  const named = <T extends { readonly by: string }>(one: T | null): (T & { name: string }) | null =>
    one && { ...one, name: plain.people.get(one.by) ?? '' };
  return ids.flatMap((n): RunView[] => {
    const run = plain.runs.get(n);
    if (!run) return [];
    const job = plain.jobs.get(run.job);
    const problem = getProblem(plain, run.problem);
    const cause = problem && plain.causes.get(problem.cause);
    const history = [...plain.runs.values()].filter((one) => one.job === run.job).sort(newest);
    const good = history.filter(isGood);
    const before = good.filter((one) => newest(run, one) < 0);
    const durations = before
      .map((one) => one.elapsedSec)
      .filter((one) => one !== null)
      .slice(0, 30);
    const bytes = before
      .map((one) => one.bytes)
      .filter((one) => one !== null)
      .slice(0, 30);
    return [
      {
        n,
        job: run.job,
        jobName: job?.name ?? '',
        company: run.company,
        companyName: plain.companies.get(run.company)?.name ?? '',
        computer: job?.computer ?? '',
        source: SOURCES[sourceCode(run.kind)] ?? 'api',
        type: JOB_TYPES[typeCode(run.kind)] ?? 'Other',
        managed: getManaged(run.kind),
        scheduleState: !job
          ? null
          : !job.enabled
            ? 'Disabled'
            : job.schedule === null
              ? null
              : getScheduleState(job),
        status: STATUSES[statusCode(run.kind)] ?? 'Running',
        state: getState(run.kind),
        startedAt: run.startSec * 1000,
        durationSec: run.elapsedSec,
        usualDuration: getUsualRange(durations, MIN_SPREAD.duration),
        bytes: run.bytes,
        usualBytes: getUsualRange(bytes, MIN_SPREAD.bytes),
        message: run.message,
        template: problem ? (cause?.template ?? null) : null,
        strip: Array.from({ length: 14 }, (_, i) =>
          worst(
            history
              .toReversed()
              .filter(({ startSec }) => Math.min(today, day(startSec * 1000)) === today - 13 + i)
              .map(({ kind }) => getState(kind)),
            'worst',
          ),
        ),
        lastGoodAt: good[0] ? good[0].startSec * 1000 : null,
        review: !filter.anomaly && problem?.state === 'Anomaly' ? 'none' : getReview(problem, now),
        problem: problem
          ? {
              n: problem.n,
              cause: problem.cause,
              kind: cause?.kind ?? 'other',
              day: Math.max(1, day(problem.closedAt ?? now) - day(problem.openedAt) + 1),
              openedAt: problem.openedAt,
              closedAt: problem.closedAt,
              review: named(problem.review),
              snooze: named(problem.snooze),
              note: named(problem.note),
              ticket: problem.ticket,
            }
          : null,
        waiting: run.problem !== null && plain.over.has(run.problem),
      },
    ];
  });
}
