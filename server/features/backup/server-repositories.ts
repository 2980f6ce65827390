import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { DELAY_MS } from '#contract/backup/retention.ts';
import { isShorterRetention } from '#contract/backup/server-repositories.ts';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { ServerRepository } from '#contract/engine/server-repositories.ts';
import type { BackupRepositoryId, OrganizationId } from '#contract/ids.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import {
  findRepositoryLink,
  getCreated,
  getUpdated,
  setShortened,
} from '#server/engine/public/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { byUser } from '#server/platform/auth/event-actor.ts';
import { isFresh, REAUTH } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { getAnswer, scopeFor } from './engine-calls.ts';
import { compareByName, findOrganization, findRepositoryWithOwner } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';
import { loadRefusal } from './repository-refusal.ts';
import { warnAdministrators } from './warn-administrators.ts';

type Names =
  | 'getServerStorage'
  | 'createServerRepository'
  | 'addServerRepository'
  | 'getServerRepository'
  | 'updateServerRepository';
type Created = OutputOf<'createServerRepository'>;

/**
 * VB365-60: repositories of organizations whose Veeam server has them. The server is changed first, and
 * what it has then becomes the row. Organizations of several companies can share one, so only who sees
 * all companies reads and changes it there.
 */
export function serverRepositoryHandlers(context: AppContext): Pick<Handlers, Names> {
  const { serverRepositories } = context.vb365Engine;

  /** Stores a repository of the server as one of an organization, unless reading it was faster. */
  const storeCreated = (
    ctx: SessionContext,
    organizationId: OrganizationId,
    row: ServerRepository,
    what: string,
  ): Promise<Result<Created>> =>
    runIdempotently<Created>(context, ctx, async (tx) => {
      const organization = await findOrganization(tx, ctx.session, organizationId);
      if (!organization) return refusal(NOT_FOUND);
      await audit(tx, context, ctx, { what, user: null, detail: { repository: row.id } });
      const known = (await tx.rows('backupRepository', [row.id])).get(row.id);
      const found = { ...row, shortened: null };
      return {
        drafts: known === undefined ? [getCreated(organization, found)] : [],
        answer: () => ok({ _id: row.id, id: row.id }),
      };
    });

  return {
    async getServerStorage({ organizationId }, ctx) {
      const organization = await findManaged(context, ctx, organizationId);
      if (!organization.ok) return organization;
      const read = getAnswer(await serverRepositories.readStorage(scopeFor(ctx, organizationId)));
      if (!read.ok) return read;
      const { version, proxies, objectStorages, repositories } = read.value;
      return ok({
        version,
        proxies: copyRows(proxies).sort(compareByName),
        objectStorages: copyRows(objectStorages).sort(compareByName),
        repositories: copyRows(repositories).sort(compareByName),
      });
    },

    createServerRepository: ({ organizationId, ...fields }, ctx) =>
      runAlone(context, ctx, async () => {
        const organization = await findManaged(context, ctx, organizationId);
        if (!organization.ok) return organization;
        const refused = await read(context, ctx, (tx) =>
          loadRefusal(tx, ctx.session, organization.value.company, fields.repository, null),
        );
        if (refused) return failed(refused);
        const made = getAnswer(
          await serverRepositories.create(scopeFor(ctx, organizationId), {
            repository: context.chance.uuid() as BackupRepositoryId,
            settings: toSettings(fields),
          }),
        );
        return made.ok
          ? storeCreated(ctx, organizationId, made.value, 'backuprepository.created')
          : made;
      }),

    addServerRepository: ({ organizationId, key }, ctx) =>
      runAlone(context, ctx, async () => {
        const organization = await findManaged(context, ctx, organizationId);
        if (!organization.ok) return organization;
        const scope = scopeFor(ctx, organizationId);
        const found = getAnswer(await serverRepositories.find(scope, key));
        if (!found.ok) return found;
        const { name, known } = found.value;
        const refused =
          known === null &&
          (await read(context, ctx, (tx) =>
            loadRefusal(tx, ctx.session, organization.value.company, name, null),
          ));
        if (refused) return failed(refused);
        const added = getAnswer(
          await serverRepositories.add(scope, {
            repository: context.chance.uuid() as BackupRepositoryId,
            key,
          }),
        );
        return added.ok
          ? storeCreated(ctx, organizationId, added.value, 'backuprepository.added')
          : added;
      }),

    async getServerRepository({ id }, ctx) {
      const found = await findOnServer(context, ctx, id);
      if (!found.ok) return found;
      const settings = getAnswer(
        await serverRepositories.read(scopeFor(ctx, found.value.organization), { repository: id }),
      );
      if (!settings.ok) return settings;
      const { name, retention, cleanUp, shortened, ...rest } = settings.value;
      return ok({
        ...rest,
        repository: name,
        retention: { ...retention },
        cleanUp: cleanUp && { ...cleanUp },
        shortened: shortened && { ...shortened, retention: { ...shortened.retention } },
      });
    },

    updateServerRepository: (input, ctx) =>
      runAlone(context, ctx, async () => {
        const found = await findOnServer(context, ctx, input.id);
        return found.ok ? update(context, ctx, found.value, input) : found;
      }),
  };
}

async function update(
  context: AppContext,
  ctx: SessionContext,
  row: BackupRepositoryRow,
  { id, version, shortened, ...changes }: ParsedInputOf<'updateServerRepository'>,
): Promise<Result<Record<string, never>>> {
  const { serverRepositories } = context.vb365Engine;
  const scope = scopeFor(ctx, row.organization);
  const { repository: name, description, retention, cleanUp } = changes;
  if (name !== undefined) {
    const refused = await read(context, ctx, (tx) =>
      loadRefusal(tx, ctx.session, row.company, name, id),
    );
    if (refused) return failed(refused);
  }
  if (shortened === null) await keepRetention(context, ctx, row);
  if (Object.keys(changes).length === 0)
    return runIdempotently<Record<string, never>>(context, ctx, () =>
      Promise.resolve({ drafts: [], answer: () => ok({}) }),
    );
  if (retention !== undefined && !isFresh(ctx)) {
    const now = getAnswer(await serverRepositories.read(scope, { repository: id }));
    if (!now.ok) return now;
    if (isShorterRetention(retention, now.value.retention)) return REAUTH;
  }
  const saved = getAnswer(
    await serverRepositories.update(scope, {
      repository: id,
      version: version ?? null,
      changes: {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(retention !== undefined && { retention }),
        ...(cleanUp !== undefined && { cleanUp }),
      },
      canShorten: isFresh(ctx),
      shortensAt: ctx.now + DELAY_MS,
    }),
  );
  if (!saved.ok) return saved;
  return runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
    const now = await findRepositoryWithOwner(tx, ctx.session, id);
    if (!now) return refusal(NOT_FOUND);
    const { shortened: waiting, name: savedName } = saved.value;
    if (waiting && waiting.appliesAt !== now.repository.shortened?.appliesAt)
      await warnAdministrators(tx, context, ctx.session, 'shortenRetention', {
        company: row.company,
        name: savedName,
        when: waiting.appliesAt,
      });
    await audit(tx, context, ctx, {
      what: 'backuprepository.updated',
      user: null,
      detail: { repository: id, fields: Object.keys(changes).join(', ') },
    });
    return { drafts: [getUpdated(row, saved.value)], answer: () => ok({}) };
  });
}

/**
 * A shorter retention that waits is not sent after all. The server has the retention still, so this
 * also works while it can't be reached.
 */
const keepRetention = (
  context: AppContext,
  ctx: SessionContext,
  { id, organization }: BackupRepositoryRow,
): Promise<void> =>
  context.store.tenant(ctx.tenant, async (tx) => {
    await tx.lock();
    const link = await findRepositoryLink(tx, organization, id);
    const row = (await tx.rows('backupRepository', [id])).get(id);
    if (!link?.detail.shortened || row?.removedAt !== null) return;
    await setShortened(tx, id, null, ctx.now);
    await audit(tx, context, ctx, {
      what: 'backuprepository.updated',
      user: null,
      detail: { repository: id, fields: 'shortened' },
    });
    const { name, description, retentionType, retentionPolicy: policy, period } = row;
    const retention = period ?? { unit: 'years', policy };
    const found = { id, name, description, retentionType, retention, shortened: null };
    await tx.append(
      [getUpdated(row, found)],
      byUser(ctx.session, ctx.command?.id ?? null, ctx.now),
    );
  });

/**
 * Removes a repository from the server of its organization at once: the server keeps its files, so it
 * can be added there again.
 */
export const removeFromServer = (
  context: AppContext,
  ctx: SessionContext,
  id: BackupRepositoryId,
): Promise<Result<{ deletesAt: number }>> =>
  runAlone(context, ctx, async () => {
    const found = await findOnServer(context, ctx, id);
    if (!found.ok) return found;
    const { organization, company, name } = found.value;
    const inUse = await read(context, ctx, (tx) => usedRefusal(tx, id));
    if (inUse) return inUse;
    const gone = getAnswer(
      await context.vb365Engine.serverRepositories.remove(scopeFor(ctx, organization), {
        repository: id,
      }),
    );
    if (!gone.ok) return gone;
    return runIdempotently<{ deletesAt: number }>(context, ctx, async (tx) => {
      const row = (await tx.rows('backupRepository', [id])).get(id);
      if (row === undefined) return refusal(NOT_FOUND);
      const answer = () => ok({ deletesAt: ctx.now });
      // A reading of the server was faster, and has finished the removal.
      if (row.removedAt !== null) return { drafts: [], answer };
      await warnAdministrators(tx, context, ctx.session, 'removeRepository', {
        company,
        name,
        when: ctx.now,
      });
      await audit(tx, context, ctx, {
        what: 'backuprepository.deleted',
        user: null,
        detail: { repository: id },
      });
      return {
        drafts: [
          {
            event: { type: 'backuprepository.deleted@1', data: { id } },
            company,
            entity: `backuprepository:${id}`,
          },
        ],
        answer,
      };
    });
  });

/** Returns why a repository can't be deleted: the jobs that use it. */
export async function usedRefusal(
  tx: TenantTx,
  id: BackupRepositoryId,
): Promise<Result<never> | null> {
  const jobs = (await tx.all('backupJob'))
    .filter((job) => job.removedAt === null && job.repository === id)
    .sort(compareByName);
  return jobs.length === 0
    ? null
    : failed({
        kind: 'conflict',
        message: t.repositoryInUse({ jobs: jobs.map(({ name }) => name).join(', ') }),
      });
}

const read = <T>(
  context: AppContext,
  ctx: SessionContext,
  work: (tx: TenantTx) => Promise<T>,
): Promise<T> => context.store.tenant(ctx.tenant, work, { readOnly: true });

/** Organizations of several companies can share a repository of a server. */
const scopeRefusal = ({ session }: SessionContext): Result<never> | null =>
  session.companies === null ? null : failed({ kind: 'forbidden', message: t.sharedServer });

async function findManaged(
  context: AppContext,
  ctx: SessionContext,
  id: OrganizationId,
): Promise<Result<OrganizationRow>> {
  const row = await read(context, ctx, (tx) => findOrganization(tx, ctx.session, id));
  if (!row) return failed(NOT_FOUND);
  if (isBackedUpHere(row)) return failed({ kind: 'conflict', message: t.notOnServer });
  return scopeRefusal(ctx) ?? ok(row);
}

async function findOnServer(
  context: AppContext,
  ctx: SessionContext,
  id: BackupRepositoryId,
): Promise<Result<BackupRepositoryRow>> {
  const found = await read(context, ctx, (tx) => findRepositoryWithOwner(tx, ctx.session, id));
  if (!found) return failed(NOT_FOUND);
  if (isBackedUpHere(found.organization))
    return failed({ kind: 'conflict', message: t.notOnServer });
  return scopeRefusal(ctx) ?? ok(found.repository);
}

const copyRows = <R extends object>(rows: readonly R[]): R[] => rows.map((row) => ({ ...row }));

const toSettings = ({
  repository: name,
  proxyId: proxy,
  objectStorageId: objectStorage,
  ...fields
}: Omit<ParsedInputOf<'createServerRepository'>, 'organizationId'>) => ({
  ...fields,
  name,
  proxy,
  objectStorage,
});
