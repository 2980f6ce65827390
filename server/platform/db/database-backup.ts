import type { BackupJobId, TenantId } from '#contract/ids.ts';

/** What the log may not contain about organizations, repositories and backup jobs. */
export interface BackupTables {
  /** External addresses that a job notifies. */
  backup_job_recipient: { tenant_id: TenantId; job_id: BackupJobId; address: string };
}
