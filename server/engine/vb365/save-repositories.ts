import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { isSameName } from '#contract/backup/same-name.ts';
import { isShorterRetention } from '#contract/backup/server-repositories.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type {
  NewServerRepository,
  ServerRepository,
  ServerRepositoryChange,
  ServerRepositoryFields,
  ServerRepositoryUpdate,
} from '#contract/engine/server-repositories.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { done, failed, ok } from '../result.ts';
import { forgetClaim, markCommand } from './job-links.ts';
import {
  getRepositoryVersion,
  toCleanUp,
  toRepository,
  writeChangedRepository,
  writeNewRepository,
} from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { JOBS, readRepositories } from './read-organization.ts';
import {
  getRepositoryPath,
  type ReadRepository,
  readRepository,
  REPOSITORIES,
} from './read-repository.ts';
import {
  findRepositoryLink,
  linkRepository,
  listRepositoryLinks,
  type RepositoryLink,
  setShortened,
} from './repository-links.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { JobShape, RepositoryShape, type Vb365Repository } from './shapes.ts';
import { claimRepository, markRequestLost, type RepositoryClaim } from './repository-claims.ts';
import { refreshSoon } from './sync-server.ts';
import type { RawRow } from './write-job.ts';

const CreatedShape = v.object({ id: RepositoryShape.entries.id });

interface RepositoryInput {
  readonly repository: BackupRepositoryId;
}

/** Creates a repository, or adopts the one that a request made whose answer was lost. */
export async function createServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository: wantedId, settings }: RepositoryInput & { readonly settings: NewServerRepository },
): Promise<EngineResult<ServerRepository>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  const { store } = context;
  const { name } = settings;
  try {
    if (settings.objectStorage !== null && (await client.findVersion()) === 'v8')
      return failed('invalid', t.noObjectStorage, { field: 'objectStorageId' });
    const claim = await store.tenant(scope.tenant, (tx) =>
      claimRepository(tx, scope, { id: wantedId, name, now: context.clock.now() }),
    );
    if (claim === null) return failed('busy', t.creatingRepository);
    const there = await findByName(client, name).catch(async (error: unknown) => {
      await release(context, scope, claim, name);
      throw error;
    });
    if (there !== null) {
      const isOurs =
        claim.isRepeated &&
        isSamePlace(there, settings) &&
        !(await isKnown(context, scope, there.id));
      if (!isOurs) {
        await store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim.id));
        return failed('conflict', t.repositoryNameTaken, { field: 'repository' });
      }
    }
    const key = there?.id ?? (await post(context, scope, opened.value, claim.id, settings));
    const id = await link(context, scope, claim.id, key);
    let read = await readRepository(client, key).catch(ignoreSourceError);
    if (there !== null && read !== null) {
      const changed = await put(client, key, read, settings);
      if (!changed.ok) return changed;
      read = await readRepository(client, key).catch(ignoreSourceError);
    }
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

/** What was written counts if it can't be read now. */
function ignoreSourceError(error: unknown): null {
  if (error instanceof SourceError) return null;
  throw error;
}

const findByName = async (
  client: OpenedServer['client'],
  name: string,
): Promise<Vb365Repository | null> =>
  [...(await readRepositories(client)).values()].find((one) => isSameName(one.name ?? '', name)) ??
  null;

/** Whether a repository is where a request asked for it. */
const isSamePlace = (
  row: Vb365Repository,
  { proxy, path, objectStorage, retentionType }: NewServerRepository,
): boolean =>
  row.proxyId === proxy &&
  row.retentionType === retentionType &&
  (objectStorage === null
    ? row.path === path && row.objectStorageId == null
    : row.objectStorageId === objectStorage);

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
    const isLost = error instanceof SourceError && error.kind === 'unreachable';
    const found = isLost ? await findByName(client, name).catch(ignoreSourceError) : null;
    if (found !== null && isSamePlace(found, settings)) return found.id;
    // An unreachable server may have it nevertheless: then the next request looks for it.
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
  throw new SourceError('fault', t.unknownRepository);
}

/** Lists a repository of the server among those of the organization. The server doesn't change. */
export async function addServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository, key }: RepositoryInput & { readonly key: string },
): Promise<EngineResult<ServerRepository>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  try {
    const { row } = await readRepository(opened.value.client, key);
    if (row.isLongTerm === true) return failed('conflict', t.archive);
    if ((row.organizationId ?? opened.value.key) !== opened.value.key)
      return failed('missing', t.unknownRepository);
    const id = await link(context, scope, repository, row.id);
    await refreshSoon(context, scope, opened.value);
    return ok({ ...toRepository(row), id });
  } catch (error) {
    return toFailed(error);
  }
}

/** Changes a repository if it is still as it was read. */
export async function updateServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository, version, changes, keepsRetention, shortensAt }: ServerRepositoryChange,
): Promise<EngineResult<ServerRepositoryUpdate>> {
  const found = await findLink(context, scope, repository);
  if (found === null) return failed('missing', t.unknownRepository);
  // First, so that a shorter retention is undone even if the server can't be reached right now.
  if (keepsRetention)
    await context.store.tenant(scope.tenant, (tx) =>
      setShortened(tx, repository, null, context.clock.now()),
    );
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  try {
    const read = await readRepository(client, found.key);
    if (version !== null && version !== getRepositoryVersion(read.raw)) {
      await refreshSoon(context, scope, opened.value);
      return failed('conflict', t.repositoryChangedThere);
    }
    const { retention: wanted, ...others } = changes;
    const before = toRepository(read.row).retention;
    const isShorter = wanted !== undefined && isShorterRetention(wanted, before);
    const now = { ...others, ...(wanted !== undefined && !isShorter && { retention: wanted }) };
    const changed = await put(client, found.key, read, now);
    if (!changed.ok) return changed;
    const shortened = getShortened(found, {
      wanted,
      before,
      isShorter,
      keepsRetention,
      shortensAt,
    });
    // A change of other fields leaves a waiting retention as it is, also if it was undone meanwhile.
    await context.store.tenant(scope.tenant, (tx) =>
      wanted === undefined && !keepsRetention
        ? markCommand(tx, repository, context.clock.now())
        : setShortened(tx, repository, shortened, context.clock.now()),
    );
    await refreshSoon(context, scope, opened.value);
    const after = await readRepository(client, found.key).catch(ignoreSourceError);
    return ok({
      ...toRepository(read.row),
      ...now,
      ...(after && toRepository(after.row)),
      id: repository,
      shortened: shortened && {
        retention: shortened.retention,
        appliesAt: shortened.appliesAt,
      },
    });
  } catch (error) {
    return toFailed(error);
  }
}

type Shortened = NonNullable<RepositoryLink['detail']['shortened']>;

/** A shorter retention waits; the same one again waits as long as before; any other ends the wait. */
function getShortened(
  { detail }: RepositoryLink,
  {
    wanted,
    before,
    isShorter,
    keepsRetention,
    shortensAt,
  }: Pick<ServerRepositoryChange, 'keepsRetention' | 'shortensAt'> & {
    readonly wanted: ServerRepositoryFields['retention'] | undefined;
    readonly before: ServerRepositoryFields['retention'];
    readonly isShorter: boolean;
  },
): Shortened | null {
  const { shortened: waiting = null } = detail;
  if (wanted === undefined) return keepsRetention ? null : waiting;
  if (!isShorter) return null;
  return isDeepStrictEqual(waiting?.retention, wanted) && isDeepStrictEqual(waiting?.before, before)
    ? waiting
    : { before, retention: wanted, appliesAt: shortensAt };
}

/** Sends the changes. One whose answer was lost is done if the repository is as it was to become. */
async function put(
  client: OpenedServer['client'],
  key: string,
  { raw }: ReadRepository,
  changes: Partial<ServerRepositoryFields>,
): Promise<EngineResult<void>> {
  const isAs = ({ row }: ReadRepository): boolean => {
    const there = { ...toRepository(row), cleanUp: toCleanUp(row) };
    return FIELDS.every(
      (field) => changes[field] === undefined || isDeepStrictEqual(there[field], changes[field]),
    );
  };
  if (isAs({ raw, row: v.parse(RepositoryShape, raw) })) return done;
  const body: RawRow = writeChangedRepository(raw, changes);
  try {
    await client.command({ method: 'PUT', path: getRepositoryPath(key), body }, null);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unreachable') throw error;
    const now = await readRepository(client, key).catch(ignoreSourceError);
    if (now === null || !isAs(now)) throw error;
  }
  return done;
}

const FIELDS = ['name', 'description', 'retention', 'cleanUp'] as const;

/** Removes a repository from the server, unless a job there uses it. Its files stay. */
export async function removeServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository }: RepositoryInput,
): Promise<EngineResult<void>> {
  const found = await findLink(context, scope, repository);
  if (found === null) return failed('missing', t.unknownRepository);
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  const isGone = (): Promise<boolean> =>
    readRepository(client, found.key).then(
      () => false,
      (error: unknown) => error instanceof SourceError && error.kind === 'missing',
    );
  try {
    const jobs = await listJobs(client, found.key);
    if (jobs.length > 0)
      return failed('conflict', t.repositoryUsedThere({ jobs: jobs.join(', ') }));
    await client
      .command({ method: 'DELETE', path: getRepositoryPath(found.key) }, null)
      .catch(async (error: unknown) => {
        if (!(await isGone())) throw error;
      });
    await context.store.tenant(scope.tenant, (tx) =>
      markCommand(tx, repository, context.clock.now()),
    );
    await refreshSoon(context, scope, opened.value);
    return done;
  } catch (error) {
    return toFailed(error);
  }
}

/** The names of all jobs of the server that use a repository, also of other organizations. */
async function listJobs(client: OpenedServer['client'], key: string): Promise<string[]> {
  const path =
    (await client.findVersion()) === 'v8'
      ? `${JOBS}?repositoryId=${encodeURIComponent(key)}`
      : JOBS;
  const names: string[] = [];
  for await (const rows of client.readPages(path, JobShape))
    names.push(...rows.flatMap((job) => (job.repositoryId === key ? [job.name ?? job.id] : [])));
  return names.slice(0, MAX_NAMED_JOBS);
}
/** A message names no more. */
const MAX_NAMED_JOBS = 10;

const findLink = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  repository: BackupRepositoryId,
) =>
  context.store.tenant(tenant, (tx) => findRepositoryLink(tx, organization, repository), {
    readOnly: true,
  });

const link = (
  context: AppContext,
  scope: EngineScope,
  id: BackupRepositoryId,
  key: string,
): Promise<BackupRepositoryId> =>
  context.store.tenant(scope.tenant, (tx) =>
    linkRepository(tx, scope, { id, key, at: context.clock.now() }),
  );
