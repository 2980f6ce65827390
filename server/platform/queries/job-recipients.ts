import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { JobNotification } from '#contract/engine/server-jobs.ts';
import type { NewEvent } from '#contract/events.ts';
import type { BackupJobId, CompanyN } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns an event of a job. */
export const jobEvent = (
  { id, company }: Pick<BackupJobRow, 'id' | 'company'>,
  event: NewEvent['event'],
): NewEvent => ({ event, company, entity: `backupjob:${id}` });

/** Stores the external addresses of a job, and returns the event about who is notified. */
export async function setNotification(
  { sql, tenant }: TenantTx,
  job: { readonly id: BackupJobId; readonly company: CompanyN },
  { externalAddresses, userIds, enabled, notifyOnFailure }: JobNotification,
) {
  const addresses = [...new Set(externalAddresses.map((one) => one.toLowerCase()))];
  await sql
    .deleteFrom('backup_job_recipient')
    .where('tenant_id', '=', tenant)
    .where('job_id', '=', job.id)
    .execute();
  if (addresses.length > 0)
    await sql
      .insertInto('backup_job_recipient')
      .values(addresses.map((address) => ({ tenant_id: tenant, job_id: job.id, address })))
      .execute();
  return jobEvent(job, {
    type: 'backupjob.notificationsUpdated@1',
    data: {
      id: job.id,
      notifications: {
        enabled,
        notifyOnFailure,
        userIds: [...new Set(userIds)],
        externalCount: addresses.length,
      },
    },
  });
}
