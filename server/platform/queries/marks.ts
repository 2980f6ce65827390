import { sql } from 'kysely';
import type { JobN } from '#contract/ids.ts';
import type { CalendarMode } from '#contract/calendar/calendar.ts';
import { worst } from '#contract/time/day.ts';
import type { DayN, WorstHow } from '#contract/time/day.ts';
import { successShare } from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getColumn, summedDays } from '#server/platform/events/totals.ts';
import { byJob, arrayText, ofJob, ofReach, getRuns, second, STATE, buildStretch } from './query.ts';
import type { QueryScope, OperationalDay } from './query.ts';

/**
 * The results of a job on one day. `states`: one bit per state that occurs, by index in
 * `RUN_STATES`; `last`: the index of the last finished state, or null.
 */
interface Mark {
  readonly job: JobN;
  readonly day: number;
  readonly runs: number;
  readonly states: number;
  readonly last: number | null;
}

/** Days per query: 14 days of 10,000 jobs are 140,000 rows. */
const BATCH_SIZE = 14;
const RUNNING = RUN_STATES.indexOf('Running');

/** Up to this many jobs, a lookup per job in the job index is faster. */
const FEW_JOBS = 1_200;

/**
 * Visits the marks of jobs on days, some days at a time: days with totals (TREND-1) from the
 * totals, others from the runs. `day`: the index in `spans`. Days come in no particular order.
 */
export async function eachMark(
  tx: TenantTx,
  reach: QueryScope,
  spans: readonly OperationalDay[],
  jobs: Iterable<JobN>,
  visit: (mark: Mark) => void,
): Promise<void> {
  const all = [...jobs];
  const { stored, others } = await splitByStorage(tx, spans);
  if (stored.length > 0)
    await readStoredMarks(
      tx,
      reach,
      new Map(stored.map(([{ n }, place]) => [n, place])),
      all,
      visit,
    );
  await readMarks(tx, reach, others, all, visit);
}

/**
 * Returns what cells show, and how many show it: equal days of jobs are counted in the database.
 * `runs`: the number of all results.
 */
export async function countMarks(
  tx: TenantTx,
  reach: QueryScope,
  spans: readonly OperationalDay[],
  jobs: Iterable<JobN>,
  visit: (mark: Pick<Mark, 'states' | 'last' | 'runs'>, cells: number) => void,
): Promise<void> {
  const all = [...jobs];
  const { stored, others } = await splitByStorage(tx, spans);
  const days = stored.map(([{ n }]) => n);
  if (days.length > 0) {
    const { rows } = await sql<
      Pick<Mark, 'states' | 'last' | 'runs'> & { readonly cells: number }
    >`select states, last, count(*) as cells, sum(runs)::float8 as runs from (
        select (${BITS}) as states, last, runs from run_total where ${ofReach('run_total', tx.tenant, reach)} and runs > 0
          and ((select ${arrayText(flags(days))}::text::int[]))[day - ${days[0] ?? 0}::int + 1] = 1 and day between ${days[0] ?? 0}::int and ${days.at(-1) ?? 0}::int and ${ofJob(byJob(all.map((n) => [n, 1])), 'run_total')} = 1 offset 0) as one
      group by states, last`.execute(tx.sql);
    for (const { cells, ...mark } of rows) visit(mark, cells);
  }
  await readMarks(tx, reach, others, all, (mark) => {
    visit(mark, 1);
  });
}

/** One flag per day from the first to the last: 1 if the day is in the list. */
function flags(days: readonly DayN[]): readonly number[] {
  const first = days[0] ?? 0;
  const all = Array.from({ length: (days.at(-1) ?? 0) - first + 1 }, () => 0);
  for (const day of days) all[day - first] = 1;
  return all;
}

type Placed = readonly (readonly [OperationalDay, number])[];

/** Splits the spans into whole days with totals and others, with their indexes. */
async function splitByStorage(
  tx: TenantTx,
  spans: readonly OperationalDay[],
): Promise<{ readonly stored: Placed; readonly others: Placed }> {
  const summed = new Map(
    (await summedDays(tx.sql, tx.tenant, spans[0]?.from ?? 0, spans.at(-1)?.to ?? 0)).map((one) => [
      one.day,
      one,
    ]),
  );
  const isSummed = ({ n, from, to }: OperationalDay): boolean => {
    const day = summed.get(n);
    return day?.from === second(from) && day.to === second(to);
  };
  const stored: (readonly [OperationalDay, number])[] = [];
  const others: (readonly [OperationalDay, number])[] = [];
  spans.forEach((span, place) => (isSummed(span) ? stored : others).push([span, place]));
  return { stored, others };
}

/** Reads marks from the runs, some days at a time. */
async function readMarks(
  tx: TenantTx,
  reach: QueryScope,
  others: Placed,
  jobs: readonly JobN[],
  visit: (mark: Mark) => void,
): Promise<void> {
  const meant = byJob(jobs.map((n) => [n, 1]));
  for (let first = 0; first < others.length;) {
    let next = first + 1;
    while (
      next < others.length &&
      next - first < BATCH_SIZE &&
      others[next]?.[1] === (others[next - 1]?.[1] ?? 0) + 1
    )
      next += 1;
    const some = others.slice(first, next);
    const from = some[0]?.[0].from ?? 0;
    const to = some.at(-1)?.[0].to ?? 0;
    // Packs the seconds since the first of these days, the run's number and the state: the greatest
    // is the last run.
    const { rows } = await sql<Mark>`
      select job, day, count(*) as runs, bit_or(1 << place) as states, max(case when place <> ${RUNNING} then (((started_at - ${from}) / 1000) << 36) + (n << 4) + place end) & 15 as last from (
        select run.job_n as job, run.n, run.started_at, ${buildStretch([...some.map(([one]) => one.from), to])} as day,
          array_position(array[${sql.join(RUN_STATES)}]::text[], ${STATE}) - 1 as place
        from run where ${getRuns(tx.tenant, reach, from, to)} and ${ofJob(meant)} = 1 offset 0) as one
      group by job, day`.execute(tx.sql);
    for (const one of rows) visit({ ...one, day: one.day + (some[0]?.[1] ?? 0) });
    first = next;
  }
}

const BITS = sql.raw(
  RUN_STATES.map((state, place) => `((${getColumn(state)} > 0)::int << ${place})`).join(' | '),
);

/** `places`: the indexes of the days in the spans. */
async function readStoredMarks(
  tx: TenantTx,
  reach: QueryScope,
  places: ReadonlyMap<DayN, number>,
  jobs: readonly JobN[],
  visit: (mark: Mark) => void,
): Promise<void> {
  const days = [...places.keys()];
  const meant =
    jobs.length <= FEW_JOBS
      ? sql`job_n = any(${arrayText(jobs)}::text::bigint[])`
      : sql`${ofJob(byJob(jobs.map((n) => [n, 1])), 'run_total')} = 1`;
  const atOnce = jobs.length <= FEW_JOBS ? days.length : BATCH_SIZE;
  for (let first = 0; first < days.length; first += atOnce) {
    const some = days.slice(first, first + atOnce);
    const { rows } =
      await sql<Mark>`select job_n as job, day, runs, (${BITS}) as states, last from run_total
      where ${ofReach('run_total', tx.tenant, reach)} and runs > 0 and day between ${some[0] ?? 0}::int and ${some.at(-1) ?? 0}::int and ${meant}`.execute(
        tx.sql,
      );
    for (const one of rows) {
      const day = places.get(one.day);
      if (day !== undefined) visit({ ...one, day });
    }
  }
}

const HOW: Readonly<Record<CalendarMode, WorstHow>> = {
  worst: 'worst',
  best: 'best',
  last: 'last',
  mixed: 'warning-if-mixed',
};
const known = new Map<string, RunState | null>();

/** Returns what the cell of a day shows. */
export function getCell(
  { states, last }: Pick<Mark, 'states' | 'last'>,
  mode: CalendarMode,
): RunState | null {
  const key = `${mode} ${states} ${last ?? ''}`;
  let cell = known.get(key);
  if (cell === undefined) {
    const all = RUN_STATES.filter((_state, place) => (states & (1 << place)) !== 0);
    const end = last === null ? undefined : RUN_STATES[last];
    known.set(key, (cell = worst(end === undefined ? all : [...all, end], HOW[mode])));
  }
  return cell;
}

export const isBad = (state: RunState | null): boolean =>
  state === 'Failed' || state === 'Error' || state === 'Missed';

/**
 * Returns the number of days on which something ended or should have run, and how many of them
 * succeeded.
 */
export function countJudged(counts: ReadonlyMap<RunState | null, number>): {
  readonly judged: number;
  readonly good: number;
} {
  const of = (...states: readonly RunState[]): number =>
    states.reduce((all, state) => all + (counts.get(state) ?? 0), 0);
  const good = of('Success', 'Warning', 'Anomaly');
  return { judged: good + of('Failed', 'Error', 'Missed'), good };
}

/** Returns the share of good days among the judged ones, 0 to 1. Null if there are none. */
export const getSuccessRate = (counts: ReadonlyMap<RunState | null, number>): number | null =>
  successShare(countJudged(counts));
