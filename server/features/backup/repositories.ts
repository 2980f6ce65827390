import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import {
  DELAY_MS,
  isShorter,
  KEEP,
  policyAt,
  type RetentionPolicy,
} from '#contract/backup/retention.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type {
  AttachProgress,
  FileLocksState,
  VerificationRequest,
} from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import { failed, ok } from '#contract/result.ts';
import { loadObjectsOnHold } from '#server/engine/public/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField, isFresh, REAUTH } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { rerouteJobs } from '#server/platform/jobs/places.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { getAnswer, getEngine, getEngineFor, scopeFor, serverRefusal } from './engine-calls.ts';
import {
  compareByName,
  findVisibleCompany,
  findOrganization,
  findRepository,
  findRepositoryWithOwner,
  isRowVisible,
  pageFrom,
} from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';
import { proxyRefusal } from './proxies.ts';
import {
  getStorageInput,
  lockRefusal,
  newRepository,
  passwordRefusal,
} from './repository-fields.ts';
import { loadRefusal } from './repository-refusal.ts';
import { removeFromServer, usedRefusal } from './server-repositories.ts';
import { warnAdministrators } from './warn-administrators.ts';

type Names =
  | 'listBackupRepositories'
  | 'createBackupRepository'
  | 'updateBackupRepository'
  | 'deleteBackupRepository'
  | 'listAllRepositories';
type Changes = Omit<ParsedInputOf<'updateBackupRepository'>, 'id'>;

/** SUITE-4: repositories of the organizations that the caller sees. */
export function backupRepositoryHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });

  async function list(
    ctx: SessionContext,
    isWanted: (row: BackupRepositoryRow) => boolean,
    page: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  ) {
    const { rows, shown, ...rest } = await read(ctx, async (tx) => {
      const found = (await tx.all('backupRepository'))
        .filter((row) => isRowVisible(ctx.session, row) && isWanted(row))
        .sort(compareByName);
      const paged = pageFrom(found, page);
      return { ...paged, shown: await namesFor(tx, paged.rows) };
    });
    // The engine is asked outside of the transaction.
    const withUsage: OutputOf<'listBackupRepositories'>['rows'] = [];
    for (const row of rows) withUsage.push(await repositoryOut(ctx, row, shown));
    return ok({ ...rest, rows: withUsage });
  }

  async function repositoryOut(
    ctx: SessionContext,
    { company, organization, removedAt: _removed, ...row }: BackupRepositoryRow,
    { companies, organizations, jobs }: Awaited<ReturnType<typeof namesFor>>,
  ) {
    const owner = organizations.get(organization);
    const usage =
      owner &&
      (await getEngineFor(context, owner).repositories.usage(scopeFor(ctx, organization), {
        repository: row.id,
      }));
    return {
      _id: row.id,
      ...row,
      proxy: row.proxy && { ...row.proxy },
      repository: row.name,
      organizationId: organization,
      organizationName: organizations.get(organization)?.name ?? '',
      companyId: companies.get(company)?.id ?? '',
      companyN: company,
      jobs: jobs.filter(({ repository }) => repository === row.id).length,
      usedBytes: usage?.ok ? usage.value.storedBytes : null,
      points: usage?.ok ? usage.value.points : null,
      damagedItems: usage?.ok ? usage.value.damagedItems.map((item) => ({ ...item })) : [],
      storageRequests: usage?.ok
        ? usage.value.storageRequests && { ...usage.value.storageRequests }
        : null,
      locks: usage?.ok ? locksOut(usage.value.locks) : null,
      attachment: usage?.ok ? attachmentOut(usage.value.attachment) : null,
      cleanUpRequest: usage?.ok ? usage.value.cleanUp && { ...usage.value.cleanUp } : null,
      verificationRequest: usage?.ok ? verificationOut(usage.value.verification) : null,
    };
  }

  return {
    listBackupRepositories: async ({ organizationId, repositoryId, companyId, ...page }, ctx) => {
      const company =
        companyId === undefined
          ? null
          : ((await read(ctx, (tx) => findVisibleCompany(tx, ctx.session, companyId)))?.n ?? 0);
      return list(
        ctx,
        (row) =>
          (organizationId === undefined || row.organization === organizationId) &&
          (repositoryId === undefined || row.id === repositoryId) &&
          (company === null || row.company === company),
        page,
      );
    },

    listAllRepositories: ({ organizationsIds }, ctx) =>
      list(ctx, (row) => organizationsIds.includes(row.organization), { limit: 1_000 }),

    createBackupRepository({ organizationId, ...fields }, ctx) {
      const { repositories } = getEngine(context);
      return runAlone(context, ctx, async () => {
        const wrong =
          passwordRefusal(fields) ??
          lockRefusal(fields) ??
          (await read(ctx, async (tx) => {
            const organization = await findOrganization(tx, ctx.session, organizationId);
            if (!organization) return failed(NOT_FOUND);
            const managed = serverRefusal(organization);
            if (managed) return managed;
            const name = fields.repository ?? organization.name;
            const refused = await loadRefusal(tx, ctx.session, organization.company, name, null);
            return refused ? failed(refused) : proxyRefusal(tx, fields.proxy);
          }));
        if (wrong) return wrong;
        const id = context.chance.uuid() as BackupRepositoryId;
        const scope = scopeFor(ctx, organizationId);
        const created = getAnswer(
          await repositories.create(scope, {
            repository: id,
            password: fields.password ?? null,
            passwordHint: fields.passwordDescription || null,
            ...getStorageInput(fields, ctx.now),
          }),
        );
        if (!created.ok) return created;
        const answer = await runIdempotently<OutputOf<'createBackupRepository'>>(
          context,
          ctx,
          async (tx) => {
            const organization = await findOrganization(tx, ctx.session, organizationId);
            if (!organization) return refusal(NOT_FOUND);
            const refused = await loadRefusal(
              tx,
              ctx.session,
              organization.company,
              fields.repository ?? organization.name,
              null,
            );
            if (refused) return refusal(refused);
            await audit(tx, context, ctx, {
              what: 'backuprepository.created',
              user: null,
              detail: { repository: id },
            });
            return {
              drafts: [newRepository(id, organization, fields)],
              answer: () => ok({ _id: id, id }),
            };
          },
        );
        if (!answer.ok || answer.value.id !== id)
          await repositories.delete(scope, { repository: id });
        return answer;
      });
    },

    updateBackupRepository({ id, ...changes }, ctx) {
      return runAlone(context, ctx, async () => {
        const found = await read(ctx, (tx) => findRepositoryWithOwner(tx, ctx.session, id));
        if (!found) return failed(NOT_FOUND);
        const row = found.repository;
        const wrong =
          serverRefusal(found.organization) ??
          passwordRefusal({
            ...changes,
            passwordDescription: changes.passwordDescription ?? row.passwordDescription,
          }) ??
          (getObjectLock(row.target) !== null && changes.retentionPolicy === KEEP
            ? badField('retentionPolicy', t.lockWithKeep)
            : null);
        if (wrong) return wrong;
        const { password, storageKeys, retentionPolicy: policy = policyAt(row, ctx.now) } = changes;
        const isSensitive =
          password !== undefined ||
          storageKeys !== undefined ||
          isShorter(policy, policyAt(row, ctx.now));
        if (isSensitive && !isFresh(ctx)) return REAUTH;
        if (storageKeys !== undefined) {
          const changed = getAnswer(
            await getEngine(context).repositories.changeStorageKeys(
              scopeFor(ctx, row.organization),
              { repository: row.id, keys: storageKeys },
            ),
          );
          if (!changed.ok) return changed;
        }
        if (password !== undefined) {
          const engine = getEngine(context);
          const changed = getAnswer(
            await engine.repositories.changePassword(scopeFor(ctx, row.organization), {
              repository: row.id,
              password,
              passwordHint: (changes.passwordDescription ?? row.passwordDescription) || null,
            }),
          );
          if (!changed.ok) return changed;
        }
        return runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
          const now = await findRepository(tx, ctx.session, id);
          if (!now) return refusal(NOT_FOUND);
          const refused = await loadRefusal(
            tx,
            ctx.session,
            now.company,
            changes.repository ?? now.name,
            now.id,
          );
          if (refused) return refusal(refused);
          const noProxy = await proxyRefusal(tx, changes.proxy);
          if (noProxy?.ok === false) return refusal(noProxy.failure);
          if (changes.proxy !== undefined) await rerouteJobs(tx, now.id, changes.proxy);
          const data = changedRepository(now, changes, ctx.now);
          if (data.shortened && data.shortened.appliesAt !== now.shortened?.appliesAt)
            await warnAdministrators(tx, context, ctx.session, 'shortenRetention', {
              company: now.company,
              name: data.name,
              when: data.shortened.appliesAt,
            });
          await audit(tx, context, ctx, {
            what: 'backuprepository.updated',
            user: null,
            detail: { repository: now.id, fields: Object.keys(changes).join(', ') },
          });
          return {
            drafts: [
              {
                event: { type: 'backuprepository.updated@1', data },
                company: now.company,
                entity: `backuprepository:${now.id}`,
              },
            ],
            answer: () => ok({}),
          };
        });
      });
    },

    async deleteBackupRepository({ id }, ctx) {
      const owned = await read(ctx, (tx) => findRepositoryWithOwner(tx, ctx.session, id));
      if (owned && !isBackedUpHere(owned.organization)) return removeFromServer(context, ctx, id);
      return runIdempotently<{ deletesAt: number }>(context, ctx, async (tx) => {
        const row = await findRepository(tx, ctx.session, id);
        if (!row) return refusal(NOT_FOUND);
        const used = await usedRefusal(tx, row.id);
        if (used?.ok === false) return refusal(used.failure);
        if ((await loadObjectsOnHold(tx, row.id, ctx.now)).length > 0)
          return refusal({ kind: 'conflict', message: t.repositoryOnHold });
        const deletesAt = row.deletesAt ?? ctx.now + DELAY_MS;
        if (row.deletesAt !== null) return { drafts: [], answer: () => ok({ deletesAt }) };
        await warnAdministrators(tx, context, ctx.session, 'deleteRepository', {
          company: row.company,
          name: row.name,
          when: deletesAt,
        });
        await audit(tx, context, ctx, {
          what: 'backuprepository.deleting',
          user: null,
          detail: { repository: row.id },
        });
        return {
          drafts: [
            {
              event: {
                type: 'backuprepository.updated@1',
                data: { ...changedRepository(row, {}, ctx.now), deletesAt },
              },
              company: row.company,
              entity: `backuprepository:${row.id}`,
            },
          ],
          answer: () => ok({ deletesAt }),
        };
      });
    },
  };
}

/** Returns the settings of a repository with the changes applied. */
function changedRepository(row: BackupRepositoryRow, changes: Changes, now: Ms) {
  const { repository, description, passwordDescription, proxy, deletesAt } = changes;
  return {
    id: row.id,
    name: repository ?? row.name,
    description: description ?? row.description,
    passwordDescription: passwordDescription ?? row.passwordDescription,
    ...retentionAfter(row, changes.retentionPolicy, now),
    proxy: proxy === undefined ? row.proxy && { ...row.proxy } : proxy,
    deletesAt: deletesAt === undefined ? row.deletesAt : deletesAt,
  };
}

/** A shorter retention applies later; any other choice applies now and ends the wait of one. */
function retentionAfter(
  row: BackupRepositoryRow,
  policy: RetentionPolicy | undefined,
  now: Ms,
): Pick<BackupRepositoryRow, 'retentionPolicy' | 'shortened'> {
  const current = policyAt(row, now);
  if (policy === undefined || policy === row.shortened?.retentionPolicy)
    return current === row.retentionPolicy
      ? { retentionPolicy: row.retentionPolicy, shortened: row.shortened }
      : { retentionPolicy: current, shortened: null };
  return isShorter(policy, current)
    ? {
        retentionPolicy: current,
        shortened: { retentionPolicy: policy, appliesAt: now + DELAY_MS },
      }
    : { retentionPolicy: policy, shortened: null };
}

async function namesFor(tx: TenantTx, rows: readonly BackupRepositoryRow[]) {
  return {
    companies: await tx.rows('company', [...new Set(rows.map(({ company }) => company))]),
    organizations: await tx.rows('organization', [
      ...new Set(rows.map(({ organization }) => organization)),
    ]),
    jobs: (await tx.all('backupJob')).filter(({ removedAt }) => removedAt === null),
  };
}

const attachmentOut = (attachment: AttachProgress | null) =>
  attachment && {
    ...attachment,
    points: { ...attachment.points },
    objects: { ...attachment.objects },
    problems: attachment.problems.map((problem) => ({ ...problem })),
  };

const locksOut = (locks: FileLocksState | null) =>
  locks && { ...locks, tampering: locks.tampering && { ...locks.tampering } };

const verificationOut = (request: VerificationRequest | null) =>
  request && { ...request, parts: { ...request.parts } };

/**
 * Deletes the repositories that are due, and those of organizations whose data is, once an hour. The
 * engine then deletes what they have.
 */
export async function deleteDueRepositories(tx: TenantTx, now: Ms): Promise<void> {
  const isFree = async ({ id }: BackupRepositoryRow): Promise<boolean> =>
    (await loadObjectsOnHold(tx, id, now)).length === 0;
  const findDue = async (): Promise<BackupRepositoryRow[]> => {
    const rows = (await tx.all('backupRepository')).filter(({ removedAt }) => removedAt === null);
    const ended = new Set(
      (await tx.all('organization'))
        .filter(({ removedAt, dataUntil }) => removedAt !== null && (dataUntil ?? now) <= now)
        .map(({ id }) => id),
    );
    const due = rows.filter(
      ({ deletesAt, organization }) =>
        (deletesAt !== null && deletesAt <= now) || ended.has(organization),
    );
    const free: BackupRepositoryRow[] = [];
    // A legal hold that was placed since waits for its end.
    for (const row of due) if (await isFree(row)) free.push(row);
    return free;
  };
  if ((await findDue()).length === 0) return;
  await tx.lock();
  await tx.append(
    (await findDue()).map(({ id, company }) => ({
      event: { type: 'backuprepository.deleted@1' as const, data: { id } },
      company,
      entity: `backuprepository:${id}`,
    })),
    { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
  );
}
