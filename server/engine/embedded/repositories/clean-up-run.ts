import { sql } from 'kysely';
import type { BackupRepositoryId } from '#contract/ids.ts';
import type { RepositoryUpkeep } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

// A server that was suspended may go on with a clean-up that another one has begun again. It removes and
// stores nothing more: since then, people may have been excluded, removed, and backed up again.

/**
 * Notes that a run of the clean-up begins; from now on, former ones have no effect. Returns what is to
 * be done.
 */
export async function beginRun(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  run: string,
): Promise<RepositoryUpkeep> {
  const { rows } = await sql<{ readonly upkeep: RepositoryUpkeep }>`
    update repository_access set upkeep = upkeep || ${JSON.stringify({ run })}::text::jsonb
    where tenant_id = ${tenant} and repository_id = ${repository} returning upkeep`.execute(db);
  return rows[0]?.upkeep ?? {};
}

/** Returns whether no other run has begun or ended since. None begins until the transaction ends. */
export async function isCurrentRun(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  run: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from repository_access
    where tenant_id = ${tenant} and repository_id = ${repository} and upkeep ->> 'run' = ${run}
    for update`.execute(db);
  return rows.length > 0;
}

/**
 * Notes that a run has ended, with what it has done; sessions begin again. `isPostponed`: old items are still to be removed.
 * `hasDamagedCopies`: when it began. Copies that a verification has found since are still there.
 */
export async function endRun(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  {
    isPostponed,
    hasDamagedCopies,
  }: { readonly isPostponed: boolean; readonly hasDamagedCopies: boolean },
): Promise<void> {
  await sql`
    update repository_access set upkeep = upkeep - 'run' - 'reserved' - ${hasDamagedCopies ? 'repack' : ''}::text - ${isPostponed ? '' : 'rewrite'}::text
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
}
