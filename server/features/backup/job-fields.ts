import type { ParsedInputOf } from '#contract/calls.ts';
import type { BackupJobRow, JobItem } from '#contract/backup/jobs.ts';
import { isSameName } from '#contract/backup/same-name.ts';
import { makesCycle } from '#contract/backup/chains.ts';
import type { Capabilities } from '#contract/engine/engine.ts';
import type { JobNotification } from '#contract/engine/server-jobs.ts';
import type { BackupJobId, CompanyN, OrganizationId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, type Result } from '#contract/result.ts';
import { badField } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { findJob, findRepository } from './lookup.ts';
import { findUnknownItem } from './unknown-items.ts';
import { backupMessages as t } from './messages.en.ts';

export type JobFields = Omit<ParsedInputOf<'updateBackupJob'>, 'jobId' | 'version'>;

/** Returns the settings of a job for the log. It has no archives: see `archiveRefusal`. */
export const jobData = ({
  repositoryId,
  proxyId,
  runNow: _now,
  notification: _notified,
  ...fields
}: JobFields) => ({
  ...fields,
  selectedItems: fields.selectedItems.map(withoutArchive),
  excludedItems: fields.excludedItems.map(withoutArchive),
  repository: repositoryId,
  proxy: proxyId,
});

/** An item as jobs have it that Daybook runs itself: Graph v1.0 names no archive mailboxes. */
export const withoutArchive = ({
  type,
  id,
  parts,
}: BackupJobRow['selectedItems'][number]): JobItem => ({
  type,
  id,
  parts: parts.filter((part) => part !== 'archiveMailbox'),
});

/** Returns why Daybook can't run a job itself that names archives; null if it names none. */
export function archiveRefusal({ selectedItems }: JobFields): Result<never> | null {
  const archive = selectedItems.findIndex(({ namesArchive }) => namesArchive === true);
  return archive === -1 ? null : badField(`selectedItems.${archive}.archiveMailbox`, t.noArchives);
}

/** Returns why a job can't be saved like this; null if it can. `id` null: a new job. */
export async function jobRefusal(
  tx: TenantTx,
  session: Principal,
  fields: JobFields,
  {
    id,
    organization,
    company,
  }: { readonly id: BackupJobId | null } & Pick<BackupJobRow, 'organization' | 'company'>,
  capabilities: Pick<Capabilities, 'schedules'>,
): Promise<Result<never> | null> {
  const { schedule } = fields.schedulePolicy;
  if (fields.backupType === 'SelectedItems' && fields.selectedItems.length === 0)
    return badField('selectedItems', t.noItems);
  if (schedule.type !== 'Disabled' && !capabilities.schedules.includes(schedule.type))
    return badField('schedulePolicy.schedule.type', t.scheduleNotSupported);
  const repository = await findRepository(tx, session, fields.repositoryId);
  if (!repository) return badField('repositoryId', NOT_FOUND.message);
  if (repository.organization !== organization)
    return badField('repositoryId', t.otherOrganization);
  if (repository.deletesAt !== null) return badField('repositoryId', t.repositoryGoing);
  if (fields.proxyId !== null) {
    const proxy = (await tx.rows('backupProxy', [fields.proxyId])).get(fields.proxyId);
    if (proxy?.removedAt !== null) return badField('proxyId', NOT_FOUND.message);
  }
  const jobs = (await tx.all('backupJob')).filter(({ removedAt }) => removedAt === null);
  if (schedule.type === 'Chained') {
    const before = await findJob(tx, session, schedule.chainedAfter, organization);
    if (!before) return badField('schedulePolicy.schedule.chainedAfter', NOT_FOUND.message);
    if (id !== null && makesCycle(id, schedule, jobs))
      return badField('schedulePolicy.schedule.chainedAfter', t.chainCycle);
  }
  if (
    jobs.some(
      (job) =>
        job.organization === organization && job.id !== id && isSameName(job.name, fields.name),
    )
  )
    return failed({ kind: 'conflict', message: t.nameTaken });
  if (id === null && jobs.length >= LIMITS.backupJobs)
    return failed({ kind: 'conflict', message: t.jobsFull({ max: LIMITS.backupJobs }) });
  return fields.notification === undefined
    ? null
    : recipientRefusal(tx, session, company, fields.notification, 'notification.userIds');
}

/** A job that names what the organization doesn't have would back up nothing of it. */
export async function itemRefusal(
  tx: TenantTx,
  organization: OrganizationId,
  { selectedItems, excludedItems }: Pick<JobFields, 'selectedItems' | 'excludedItems'>,
  readTypes: ReadonlySet<string>,
  before: Pick<BackupJobRow, 'selectedItems' | 'excludedItems'> | null = null,
): Promise<Result<never> | null> {
  const path = await findUnknownItem(
    tx,
    organization,
    { selectedItems, excludedItems },
    readTypes,
    before === null ? [] : [...before.selectedItems, ...before.excludedItems],
  );
  return path === null ? null : badField(path, t.unknownItem);
}

/** Users who are notified of a job must see its company, and the caller must be able to see them. */
export async function recipientRefusal(
  tx: TenantTx,
  { companies }: Principal,
  company: CompanyN,
  { userIds }: JobNotification,
  path: string,
): Promise<Result<never> | null> {
  const users = await tx.rows('user', [...new Set(userIds)]);
  const isRecipient = (id: string): boolean => {
    const user = users.get(id);
    return (
      user?.deletedAt === null &&
      (user.companies === null || user.companies.includes(company)) &&
      (companies === null ||
        user.companies === null ||
        user.companies.some((n) => companies.includes(n)))
    );
  };
  const wrong = userIds.findIndex((id) => !isRecipient(id));
  return wrong === -1 ? null : badField(`${path}.${wrong}`, t.otherCompanyUser);
}

/** Nobody is notified of a job any more. */
export const EVERYONE_OFF = {
  enabled: false,
  notifyOnFailure: false,
  userIds: [],
  externalAddresses: [],
};

/** Returns the users who are notified, by name, without deleted ones. */
export async function recipientNames(
  tx: TenantTx,
  userIds: readonly string[],
): Promise<{ _id: string; name: string; username: string }[]> {
  const users = await tx.rows('user', userIds);
  const ids = [...users.values()].flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : []));
  return ids.length === 0
    ? []
    : tx.sql
        .selectFrom('person')
        .select(['id as _id', 'name', 'username'])
        .where('tenant_id', '=', tx.tenant)
        .where('id', 'in', ids)
        .orderBy('name')
        .execute();
}

export const loadAddresses = async (
  { sql, tenant }: TenantTx,
  job: BackupJobId,
): Promise<string[]> =>
  (
    await sql
      .selectFrom('backup_job_recipient')
      .select('address')
      .where('tenant_id', '=', tenant)
      .where('job_id', '=', job)
      .orderBy('address')
      .execute()
  ).map(({ address }) => address);
