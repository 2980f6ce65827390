import { sql } from 'kysely';
import type { JobN } from '#contract/ids.ts';
import type { CalendarMode } from '#contract/monitoring/calendar.ts';
import { worst } from '#contract/monitoring/day.ts';
import type { DayN, WorstHow } from '#contract/monitoring/day.ts';
import { RUN_STATES } from '#contract/monitoring/query.ts';
import type { RunState } from '#contract/monitoring/query.ts';
import type { TenantTx } from '#server/store/store.ts';
import { columnOf, summedDays } from '#server/store/totals.ts';
import { byJob, list, ofJob, ofReach, runsOf, second, STATE, stretchOf } from './question.ts';
import type { Reach, Span } from './question.ts';

/** What the results of a job on one day are. `states`: a bit for each that occurs, by place in `RUN_STATES`; `last`: the place of the last that is over, or null. */
interface Mark { readonly job: JobN; readonly day: number; readonly runs: number; readonly states: number; readonly last: number | null }

/** Days that are read at once: 14 days of 10,000 jobs are 140,000 rows. */
const AT_ONCE = 14;
const RUNNING = RUN_STATES.indexOf('Running');

/** So many jobs are found one by one, by the index of jobs. */
const FEW_JOBS = 300;

/**
 * Visits the marks of jobs on days, some days at a time, those that are summed up (TREND-1) from their totals and others from the runs.
 * `day`: place in `spans`. In no order of days.
 */
export async function eachMark(tx: TenantTx, reach: Reach, spans: readonly Span[], jobs: Iterable<JobN>, visit: (mark: Mark) => void): Promise<void> {
  const all = [...jobs], summed = new Map((await summedDays(tx.sql, tx.tenant, spans[0]?.from ?? 0, spans.at(-1)?.to ?? 0)).map((one) => [one.day, one]));
  const isSummed = ({ n, from, to }: Span): boolean => { const day = summed.get(n); return day?.from === second(from) && day.to === second(to); };
  const kept: (readonly [Span, number])[] = [], others: (readonly [Span, number])[] = [];
  spans.forEach((span, place) => (isSummed(span) ? kept : others).push([span, place]));
  if (kept.length > 0) await keptMarks(tx, reach, new Map(kept.map(([{ n }, place]) => [n, place])), all, visit);
  const meant = byJob(all.map((n) => [n, 1]));
  for (let first = 0; first < others.length;) {
    let next = first + 1;
    while (next < others.length && next - first < AT_ONCE && others[next]?.[1] === (others[next - 1]?.[1] ?? 0) + 1) next += 1;
    const some = others.slice(first, next), from = some[0]?.[0].from ?? 0, to = some.at(-1)?.[0].to ?? 0;
    // Seconds since the first of these days, the number of the run, the state: the greatest is the last.
    const { rows } = await sql<Mark>`
      select job, day, count(*) as runs, bit_or(1 << place) as states, max(case when place <> ${RUNNING} then (((started_at - ${from}) / 1000) << 36) + (n << 4) + place end) & 15 as last from (
        select run.job_n as job, run.n, run.started_at, ${stretchOf([...some.map(([one]) => one.from), to])} as day,
          array_position(array[${sql.join(RUN_STATES)}]::text[], ${STATE}) - 1 as place
        from run where ${runsOf(tx.tenant, reach, from, to)} and ${ofJob(meant)} = 1 offset 0) as one
      group by job, day`.execute(tx.sql);
    for (const one of rows) visit({ ...one, day: one.day + (some[0]?.[1] ?? 0) });
    first = next;
  }
}

const BITS = sql.raw(RUN_STATES.map((state, place) => `((${columnOf(state)} > 0)::int << ${place})`).join(' | '));

/** `places`: of days, in the spans. */
async function keptMarks(tx: TenantTx, reach: Reach, places: ReadonlyMap<DayN, number>, jobs: readonly JobN[], visit: (mark: Mark) => void): Promise<void> {
  const days = [...places.keys()], meant = jobs.length <= FEW_JOBS ? sql`job_n = any(${list(jobs)}::text::bigint[])` : sql`${ofJob(byJob(jobs.map((n) => [n, 1])), 'run_total')} = 1`;
  const atOnce = jobs.length <= FEW_JOBS ? days.length : AT_ONCE;
  for (let first = 0; first < days.length; first += atOnce) {
    const some = days.slice(first, first + atOnce);
    const { rows } = await sql<Mark>`select job_n as job, day, runs, (${BITS}) as states, last from run_total
      where ${ofReach('run_total', tx.tenant, reach)} and runs > 0 and day between ${some[0] ?? 0}::int and ${some.at(-1) ?? 0}::int and ${meant}`.execute(tx.sql);
    for (const one of rows) { const day = places.get(one.day); if (day !== undefined) visit({ ...one, day }); }
  }
}

const HOW: Readonly<Record<CalendarMode, WorstHow>> = { worst: 'worst', best: 'best', last: 'last', mixed: 'warning-if-mixed' };
const known = new Map<string, RunState | null>();

/** What the cell of a day shows. */
export function cellOf({ states, last }: Pick<Mark, 'states' | 'last'>, mode: CalendarMode): RunState | null {
  const key = `${mode} ${states} ${last ?? ''}`;
  let cell = known.get(key);
  if (cell === undefined) {
    const all = RUN_STATES.filter((_state, place) => (states & (1 << place)) !== 0), end = last === null ? undefined : RUN_STATES[last];
    known.set(key, (cell = worst(end === undefined ? all : [...all, end], HOW[mode])));
  }
  return cell;
}

export const isBad = (state: RunState | null): boolean => state === 'Failed' || state === 'Error' || state === 'Missed';

/** Of 0 to 1: days that succeeded among those on which something ended or should have run. Null where none did. */
export function shareOf(counts: ReadonlyMap<RunState | null, number>): number | null {
  const of = (...states: readonly RunState[]): number => states.reduce((all, state) => all + (counts.get(state) ?? 0), 0);
  const good = of('Success', 'Warning', 'Anomaly'), all = good + of('Failed', 'Error', 'Missed');
  return all === 0 ? null : good / all;
}
