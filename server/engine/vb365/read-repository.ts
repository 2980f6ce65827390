import * as v from 'valibot';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type {
  ServerRepositorySettings,
  ServerStorage,
} from '#contract/engine/server-repositories.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { failed, ok } from '../result.ts';
import type { Vb365Client } from './client.ts';
import {
  getRepositoryVersion,
  toCleanUp,
  toRepository,
  toRepositoryName,
} from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { toName } from './organizations.ts';
import { readRepositories } from './read-organization.ts';
import { findRepositoryLink, listRepositoryLinks } from './repository-links.ts';
import { toFailed, type Vb365Servers } from './servers.ts';
import { NamedShape, ProxyShape, RepositoryShape, type Vb365Repository } from './shapes.ts';
import { RawShape } from './write-lists.ts';
import type { RawRow } from './write-job.ts';

export const REPOSITORIES = 'BackupRepositories';
export const getRepositoryPath = (key: string): string =>
  `${REPOSITORIES}/${encodeURIComponent(key)}`;

/** A repository with everything that the server has of it. */
export interface ReadRepository {
  readonly raw: RawRow;
  readonly row: Vb365Repository;
}

export async function readRepository(client: Vb365Client, key: string): Promise<ReadRepository> {
  const raw = await client.read(getRepositoryPath(key), RawShape);
  const parsed = v.safeParse(RepositoryShape, raw);
  if (!parsed.success) throw new SourceError('failed', t.otherForm);
  return { raw, row: parsed.output };
}

/** Reads what a new repository can use, and which ones the organization can add. */
export async function readServerStorage(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
): Promise<EngineResult<ServerStorage>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client, key } = opened.value;
  try {
    const version = await client.findVersion();
    const links = await context.store.tenant(
      scope.tenant,
      (tx) => listRepositoryLinks(tx, scope.organization),
      { readOnly: true },
    );
    const linked = new Set(links.map((one) => one.key));
    const repositories = [...(await readRepositories(client)).values()].filter(
      ({ id, isLongTerm, organizationId }) =>
        !linked.has(id) && isLongTerm !== true && (organizationId ?? key) === key,
    );
    const pools = version === 'v8' ? await readNames(client, 'ProxyPools') : new Map();
    const proxies = await readAll(client, 'Proxies', ProxyShape);
    return ok({
      version,
      proxies: proxies.map(({ id, hostName, type, status, proxyPoolId, operatingSystem }) => ({
        id,
        name: toName(hostName) ?? id,
        pool: proxyPoolId == null ? null : (pools.get(proxyPoolId) ?? proxyPoolId),
        isOnline: status !== 'Offline',
        // A proxy of a pool, or on Linux, only works for object storage.
        hasFolders: type === 'Local' || (proxyPoolId == null && operatingSystem !== 'Linux'),
      })),
      objectStorages:
        version === 'v7'
          ? toNamed(await readNames(client, 'objectstoragerepositories?longTerm=false'))
          : [],
      repositories: repositories.map((one) => ({
        id: one.id,
        name: toRepositoryName(one),
        path: one.path ?? '',
      })),
    });
  } catch (error) {
    return toFailed(error);
  }
}

async function readAll<S extends v.GenericSchema>(client: Vb365Client, path: string, shape: S) {
  const rows: v.InferOutput<S>[] = [];
  for await (const page of client.readPages(path, shape)) rows.push(...page);
  return rows;
}

const readNames = async (client: Vb365Client, path: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await readAll(client, path, NamedShape)).map(({ id, name }) => [id, toName(name) ?? id]),
  );

const toNamed = (names: ReadonlyMap<string, string>) =>
  [...names].map(([id, name]) => ({ id, name }));

/** Reads the settings of a repository as they are now. */
export async function readServerRepository(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  repository: BackupRepositoryId,
): Promise<EngineResult<ServerRepositorySettings>> {
  const link = await context.store.tenant(
    scope.tenant,
    (tx) => findRepositoryLink(tx, scope.organization, repository),
    { readOnly: true },
  );
  if (link === null) return failed('missing', t.unknownRepository);
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  try {
    const { raw, row } = await readRepository(client, link.key);
    const version = await client.findVersion();
    const proxies = await readAll(client, 'Proxies', ProxyShape);
    const pools = version === 'v8' ? await readNames(client, 'ProxyPools') : new Map();
    const { shortened } = link.detail;
    return ok({
      ...toRepository(row),
      version: getRepositoryVersion(raw),
      cleanUp: toCleanUp(row),
      path: row.path ?? '',
      proxy: toName(proxies.find(({ id }) => id === row.proxyId)?.hostName),
      pool: row.proxyPoolId == null ? null : (pools.get(row.proxyPoolId) ?? row.proxyPoolId),
      objectStorage: await findObjectStorage(client, row),
      shortened: shortened
        ? { retention: shortened.retention, appliesAt: shortened.appliesAt }
        : null,
    });
  } catch (error) {
    return toFailed(error);
  }
}

/** The name of its bucket or container, or of its object storage in version 7. */
async function findObjectStorage(
  client: Vb365Client,
  { objectStorage: storage, objectStorageId: id }: Vb365Repository,
): Promise<string | null> {
  if (id != null) return (await readNames(client, 'objectstoragerepositories')).get(id) ?? id;
  if (storage == null) return null;
  const { amazonBucketS3Compatible, amazonBucketS3Aws, azureContainer, type } = storage;
  const name = (amazonBucketS3Compatible ?? amazonBucketS3Aws ?? azureContainer)?.name;
  const folder = storage.s3Folder ?? storage.azureFolder;
  return [name ?? type, folder].filter(Boolean).join('/') || null;
}
