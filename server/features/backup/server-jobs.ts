import type { BackupJobRow, JobItem } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { ServerJob, ServerJobSettings } from '#contract/engine/server-jobs.ts';
import type { NewEvent } from '#contract/events.ts';
import type { BackupJobId } from '#contract/ids.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import {
  type CommandDecision,
  refusal,
  runAlone,
  runIdempotently,
} from '#server/platform/http/idempotent-command.ts';
import { jobEvent, setNotification } from '#server/platform/queries/job-recipients.ts';
import { getAnswer, getEngineFor, scopeFor } from './engine-calls.ts';
import { EVERYONE_OFF, type JobFields, jobRefusal } from './job-fields.ts';
import { getJobVersion } from './job-version.ts';
import { findJobWithOwner, findOrganization } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';

// Jobs of organizations whose server has their settings: the server is changed first, and what it
// has then becomes the job's row.

type Created = OutputOf<'createBackupJob'>;

/** Creates a job on the server of its organization. */
export const createOnServer = (
  context: AppContext,
  ctx: SessionContext,
  { organizationId, ...fields }: ParsedInputOf<'createBackupJob'>,
): Promise<Result<Created>> =>
  runAlone(context, ctx, async () => {
    const found = await read(context, ctx, async (tx) => {
      const organization = await findOrganization(tx, ctx.session, organizationId);
      return (
        organization && {
          organization,
          refused: await refuse(context, ctx, tx, fields, organization, null),
        }
      );
    });
    if (!found) return failed(NOT_FOUND);
    if (found.refused) return found.refused;
    const made = getAnswer(
      await context.vb365Engine.serverJobs.create(scopeFor(ctx, organizationId), {
        job: context.chance.uuid() as BackupJobId,
        settings: toSettings(fields),
        notification: fields.notification ?? null,
        runNow: fields.runNow,
      }),
    );
    if (!made.ok) return made;
    const job = made.value;
    const answer = await runIdempotently<Created>(context, ctx, async (tx) => {
      const organization = await findOrganization(tx, ctx.session, organizationId);
      if (!organization) return refusal(NOT_FOUND);
      // The server may have been read meanwhile.
      const row = (await tx.rows('backupJob', [job.id])).get(job.id);
      return decide<Created>(context, ctx, tx, {
        what: 'backupjob.created',
        owner: { id: job.id, company: organization.company },
        event: row === undefined ? toCreated(organization, job) : toUpdated(job),
        notification: fields.notification,
        answer: job.isAsWanted ? ok({ _id: job.id, id: job.id }) : SAVED_OTHERWISE,
      });
    });
    if (answer.ok && fields.runNow) await startNow(context, ctx, found.organization, job.id);
    return answer;
  });

/** Changes a job on the server of its organization. */
export const updateOnServer = (
  context: AppContext,
  ctx: SessionContext,
  { jobId, version, ...fields }: ParsedInputOf<'updateBackupJob'>,
): Promise<Result<Record<string, never>>> =>
  runAlone(context, ctx, async () => {
    const found = await read(context, ctx, async (tx) => {
      const one = await findJobWithOwner(tx, ctx.session, jobId);
      return (
        one && {
          ...one,
          refused: await refuse(context, ctx, tx, fields, one.organization, one.job),
        }
      );
    });
    if (!found) return failed(NOT_FOUND);
    const { organization, job, refused } = found;
    if (refused) return refused;
    if (version !== undefined && version !== getJobVersion(job))
      return failed({ kind: 'conflict', message: t.jobChanged });
    const saved = getAnswer(
      await context.vb365Engine.serverJobs.update(scopeFor(ctx, organization.id), {
        job: jobId,
        settings: toSettings(fields),
      }),
    );
    if (!saved.ok) return saved;
    const answer = await runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
      if (!(await findJobWithOwner(tx, ctx.session, jobId))) return refusal(NOT_FOUND);
      return decide(context, ctx, tx, {
        what: 'backupjob.updated',
        owner: job,
        event: toUpdated(saved.value),
        notification: fields.notification,
        answer: saved.value.isAsWanted ? ok({}) : SAVED_OTHERWISE,
      });
    });
    if (answer.ok && fields.runNow) await startNow(context, ctx, organization, jobId);
    return answer;
  });

/** Deletes a job on the server of its organization. The server may have been read meanwhile. */
export async function deleteOnServer(
  context: AppContext,
  ctx: SessionContext,
  {
    organization,
    job: { id },
  }: { readonly organization: OrganizationRow; readonly job: BackupJobRow },
): Promise<Result<Record<string, never>>> {
  const gone = getAnswer(
    await context.vb365Engine.serverJobs.delete(scopeFor(ctx, organization.id), { job: id }),
  );
  if (!gone.ok) return gone;
  return runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
    const job = (await tx.rows('backupJob', [id])).get(id);
    if (job === undefined) return refusal(NOT_FOUND);
    await audit(tx, context, ctx, { what: 'backupjob.deleted', user: null, detail: { job: id } });
    const silence = await setNotification(tx, job, EVERYONE_OFF);
    const deleted = jobEvent(job, { type: 'backupjob.deleted@1', data: { id } });
    return {
      drafts: job.removedAt === null ? [silence, deleted] : [],
      answer: () => ok({}),
    };
  });
}

/** Returns why a job can't be saved like this; null if it can. */
async function refuse(
  context: AppContext,
  ctx: SessionContext,
  tx: TenantTx,
  fields: JobFields,
  organization: OrganizationRow,
  job: BackupJobRow | null,
): Promise<Result<never> | null> {
  const { id, company } = organization;
  const refused = await jobRefusal(
    tx,
    ctx.session,
    fields,
    { id: job?.id ?? null, organization: id, company },
    getEngineFor(context, organization).capabilities,
  );
  if (refused) return refused;
  if (fields.proxyId !== null) return badField('proxyId', t.serverChoosesProxy);
  if (fields.isFullTextEnabled) return badField('isFullTextEnabled', t.noFullTextOnServer);
  if (fields.fileVersions !== 'none') return badField('fileVersions', t.noVersionsOnServer);
  const hasChats =
    fields.backupType === 'SelectedItems' &&
    fields.selectedItems.some(({ parts }) => parts.includes('teamsChats'));
  if (fields.isTeamsChatsEnabled && !hasChats && job?.isTeamsChatsEnabled !== true)
    return badField('isTeamsChatsEnabled', t.chatsByTeam);
  for (const field of ['selectedItems', 'excludedItems'] as const) {
    const at = fields[field].findIndex(
      ({ type, id: object }) => type === 'Site' && object === null,
    );
    if (at !== -1) return badField(`${field}.${at}`, t.noAllSitesOnServer);
  }
  return null;
}

const read = <T>(
  context: AppContext,
  ctx: SessionContext,
  work: (tx: TenantTx) => Promise<T>,
): Promise<T> => context.store.tenant(ctx.tenant, work, { readOnly: true });

const toSettings = ({
  name,
  description,
  backupType,
  selectedItems,
  excludedItems,
  repositoryId: repository,
  schedulePolicy,
}: JobFields): ServerJobSettings => ({
  name,
  description,
  backupType,
  selectedItems: selectedItems.map(toItem),
  excludedItems: excludedItems.map(toItem),
  repository,
  schedulePolicy,
});
const toItem = ({ type, id, parts }: JobItem): JobItem => ({ type, id, parts });

/** It is stored as the server has it. */
const SAVED_OTHERWISE = failed({ kind: 'conflict', message: t.savedOtherwise });

/** Stores a change with who is notified of the job, and its audit record. */
async function decide<T>(
  context: AppContext,
  ctx: SessionContext,
  tx: TenantTx,
  {
    what,
    owner,
    event,
    notification,
    answer,
  }: {
    readonly what: string;
    readonly owner: Pick<BackupJobRow, 'id' | 'company'>;
    readonly event: NewEvent['event'];
    readonly notification: JobFields['notification'];
    readonly answer: Result<T>;
  },
): Promise<CommandDecision<T>> {
  await audit(tx, context, ctx, { what, user: null, detail: { job: owner.id } });
  return {
    drafts: [
      jobEvent(owner, event),
      ...(notification ? [await setNotification(tx, owner, notification)] : []),
    ],
    answer: () => answer,
  };
}

const toCreated = ({ id, company }: OrganizationRow, job: ServerJob): NewEvent['event'] => ({
  type: 'backupjob.created@1',
  data: { company, organization: id, enabled: job.enabled, ...toData(job) },
});
const toUpdated = (job: ServerJob): NewEvent['event'] => ({
  type: 'backupjob.updated@1',
  data: toData(job),
});
const toData = ({
  enabled: _enabled,
  isAsWanted: _asWanted,
  selectedItems,
  excludedItems,
  ...job
}: ServerJob) => ({
  ...job,
  selectedItems: copyItems(selectedItems),
  excludedItems: copyItems(excludedItems),
  proxy: null,
});
const copyItems = (items: ServerJob['selectedItems']) =>
  items.map((item) => ({ ...item, parts: [...item.parts] }));

/** A session that is running already is as good. */
async function startNow(
  context: AppContext,
  ctx: SessionContext,
  organization: OrganizationRow,
  job: BackupJobId,
): Promise<void> {
  await getEngineFor(context, organization).jobs.start(scopeFor(ctx, organization.id), {
    job,
    reason: 'manual',
  });
}
