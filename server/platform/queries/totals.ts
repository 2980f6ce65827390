import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { JobN, Ms, TenantId } from '#contract/ids.ts';
import { NO_TALLY, successShare } from '#contract/dashboard/overview.ts';
import type { Tally } from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { TallyOut } from '#contract/reports/result-rows.ts';
import { countsAsBackup } from '#contract/runs/vocabulary.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getColumn, SECONDS_SQL } from '#server/platform/events/totals.ts';
import { getCoverage } from './cover.ts';
import type { DayOf } from './cover.ts';
import type { KnownJobs } from './known-jobs.ts';
import { byJob, arrayText, ofJob, ofReach, getRuns, STATE, buildStretch } from './query.ts';
import type { QueryScope } from './query.ts';

/**
 * Runs of one class and state that began in one stretch. `finished`: those with a known duration.
 * There may be several rows per stretch, class and state.
 */
export interface Total {
  readonly stretch: number;
  readonly class: number;
  readonly state: RunState;
  readonly runs: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly finished: number;
}

/** The class of each job. Null: each job is its own. `one`: all are in one. */
export type ClassOf = ReadonlyMap<JobN, number> | 'one' | null;

/** What to sum besides the counts. Each costs a read of every row. */
export type Summed = 'bytes' | 'seconds';

/**
 * Returns totals of runs by stretches between `edges` (the last edge ends the last stretch), by the
 * class of their jobs and by state. Jobs without a class don't count; without a map, all count.
 * Sums that are not requested are 0. Reads days with totals (TREND-1) from the totals, others from
 * the runs. In rows from totals, bytes and seconds are on only one of the states.
 */
export async function loadTotals(
  tx: TenantTx,
  reach: QueryScope,
  edges: readonly Ms[],
  classify: ClassOf,
  summed: readonly Summed[],
): Promise<readonly Total[]> {
  const { days, gaps } = await getCoverage(tx, edges);
  const all: Total[] = [];
  for (const { edges: between, stretch } of gaps) {
    for (const one of (
      await totalsQuery(tx.tenant, reach, between, classify, summed).execute(tx.sql)
    ).rows)
      all.push({ ...one, stretch: one.stretch + stretch });
  }
  if (days.length > 0)
    for (const one of (
      await buildStoredQuery(tx.tenant, reach, days, classify, summed).execute(tx.sql)
    ).rows)
      spread(one, all);
  return all;
}

export function totalsQuery(
  tenant: TenantId,
  reach: QueryScope,
  edges: readonly Ms[],
  classify: ClassOf,
  summed: readonly Summed[],
): RawBuilder<Total> {
  const [from = 0] = edges;
  const to = edges.at(-1) ?? from;
  const none = sql`null::bigint`;
  const classes = getClasses(classify);
  return sql<Total>`
    select stretch, class, state, count(*) as runs, coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(seconds), 0)::float8 as seconds, count(seconds) as finished from (
      select ${buildStretch(edges)} as stretch, ${classes === null ? sql`run.job_n` : sql`${classes} - 1`} as class, ${STATE} as state,
        ${summed.includes('bytes') ? sql`(run.row->>'bytes')::bigint` : none} as bytes,
        ${summed.includes('seconds') ? sql.raw(SECONDS_SQL) : none} as seconds
      from run where ${getRuns(tenant, reach, from, to)}${classes === null ? sql`` : sql` and ${classes} > 0`} offset 0) as one
    group by stretch, class, state`;
}

/** Returns the class plus one, 0 for none; null if every job is its own class. */
function getClasses(
  classify: ClassOf,
  table: 'run' | 'run_total' = 'run',
): RawBuilder<number> | null {
  if (classify === 'one') return sql`1`;
  return classify === null
    ? null
    : ofJob(byJob([...classify].map(([n, one]) => [n, one + 1])), table);
}

type StoredTotals = Pick<Total, 'stretch' | 'class' | 'bytes' | 'seconds' | 'finished'> &
  Readonly<Record<string, number>>;

const COUNTS = sql.raw(
  RUN_STATES.map(getColumn)
    .map((one) => `sum(${one})::float8 as ${one}`)
    .join(', '),
);

/**
 * In floating point, as all numbers end up here: sums of `bigint` took half of the time of a query
 * on the embedded database.
 */
const buildSum = (column: string, wanted: boolean): RawBuilder<number> =>
  sql.raw(wanted ? `sum(${column}::float8) as ${column}` : `0 as ${column}`);

function buildStoredQuery(
  tenant: TenantId,
  reach: QueryScope,
  days: readonly DayOf[],
  classify: ClassOf,
  summed: readonly Summed[],
): RawBuilder<StoredTotals> {
  const first = Math.min(...days.map(({ day }) => day));
  const last = Math.max(...days.map(({ day }) => day));
  const classes = getClasses(classify, 'run_total');
  const stretches = Array.from({ length: last - first + 1 }, () => 0);
  for (const { day, stretch } of days) stretches[day - first] = stretch + 1;
  return sql<StoredTotals>`
    select stretch - 1 as stretch, class, ${COUNTS}, ${buildSum('bytes', summed.includes('bytes'))}, ${buildSum('seconds', summed.includes('seconds'))}, ${buildSum('finished', summed.includes('seconds'))} from (
      select ((select ${arrayText(stretches)}::text::int[]))[run_total.day - ${first}::int + 1] as stretch, ${classes === null ? sql`run_total.job_n` : sql`${classes} - 1`} as class,
        ${sql.raw(RUN_STATES.map(getColumn).join(', '))}, bytes, seconds, finished
      from run_total where ${ofReach('run_total', tenant, reach)} and run_total.day between ${first}::int and ${last}::int${classes === null ? sql`` : sql` and ${classes} > 0`} offset 0) as one
    where stretch > 0 group by stretch, class`;
}

/** Adds one row per state that occurs. The first one carries the sums. */
function spread(stored: StoredTotals, into: Total[]): void {
  const { stretch, class: of } = stored;
  let { bytes, seconds, finished } = stored;
  for (const state of RUN_STATES) {
    const runs = stored[getColumn(state)] ?? 0;
    if (runs === 0) continue;
    into.push({ stretch, class: of, state, runs, bytes, seconds, finished });
    [bytes, seconds, finished] = [0, 0, 0];
  }
}

/**
 * Returns the tally of totals; without totals, an empty tally. `isJudged`: whether the success rate
 * counts the jobs of a class (OVER-7).
 */
export function getTally(
  totals: readonly Pick<Total, 'class' | 'state' | 'runs' | 'bytes'>[],
  isJudged: (of: number) => boolean,
): TallyOut {
  const tally: { -readonly [K in keyof Tally]: Tally[K] } = { ...NO_TALLY };
  for (const { class: of, state, runs, bytes } of totals) {
    tally[PLACE[state]] += runs;
    tally.runs += runs;
    tally.bytes += bytes;
    if (state === 'Running' || !isJudged(of)) continue;
    tally.judged += runs;
    if (state === 'Success' || state === 'Warning' || state === 'Anomaly') tally.good += runs;
  }
  return { ...tally, share: successShare(tally) };
}

/** For totals where each job is its own class, or all are of one job: decides by the job's type. */
export const judgedJobs = (
  jobs: KnownJobs,
  request: readonly JobType[],
): ((n: JobN) => boolean) => {
  const counts = countsAsBackup(request);
  return (n) => counts(jobs.get(n)?.job.type ?? 'Other');
};

/** Splits a class in two: jobs that count for the success rate, and others. */
export const splitClass = (of: number, isJudged: boolean): number => of * 2 + (isJudged ? 1 : 0);
export const wholeClass = (split: number): number => Math.floor(split / 2);
export const isJudgedClass = (split: number): boolean => split % 2 === 1;

const PLACE = {
  Success: 'success',
  Warning: 'warning',
  Failed: 'failed',
  Error: 'failed',
  Missed: 'missed',
  Anomaly: 'anomaly',
  Running: 'running',
} as const satisfies Record<RunState, keyof Tally>;

/** Groups totals by the key that `of` returns, in one pass. */
export function heaps<K>(
  totals: readonly Total[],
  of: (total: Total) => K,
): ReadonlyMap<K, readonly Total[]> {
  const found = new Map<K, Total[]>();
  for (const one of totals) {
    const key = of(one);
    const heap = found.get(key);
    if (heap) heap.push(one);
    else found.set(key, [one]);
  }
  return found;
}
