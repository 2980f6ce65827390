import { sql } from 'kysely';
import type { JobN, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getRuns } from './query.ts';
import type { Question } from './query.ts';

const GOOD_DAYS: Ms = 30 * 86_400_000;

/** Returns each job's newest start within thirty days that ended in success or with a warning. */
export async function loadLastGood(
  tx: TenantTx,
  question: Question,
): Promise<ReadonlyMap<JobN, Ms>> {
  const { rows } = await sql<{
    readonly job: JobN;
    readonly at: Ms;
  }>`select job_n as job, max(started_at) as at from run
    where ${getRuns(tx.tenant, question, question.now - GOOD_DAYS, Number.MAX_SAFE_INTEGER - 1000)} and status in ('Success', 'Warning') group by job_n`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ job, at }) => [job, at]));
}
