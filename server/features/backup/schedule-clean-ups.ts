import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';

/**
 * Schedules the clean-ups of an organization's repositories: they lock what is on hold, and write into the
 * repositories who is on hold or excluded.
 */
export async function scheduleOrganizationCleanUps(
  tx: TenantTx,
  { id: organization }: Pick<OrganizationRow, 'id'>,
  now: Ms,
): Promise<void> {
  for (const { id, target, removedAt, ...row } of await tx.all('backupRepository'))
    if (row.organization === organization && removedAt === null && target.type !== 'Server')
      await scheduleUpkeep(tx, 'repository-clean-up', id, now);
}
