import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { ReviewState } from '#contract/runs/query.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ofReach } from './query.ts';
import type { QueryScope } from './query.ts';

/**
 * Returns the SQL of `toRequestedReview` for `problem`. With `anomalies` false, an anomaly needs no
 * review.
 */
export const reviewIn = (now: Ms, anomalies: boolean): RawBuilder<ReviewState> => sql`case
  when problem.n is null ${anomalies ? sql`` : sql`or problem.row->>'state' = 'Anomaly'`} then 'none'
  when problem.closed_at is null and (problem.row->'snooze'->>'until')::bigint > ${now} then 'snoozed'
  when coalesce(problem.row->>'review', problem.row->>'exception') is not null then 'cleared' when problem.closed_at is null then 'pending' else 'none' end`;

export async function openProblems(
  tx: TenantTx,
  reach: QueryScope,
): Promise<readonly ProblemRow[]> {
  const { rows } = await sql<{
    readonly row: ProblemRow;
  }>`select row from problem where ${ofReach('problem', tx.tenant, reach)} and closed_at is null`.execute(
    tx.sql,
  );
  return rows.map(({ row }) => row);
}
