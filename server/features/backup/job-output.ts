import { findStartObstacle, getPreviousJob } from '#contract/backup/chains.ts';
import { dueAt, JOB_ITEM_PARTS, type BackupJobRow } from '#contract/backup/jobs.ts';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { BackupSession, SessionResult } from '#contract/engine/sessions.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import { withoutArchive } from './job-fields.ts';
import { getJobVersion } from './job-version.ts';

export type JobOut = OutputOf<'listBackupJobs'>['rows'][number];
type JobInFull = OutputOf<'getBackupJob'>;
type SessionOut = NonNullable<OutputOf<'getLatestSession'>['session']>;

/** A session that somebody stopped counts as `Error`. */
const STATUS = {
  success: 'Success',
  warning: 'Warning',
  failed: 'Failed',
  cancelled: 'Error',
} as const satisfies Record<SessionResult, string>;

/** Returns jobs for people, without their items. */
export async function jobsOut(tx: TenantTx, jobs: readonly BackupJobRow[]): Promise<JobOut[]> {
  const organizations = await tx.rows('organization', [
    ...new Set(jobs.map(({ organization }) => organization)),
  ]);
  const repositories = await tx.rows('backupRepository', [
    ...new Set(jobs.map(({ repository }) => repository)),
  ]);
  const byId = new Map((await tx.all('backupJob')).map((job) => [job.id, job]));
  const timeZone = await loadZone(tx);
  return jobs.map((job) => {
    const [last] = job.recent;
    return {
      _id: job.id,
      id: job.id,
      name: job.name,
      description: job.description,
      isTeamsChatsEnabled: job.isTeamsChatsEnabled,
      isFullTextEnabled: job.isFullTextEnabled === true,
      fileVersions: job.fileVersions ?? 'none',
      backupType: job.backupType,
      schedulePolicy: { ...job.schedulePolicy, schedule: { ...job.schedulePolicy.schedule } },
      running: job.running,
      recent: [...job.recent],
      organizationId: job.organization,
      organizationName: organizations.get(job.organization)?.name ?? '',
      companyN: job.company,
      repositoryId: job.repository,
      repositoryName: repositories.get(job.repository)?.name ?? '',
      proxyId: job.proxy,
      selected: job.selectedItems.length,
      excluded: job.excludedItems.length,
      isEnabled: job.enabled,
      lastStatus: job.running ? 'Running' : last ? STATUS[last.result] : null,
      lastRun: job.running?.startedAt ?? last?.startedAt ?? null,
      lastBackup: job.lastPointAt,
      nextRun: dueAt(job, timeZone, getPreviousJob(job, byId)),
      obstacle: findStartObstacle(job, byId),
    };
  });
}

/** Returns a job with its items and their names in the directory. */
export async function jobInFull(tx: TenantTx, job: BackupJobRow): Promise<JobInFull | null> {
  const [out] = await jobsOut(tx, [job]);
  if (!out) return null;
  const ids = [...job.selectedItems, ...job.excludedItems].flatMap(({ id }) => id ?? []);
  const named =
    ids.length === 0
      ? []
      : await tx.sql
          .selectFrom('directory_object')
          .select(['id', 'name', 'address'])
          .where('tenant_id', '=', tx.tenant)
          .where('organization_id', '=', job.organization)
          .where('id', 'in', [...new Set(ids)])
          .execute();
  const names = new Map(named.map((one) => [one.id, one]));
  const organization = (await tx.rows('organization', [job.organization])).get(job.organization);
  const isHere = organization !== undefined && isBackedUpHere(organization);
  const items = (rows: BackupJobRow['selectedItems']): JobInFull['selectedItems'] =>
    (isHere ? rows.map(withoutArchive) : rows).map(({ type, id, parts }) => ({
      type,
      id,
      name: names.get(id ?? '')?.name ?? '',
      address: names.get(id ?? '')?.address ?? '',
      ...(Object.fromEntries(JOB_ITEM_PARTS.map((part) => [part, parts.includes(part)])) as Record<
        (typeof JOB_ITEM_PARTS)[number],
        boolean
      >),
    }));
  return {
    ...out,
    version: getJobVersion(job),
    selectedItems: items(job.selectedItems),
    excludedItems: items(job.excludedItems),
  };
}

/** Returns a session for people. */
export const sessionOut = ({
  id,
  job,
  state,
  result,
  reason,
  startedAt,
  endedAt,
  progress,
  message,
  objects,
}: BackupSession): SessionOut => ({
  id,
  jobId: job,
  state,
  status: result === null ? 'Running' : STATUS[result],
  reason,
  creationTime: startedAt,
  endTime: endedAt,
  details: message,
  progress,
  objects: objects.map((one) => ({ ...one })),
});
