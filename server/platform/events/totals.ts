import { CompiledQuery, type Transaction } from 'kysely';
import type { JobN, Ms, TenantId } from '#contract/ids.ts';
import type { DayN } from '#contract/time/day.ts';
import { RUN_STATES, type RunState } from '#contract/runs/query.ts';
import type { Difference } from './compare.ts';
import { type Given, unnestParams, parameters } from '../db/bulk.ts';
import type { Database } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import type { AffectedRun } from './projection.ts';

/** An unusual success is an anomaly. The text search avoids parsing the row as JSON. */
export const STATE_SQL = `case when run.status = 'Success' and position('"anomaly":[]' in run.row::text) = 0 and json_array_length(run.row->'anomaly') > 0 then 'Anomaly' else run.status end`;
export const SECONDS_SQL = `case when run.status in ('Running', 'Missed') then null else (run.row->>'durationSec')::bigint end`;
/** Returns the column that counts results of a state. */
export const getColumn = (state: RunState): string => state.toLowerCase();

const PLACES = `array[${RUN_STATES.map((one) => `'${one}'`).join(', ')}]::text[]`;
const RUNNING = RUN_STATES.indexOf('Running');
const SUMS = [
  'company_n',
  'runs',
  ...RUN_STATES.map(getColumn),
  'bytes',
  'seconds',
  'finished',
  'last',
];
/**
 * Returns the select list of sums over `one`; `from`: the start of its day. For `last`, it packs
 * the seconds since then, the run's number and the state: the greatest is the last run.
 */
const sums = (
  from: string,
): string => `coalesce(max(company_n), 0) as company_n, count(n)::int as runs, ${RUN_STATES.map((state, place) => `(count(*) filter (where place = ${place}))::int as ${getColumn(state)}`).join(', ')},
  coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(seconds), 0)::bigint as seconds, count(seconds)::int as finished,
  (max(case when place <> ${RUNNING} then (((started_at - ${from}) / 1000) << 36) + (n << 4) + place end) & 15)::smallint as last`;
const ONE = `select run.job_n, run.company_n, run.n, run.started_at, array_position(${PLACES}, ${STATE_SQL}) - 1 as place, (run.row->>'bytes')::bigint as bytes, ${SECONDS_SQL} as seconds from run where run.tenant_id = $1::uuid`;
/** `$2` is the day, `$3` its start, `$4` its end. */
const OF_DAY = `select job_n, ${sums('$3::bigint')} from (${ONE} and run.started_at >= $3::bigint and run.started_at < $4::bigint offset 0) as one group by job_n`;
const SUM_DAY = `insert into run_total (tenant_id, day, job_n, ${SUMS.join(', ')}) select h.tenant_id, $2::int, job_n, ${SUMS.join(', ')} from (${OF_DAY}) as day cross join head as h where h.tenant_id = $1::uuid`;

const PLACED: readonly Given[] = [
  { name: 'job', type: 'bigint' },
  { name: 'at', type: 'bigint' },
];
/** Recalculates a job's totals for days with late results. Days without totals don't match. */
const SUM_AGAIN = prepared(`insert into run_total (tenant_id, day, job_n, ${SUMS.join(', ')})
  select at.tenant_id, at.day, at.job, ${SUMS.map((one) => `all_of.${one}`).join(', ')} from (
    select distinct d.tenant_id, d.day, d.from_at, d.to_at, x.job from ${unnestParams(PLACED, 2)} join run_total_day d on d.tenant_id = $1::uuid and x.at >= d.from_at and x.at < d.to_at) as at
  cross join lateral (select ${sums('at.from_at')} from (${ONE} and run.job_n = at.job and run.started_at >= at.from_at and run.started_at < at.to_at offset 0) as one) as all_of
  on conflict (tenant_id, day, job_n) do update set ${SUMS.map((one) => `${one} = excluded.${one}`).join(', ')}`);

/**
 * TREND-1: returns the statement that updates the totals of days that got late or repeated results.
 * Send it after the rows are written.
 */
export const getTotalsStatement = (
  tenant: TenantId,
  placed: readonly AffectedRun[],
): CompiledQuery => CompiledQuery.raw(SUM_AGAIN, [tenant, ...parameters(PLACED, placed)]);

/** A past day and its bounds. */
export interface SummedDay {
  readonly day: DayN;
  readonly from: Ms;
  readonly to: Ms;
}

/** Returns the days with totals within a time range, oldest first. */
export async function summedDays(
  sql: Transaction<Database>,
  tenant: TenantId,
  from: Ms | null = null,
  to: Ms | null = null,
): Promise<readonly SummedDay[]> {
  const { rows } = await sql.executeQuery(
    CompiledQuery.raw(
      'select day, from_at as "from", to_at as "to" from run_total_day where tenant_id = $1::uuid and ($2::bigint is null or from_at >= $2::bigint) and ($3::bigint is null or to_at <= $3::bigint) order by from_at',
      [tenant, from, to],
    ),
  );
  return rows as SummedDay[];
}

/**
 * Calculates the totals of a day. Requires the lock of the head row, so that no result comes in
 * between.
 */
export async function sumDay(
  sql: Transaction<Database>,
  tenant: TenantId,
  { day, from, to }: SummedDay,
): Promise<void> {
  await sql.executeQuery(
    CompiledQuery.raw(
      'insert into run_total_day (tenant_id, day, from_at, to_at) values ($1::uuid, $2::int, $3::bigint, $4::bigint)',
      [tenant, day, from, to],
    ),
  );
  await sql.executeQuery(CompiledQuery.raw(SUM_DAY, [tenant, day, from, to]));
}

export async function forgetDays(
  sql: Transaction<Database>,
  tenant: TenantId,
  days: readonly DayN[],
): Promise<void> {
  for (const table of ['run_total', 'run_total_day'])
    await sql.executeQuery(
      CompiledQuery.raw(
        `delete from ${table} where tenant_id = $1::uuid and day = any($2::text::int[])`,
        [tenant, `{${days.join(',')}}`],
      ),
    );
}

/** Recalculates every day with totals from the results. */
export async function sumAllAgain(sql: Transaction<Database>, tenant: TenantId): Promise<void> {
  const days = await summedDays(sql, tenant);
  await forgetDays(
    sql,
    tenant,
    days.map(({ day }) => day),
  );
  for (const day of days) await sumDay(sql, tenant, day);
}

/** LOG-5: returns the jobs and days whose totals don't match their results. */
export async function wrongTotals(
  sql: Transaction<Database>,
  tenant: TenantId,
): Promise<Difference[]> {
  const all: Difference[] = [];
  const columns = SUMS.join(', ');
  for (const { day, from, to } of await summedDays(sql, tenant)) {
    const { rows } = await sql.executeQuery(
      CompiledQuery.raw(
        `with fresh as (select job_n, row(${columns})::text as sums from (${OF_DAY}) as day),
      kept as (select job_n, row(${columns})::text as sums from run_total where tenant_id = $1::uuid and day = $2::int and runs > 0)
      select job_n as job, kept.sums as stored, fresh.sums as folded from fresh full join kept using (job_n) where kept.sums is distinct from fresh.sums order by job_n`,
        [tenant, day, from, to],
      ),
    );
    for (const { job, stored, folded } of rows as {
      job: JobN;
      stored: string | null;
      folded: string | null;
    }[])
      all.push({ table: 'run_total', id: `${day} ${job}`, stored, folded });
  }
  return all;
}
