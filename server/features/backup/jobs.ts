import { listFollowers } from '#contract/backup/chains.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { jobEvent, setNotification } from '#server/platform/queries/job-recipients.ts';
import { getAnswer, getEngine, getEngineFor, scopeFor } from './engine-calls.ts';
import {
  archiveRefusal,
  EVERYONE_OFF,
  itemRefusal,
  type JobFields,
  loadAddresses,
  jobData,
  jobRefusal,
  recipientNames,
  recipientRefusal,
} from './job-fields.ts';
import { jobInFull, type JobOut, jobsOut } from './job-output.ts';
import { getJobVersion } from './job-version.ts';
import { backupMessages as t } from './messages.en.ts';
import { createOnServer, deleteOnServer, updateOnServer } from './server-jobs.ts';
import { readUnknownItems } from './unknown-items.ts';
import {
  compareByName,
  findJob,
  findJobWithOwner,
  findOrganization,
  isRowVisible,
  pageFrom,
} from './lookup.ts';
import type { BackupJobId, OrganizationId } from '#contract/ids.ts';

type Names =
  | 'createBackupJob'
  | 'listBackupJobs'
  | 'listOrganizationJobs'
  | 'listAllJobs'
  | 'getBackupJob'
  | 'updateBackupJob'
  | 'deleteBackupJob'
  | 'enableBackupJob'
  | 'disableBackupJob'
  | 'getJobNotifications'
  | 'setJobNotifications';

/** SUITE-5: backup jobs of the organizations that the caller sees. */
export function backupJobHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });

  const list = (
    ctx: SessionContext,
    isWanted: (job: BackupJobRow) => boolean,
    page: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  ): Promise<Result<{ rows: JobOut[]; next: string | null; count: number }>> =>
    read(ctx, async (tx) => {
      const found = (await visibleJobs(tx, ctx.session)).filter(isWanted);
      const { rows, ...rest } = pageFrom(found, page);
      return ok({ ...rest, rows: await jobsOut(tx, rows) });
    });

  const listBackupJobs = (
    { organizationId, scheduleState, search = '', ...page }: ParsedInputOf<'listBackupJobs'>,
    ctx: SessionContext,
  ) =>
    list(
      ctx,
      ({ organization, enabled, name }) =>
        (organizationId === undefined || organization === organizationId) &&
        (scheduleState === undefined || enabled === (scheduleState === 'Enabled')) &&
        name.toLowerCase().includes(search.toLowerCase()),
      page,
    );

  /** Items that the directory lacks may have been added since it was read. */
  const readItems = (
    ctx: SessionContext,
    { id }: OrganizationRow,
    fields: Pick<JobFields, 'selectedItems' | 'excludedItems'>,
  ): Promise<ReadonlySet<string>> =>
    readUnknownItems(
      context,
      { tenant: ctx.tenant, organization: id },
      [...fields.selectedItems, ...fields.excludedItems],
      (input) => getEngine(context).organizations.listObjects(scopeFor(ctx, id), input),
    );

  const startNow = async (
    ctx: SessionContext,
    job: BackupJobId,
    organization: OrganizationId,
  ): Promise<void> => {
    // A session that is running already is as good.
    await getEngine(context).jobs.start(scopeFor(ctx, organization), {
      job,
      reason: 'manual',
    });
  };

  const command = <T>(
    ctx: SessionContext,
    {
      jobId,
      organizationId,
    }: { readonly jobId: BackupJobId; readonly organizationId?: OrganizationId | undefined },
    what: string | null,
    decide: (
      tx: TenantTx,
      job: BackupJobRow,
      organization: OrganizationRow,
    ) => Promise<Result<{ drafts: NewEvent[]; value: T }>>,
  ): Promise<Result<T>> =>
    runIdempotently<T>(context, ctx, async (tx) => {
      const found = await findJobWithOwner(tx, ctx.session, jobId, organizationId);
      if (!found) return refusal(NOT_FOUND);
      const { job } = found;
      const decided = await decide(tx, job, found.organization);
      if (!decided.ok) return refusal(decided.failure);
      const { drafts, value } = decided.value;
      if (what !== null && drafts.length > 0)
        await audit(tx, context, ctx, { what, user: null, detail: { job: job.id } });
      return { drafts, answer: () => ok(value) };
    });

  /** The engine switches the schedule first, where it has one of its own. */
  const setEnabled = (
    ctx: SessionContext,
    input: { readonly jobId: BackupJobId; readonly organizationId?: OrganizationId | undefined },
    enabled: boolean,
  ): Promise<Result<{ success: true }>> =>
    runAlone(context, ctx, async () => {
      const { jobId, organizationId } = input;
      const found = await read(ctx, (tx) =>
        findJobWithOwner(tx, ctx.session, jobId, organizationId),
      );
      if (found && found.job.enabled !== enabled) {
        const { jobs } = getEngineFor(context, found.organization);
        const scope = scopeFor(ctx, found.organization.id);
        const switched = getAnswer(await jobs.setEnabled(scope, { job: jobId, enabled }));
        if (!switched.ok) return switched;
      }
      const type = enabled ? 'backupjob.enabled@1' : 'backupjob.disabled@1';
      const what = enabled ? 'backupjob.enabled' : 'backupjob.disabled';
      return command(ctx, input, what, (_tx, job) =>
        Promise.resolve(
          ok({
            drafts: job.enabled === enabled ? [] : [jobEvent(job, { type, data: { id: job.id } })],
            value: { success: true as const },
          }),
        ),
      );
    });

  return {
    listBackupJobs,

    async listOrganizationJobs(input, ctx) {
      if (!(await read(ctx, (tx) => findOrganization(tx, ctx.session, input.organizationId))))
        return failed(NOT_FOUND);
      return listBackupJobs(input, ctx);
    },

    listAllJobs: ({ organizationsIds }, ctx) =>
      list(ctx, ({ organization }) => organizationsIds.includes(organization), { limit: 1_000 }),

    getBackupJob: ({ jobId }, ctx) =>
      read(ctx, async (tx) => {
        const job = await findJob(tx, ctx.session, jobId);
        const out = job && (await jobInFull(tx, job));
        return out ? ok(out) : failed(NOT_FOUND);
      }),

    async createBackupJob({ organizationId, ...fields }, ctx) {
      const owner = await read(ctx, (tx) => findOrganization(tx, ctx.session, organizationId));
      if (owner && !isBackedUpHere(owner))
        return createOnServer(context, ctx, { organizationId, ...fields });
      const engine = getEngine(context);
      const id = context.chance.uuid() as BackupJobId;
      const readTypes = owner ? await readItems(ctx, owner, fields) : new Set<string>();
      const answer = await runIdempotently<OutputOf<'createBackupJob'>>(
        context,
        ctx,
        async (tx) => {
          const organization = await findOrganization(tx, ctx.session, organizationId);
          if (!organization) return refusal(NOT_FOUND);
          const { company } = organization;
          const refused =
            archiveRefusal(fields) ??
            (await jobRefusal(
              tx,
              ctx.session,
              fields,
              { id: null, organization: organization.id, company },
              engine.capabilities,
            )) ??
            (await itemRefusal(tx, organization.id, fields, readTypes));
          if (refused) return { drafts: [], answer: () => refused };
          await audit(tx, context, ctx, {
            what: 'backupjob.created',
            user: null,
            detail: { job: id },
          });
          return {
            drafts: [
              jobEvent(
                { id, company },
                {
                  type: 'backupjob.created@1',
                  data: {
                    id,
                    company,
                    organization: organization.id,
                    enabled: true,
                    ...jobData(fields),
                  },
                },
              ),
              ...(fields.notification
                ? [await setNotification(tx, { id, company }, fields.notification)]
                : []),
            ],
            answer: () => ok({ _id: id, id }),
          };
        },
      );
      if (answer.ok && answer.value.id === id && fields.runNow)
        await startNow(ctx, id, organizationId);
      return answer;
    },

    async updateBackupJob({ jobId, version, ...fields }, ctx) {
      const found = await read(ctx, (tx) => findJobWithOwner(tx, ctx.session, jobId));
      if (found && !isBackedUpHere(found.organization))
        return updateOnServer(context, ctx, { jobId, version, ...fields });
      const engine = getEngine(context);
      const readTypes = found
        ? await readItems(ctx, found.organization, fields)
        : new Set<string>();
      let organization: string | null = null;
      const answer = await command<Record<string, never>>(
        ctx,
        { jobId },
        'backupjob.updated',
        async (tx, job) => {
          if (version !== undefined && version !== getJobVersion(job))
            return failed({ kind: 'conflict', message: t.jobChanged });
          const refused =
            archiveRefusal(fields) ??
            (await jobRefusal(tx, ctx.session, fields, job, engine.capabilities)) ??
            (await itemRefusal(tx, job.organization, fields, readTypes, job));
          if (refused) return refused;
          organization = job.organization;
          return ok({
            drafts: [
              jobEvent(job, {
                type: 'backupjob.updated@1',
                data: { id: job.id, ...jobData(fields) },
              }),
              ...(fields.notification ? [await setNotification(tx, job, fields.notification)] : []),
            ],
            value: {},
          });
        },
      );
      if (answer.ok && organization !== null && fields.runNow)
        await startNow(ctx, jobId, organization);
      return answer;
    },

    deleteBackupJob: ({ jobId }, ctx) =>
      runAlone(context, ctx, async () => {
        const found = await read(ctx, (tx) => findJobWithOwner(tx, ctx.session, jobId));
        if (found && !isBackedUpHere(found.organization))
          return deleteOnServer(context, ctx, found);
        const refused = found && (await read(ctx, (tx) => followerRefusal(tx, found.job)));
        if (refused) return refused;
        if (found?.job.running)
          await getEngine(context).jobs.stop(scopeFor(ctx, found.organization.id), { job: jobId });
        return command<Record<string, never>>(
          ctx,
          { jobId },
          'backupjob.deleted',
          async (tx, job) =>
            (await followerRefusal(tx, job)) ??
            ok({
              drafts: [
                await setNotification(tx, job, EVERYONE_OFF),
                jobEvent(job, { type: 'backupjob.deleted@1', data: { id: job.id } }),
              ],
              value: {},
            }),
        );
      }),

    enableBackupJob: (input, ctx) => setEnabled(ctx, input, true),
    disableBackupJob: (input, ctx) => setEnabled(ctx, input, false),

    getJobNotifications: ({ jobId }, ctx) =>
      read(ctx, async (tx) => {
        const job = await findJob(tx, ctx.session, jobId);
        if (!job) return failed(NOT_FOUND);
        const { enabled, notifyOnFailure, userIds } = job.notifications;
        return ok({
          enabled,
          notifyOnFailure,
          userIds: [...userIds],
          externalAddresses: await loadAddresses(tx, job.id),
          users: await recipientNames(tx, userIds),
        });
      }),

    setJobNotifications: ({ jobId, organizationId, ...notification }, ctx) =>
      command<Record<string, never>>(
        ctx,
        { jobId, organizationId },
        'backupjob.notificationschanged',
        async (tx, job) =>
          (await recipientRefusal(tx, ctx.session, job.company, notification, 'userIds')) ??
          ok({ drafts: [await setNotification(tx, job, notification)], value: {} }),
      ),
  };
}

const visibleJobs = async (tx: TenantTx, session: Principal): Promise<BackupJobRow[]> =>
  (await tx.all('backupJob')).filter((job) => isRowVisible(session, job)).sort(compareByName);

/** A job that others start after can't be deleted: they would never start again. */
async function followerRefusal(tx: TenantTx, { id }: BackupJobRow): Promise<Result<never> | null> {
  const followers = listFollowers(id, await tx.all('backupJob')).sort(compareByName);
  const jobs = followers.map(({ name }) => name).join(', ');
  return followers.length === 0
    ? null
    : failed({ kind: 'conflict', message: t.jobFollowed({ jobs }) });
}
