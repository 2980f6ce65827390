import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { JobN, Ms, TenantId } from '#contract/ids.ts';
import { successShare } from '#contract/monitoring/overview.ts';
import type { RunState } from '#contract/monitoring/query.ts';
import type { TallyOut } from '#contract/monitoring/reporting-rows.ts';
import type { TenantTx } from '#server/store/store.ts';
import { byJob, ofJob, runsOf, STATE, stretchOf } from './question.ts';
import type { Reach } from './question.ts';

/** Runs of one class and state that began in one stretch. `finished`: those that told their seconds. */
export interface Total { readonly stretch: number; readonly class: number; readonly state: RunState; readonly runs: number; readonly bytes: number; readonly seconds: number; readonly finished: number }

/** What is summed up beside the counts: each costs a look into every row. */
export type Summed = 'bytes' | 'seconds';

/**
 * What runs come to, by stretches between `edges` (the last one ends them), by the class of their jobs and by state. Jobs without a class
 * do not count. `classOf` null: each job is its own class, and all count. What is not summed is 0.
 */
export const totalsOf = async (tx: TenantTx, reach: Reach, edges: readonly Ms[], classOf: ReadonlyMap<JobN, number> | null, summed: readonly Summed[]): Promise<readonly Total[]> =>
  (await totalsQuery(tx.tenant, reach, edges, classOf, summed).execute(tx.sql)).rows;

export function totalsQuery(tenant: TenantId, reach: Reach, edges: readonly Ms[], classOf: ReadonlyMap<JobN, number> | null, summed: readonly Summed[]): RawBuilder<Total> {
  const [from = 0] = edges, to = edges.at(-1) ?? from, none = sql`null::bigint`;
  const classes = classOf === null ? null : ofJob(byJob([...classOf].map(([n, one]) => [n, one + 1])));
  return sql<Total>`
    select stretch, class, state, count(*) as runs, coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(seconds), 0)::float8 as seconds, count(seconds) as finished from (
      select ${stretchOf(edges)} as stretch, ${classes === null ? sql`run.job_n` : sql`${classes} - 1`} as class, ${STATE} as state,
        ${summed.includes('bytes') ? sql`(run.row->>'bytes')::bigint` : none} as bytes,
        ${summed.includes('seconds') ? sql`case when run.status in ('Running', 'Missed') then null else (run.row->>'durationSec')::bigint end` : none} as seconds
      from run where ${runsOf(tenant, reach, from, to)}${classes === null ? sql`` : sql` and ${classes} > 0`} offset 0) as one
    group by stretch, class, state`;
}

/** The tally of totals: none is a tally of nothing. */
export function tallyOf(totals: readonly Pick<Total, 'state' | 'runs' | 'bytes'>[]): TallyOut {
  const tally = { runs: 0, success: 0, warning: 0, failed: 0, missed: 0, anomaly: 0, running: 0, bytes: 0 };
  for (const { state, runs, bytes } of totals) {
    tally[PLACE[state]] += runs;
    tally.runs += runs;
    tally.bytes += bytes;
  }
  return { ...tally, share: successShare(tally) };
}

const PLACE = { Success: 'success', Warning: 'warning', Failed: 'failed', Error: 'failed', Missed: 'missed', Anomaly: 'anomaly', Running: 'running' } as const satisfies Record<RunState, keyof TallyOut>;

/** Totals by what `of` says of each, in one pass. */
export function heaps<K>(totals: readonly Total[], of: (total: Total) => K): ReadonlyMap<K, readonly Total[]> {
  const found = new Map<K, Total[]>();
  for (const one of totals) {
    const key = of(one), heap = found.get(key);
    if (heap) heap.push(one); else found.set(key, [one]);
  }
  return found;
}
