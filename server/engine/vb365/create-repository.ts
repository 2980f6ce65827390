import { isSameName } from '#contract/backup/same-name.ts';
import { isShorterRetention } from '#contract/backup/server-repositories.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type {
  NewServerRepository,
  ServerRepository,
} from '#contract/engine/server-repositories.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import * as v from 'valibot';
import { failed, ok } from '../result.ts';
import { forgetClaim } from './job-links.ts';
import { ignoreSourceError, isLostAnswer } from './lost-answer.ts';
import { toRepository, writeNewRepository } from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { readRepositories } from './read-organization.ts';
import { readRepository, REPOSITORIES } from './read-repository.ts';
import { findRemovedRefusal, isSameKey } from './removed-repositories.ts';
import { claimRepository, markRequestLost, type RepositoryClaim } from './repository-claims.ts';
import { linkRepository, listRepositoryLinks } from './repository-links.ts';
import { replaceRepository } from './save-repositories.ts';
import { isSameFolder } from './server-folder.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { RepositoryShape, type Vb365Repository } from './shapes.ts';
import { refreshSoon } from './sync-server.ts';

const CreatedShape = v.object({ id: RepositoryShape.entries.id });

/** Creates a repository, or adopts the one that a request made whose answer was lost. */
export async function createServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  {
    repository: wantedId,
    settings,
  }: { readonly repository: BackupRepositoryId; readonly settings: NewServerRepository },
): Promise<EngineResult<ServerRepository>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  const { store } = context;
  const { name } = settings;
  try {
    if (settings.objectStorage !== null && (await client.findVersion()) === 'v8')
      return failed('invalid', t.noObjectStorage, { field: 'objectStorageId' });
    const now = context.clock.now();
    const claim = await store.tenant(scope.tenant, async (tx) => {
      await tx.lock();
      const refused = await findRemovedRefusal(tx, settings, now);
      return refused
        ? failed('conflict', refused.message, { field: refused.field })
        : claimRepository(tx, scope, { id: wantedId, name, now });
    });
    if (claim === null) return failed('busy', t.creatingRepository);
    if ('ok' in claim) return claim;
    const there = await findByName(client, name).catch(async (error: unknown) => {
      await release(context, scope, claim, name);
      throw error;
    });
    if (there !== null && !(await isOurs(context, scope, claim, { there, settings }))) {
      await store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim.id));
      return failed('conflict', t.repositoryNameTaken, { field: 'repository' });
    }
    // Somebody may have removed one there while the server was read.
    const removed =
      there === null
        ? await store.tenant(scope.tenant, (tx) =>
            findRemovedRefusal(tx, settings, context.clock.now()),
          )
        : null;
    if (removed !== null) {
      await release(context, scope, claim, name);
      return failed('conflict', removed.message, { field: removed.field });
    }
    const key =
      there === null
        ? await post(context, scope, opened.value, claim.id, settings)
        : await adopt(context, scope, opened.value, claim, { there, settings });
    const id = await link(context, scope, claim.id, key);
    const read = await readRepository(client, key).catch(ignoreSourceError);
    await refreshSoon(context, scope, opened.value);
    const { retentionType, description, retention } = settings;
    return ok({
      name,
      retentionType,
      description,
      retention,
      ...(read && toRepository(read.row)),
      id,
    });
  } catch (error) {
    return toFailed(error);
  }
}

interface Found {
  readonly there: Vb365Repository;
  readonly settings: NewServerRepository;
}

/**
 * Whether a request whose answer was lost has made a repository. One with a longer retention than is
 * wanted can be someone else's: a shorter one would reach it without its wait (G73).
 */
const isOurs = async (
  context: AppContext,
  scope: EngineScope,
  { isRepeated }: RepositoryClaim,
  { there, settings }: Found,
): Promise<boolean> =>
  isRepeated &&
  isSamePlace(there, settings) &&
  !isShorterRetention(settings.retention, toRepository(there).retention) &&
  !(await isKnown(context, scope, there.id));

/** Gives the repository that an earlier request made the settings of this one. Returns its key. */
async function adopt(
  context: AppContext,
  scope: EngineScope,
  { client }: OpenedServer,
  claim: RepositoryClaim,
  { there: { id: key }, settings }: Found,
): Promise<string> {
  try {
    await replaceRepository(client, key, await readRepository(client, key), settings);
    return key;
  } catch (error) {
    await release(context, scope, claim, settings.name);
    throw error;
  }
}

/** Nothing was sent: another request can take the name, and an earlier one can be repeated again. */
const release = (
  context: AppContext,
  { tenant, user }: EngineScope,
  { id, isRepeated }: RepositoryClaim,
  name: string,
): Promise<void> =>
  context.store.tenant(tenant, (tx) =>
    isRepeated ? markRequestLost(tx, id, { name, user }) : forgetClaim(tx, id),
  );

/** Whether a repository of the server is one of the organization already. */
const isKnown = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  key: string,
): Promise<boolean> =>
  context.store.tenant(
    tenant,
    async (tx) => (await listRepositoryLinks(tx, organization)).some((one) => one.key === key),
    { readOnly: true },
  );

const findByName = async (
  client: OpenedServer['client'],
  name: string,
): Promise<Vb365Repository | null> =>
  [...(await readRepositories(client)).values()].find((one) => isSameName(one.name ?? '', name)) ??
  null;

/** Whether a repository is where a request wants it. Servers can write a path in their own way. */
const isSamePlace = (
  row: Vb365Repository,
  { proxy, path, objectStorage, retentionType }: NewServerRepository,
): boolean =>
  isSameKey(row.proxyId ?? null, proxy) &&
  row.retentionType === retentionType &&
  (objectStorage === null
    ? isSameFolder(row.path ?? '', path) && row.objectStorageId == null
    : isSameKey(row.objectStorageId ?? null, objectStorage));

/** Sends a new repository. If the answer is lost, it is looked for by its name. */
async function post(
  context: AppContext,
  scope: EngineScope,
  { client }: OpenedServer,
  claim: BackupRepositoryId,
  settings: NewServerRepository,
): Promise<string> {
  const { name } = settings;
  const forget = () => context.store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim));
  try {
    const body = writeNewRepository(settings);
    const made = await client.command({ method: 'POST', path: REPOSITORIES, body }, CreatedShape);
    if (made !== null) return made.id;
  } catch (error) {
    const isLost = isLostAnswer(error);
    const found = isLost ? await findByName(client, name).catch(ignoreSourceError) : null;
    if (found !== null && isSamePlace(found, settings)) return found.id;
    // The server may have it nevertheless, or get it later: then the next request looks for it.
    if (isLost)
      await context.store.tenant(scope.tenant, (tx) =>
        markRequestLost(tx, claim, { name, user: scope.user }),
      );
    else await forget();
    throw error;
  }
  const found = await findByName(client, name);
  if (found !== null) return found.id;
  await forget();
  throw new SourceError('failed', t.unknownRepository);
}

/** Reads what a repository of the server is called, and its id if the organization has it already. */
export async function findServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  key: string,
): Promise<EngineResult<{ readonly name: string; readonly known: BackupRepositoryId | null }>> {
  const found = await readAddable(servers, scope, key);
  if (!found.ok) return found;
  const links = await context.store.tenant(
    scope.tenant,
    (tx) => listRepositoryLinks(tx, scope.organization),
    { readOnly: true },
  );
  const { row } = found.value;
  return ok({
    name: toRepository(row).name,
    known: links.find((one) => one.key === row.id)?.id ?? null,
  });
}

/** Lists a repository of the server among those of the organization. The server doesn't change. */
export async function addServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository, key }: { readonly repository: BackupRepositoryId; readonly key: string },
): Promise<EngineResult<ServerRepository>> {
  const found = await readAddable(servers, scope, key);
  if (!found.ok) return found;
  const { row, opened } = found.value;
  const id = await link(context, scope, repository, row.id);
  await refreshSoon(context, scope, opened);
  return ok({ ...toRepository(row), id });
}

async function readAddable(
  servers: Vb365Servers,
  scope: EngineScope,
  key: string,
): Promise<EngineResult<{ readonly row: Vb365Repository; readonly opened: OpenedServer }>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  try {
    const { row } = await readRepository(opened.value.client, key);
    if (row.isLongTerm === true) return failed('conflict', t.archive);
    if ((row.organizationId ?? opened.value.key) !== opened.value.key)
      return failed('missing', t.unknownRepository);
    return ok({ row, opened: opened.value });
  } catch (error) {
    return toFailed(error);
  }
}

const link = (
  context: AppContext,
  scope: EngineScope,
  id: BackupRepositoryId,
  key: string,
): Promise<BackupRepositoryId> =>
  context.store.tenant(scope.tenant, (tx) =>
    linkRepository(tx, scope, { id, key, at: context.clock.now() }),
  );
