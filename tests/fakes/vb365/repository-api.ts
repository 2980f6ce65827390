import * as v from 'valibot';
import { type Details, json, type Query } from '#tests/server/outbound/listen.ts';
import { writePath } from './folders.ts';
import { repositoryFromClient } from './repository-schema.ts';
import { repositoryRow, type Row } from './rows.ts';
import { uid, type Vb365Content, type Vb365Repository, type Vb365Version } from './state.ts';

interface RepositoryParts {
  readonly version: Vb365Version;
  readonly content: Vb365Content;
  readonly notFound: () => Details;
  readonly refused: (message: string) => Details;
}

/** Creates, replaces and removes repositories. */
export function makeRepositoryApi({ version, content, notFound, refused }: RepositoryParts) {
  let made = 0;
  return {
    /** Null: it is another request. */
    change({ method, body }: Query, path: string): Details | null {
      const [list, id, ...rest] = path.split('/');
      if (list !== 'backuprepositories' || rest.length > 0) return null;
      if (id === undefined) return method === 'POST' ? create(body) : null;
      const found = content.repositories.find((one) => one.id === id);
      if (found === undefined) return notFound();
      if (method === 'PUT') return replace(found, body);
      return method === 'DELETE' ? remove(found) : null;
    },
  };

  function create(body: string): Details {
    const row = parse(body);
    if (row === null) return refused('The repository is not of the form that is published.');
    const wrong = getFailure(row, null);
    if (wrong !== null) return refused(wrong);
    if (!content.proxies.some(({ id }) => id === row['proxyId']))
      return refused('The proxy was not found.');
    const storage = row['objectStorageId'] ?? null;
    if (storage !== null && !content.objectStorages.some(({ id }) => id === storage))
      return refused('The object storage was not found.');
    made += 1;
    const repository: Vb365Repository = {
      id: uid(`made repository ${made}`),
      capacityBytes: 1_000_000_000,
      freeSpaceBytes: 1_000_000_000,
      ...rewrite(toState(row)),
    };
    content.repositories.push(repository);
    return json(repositoryRow(version, repository), version === 'v8' ? 201 : 200);
  }

  function rewrite<R extends { readonly path: string }>(repository: R): R {
    return content.rewritesPaths ? { ...repository, path: writePath(repository.path) } : repository;
  }

  /** What the body lacks is gone. */
  function replace(found: Vb365Repository, body: string): Details {
    const row = parse(body);
    if (row === null) return refused('The repository is not of the form that is published.');
    const wrong = getFailure(row, found.id);
    if (wrong !== null) return refused(wrong);
    if (row['retentionType'] !== repositoryRow(version, found)['retentionType'])
      return refused('The retention type cannot be changed.');
    const { id, capacityBytes, freeSpaceBytes } = found;
    const now = { id, capacityBytes, freeSpaceBytes, ...toState(row) };
    content.repositories[content.repositories.indexOf(found)] = now;
    return version === 'v8' ? { status: 204 } : { status: 200 };
  }

  function remove(found: Vb365Repository): Details {
    if (content.jobs.some(({ repositoryId }) => repositoryId === found.id))
      return refused('The repository is in use.');
    if (content.repositories.length === 1) return refused('The last repository cannot be removed.');
    content.repositories.splice(content.repositories.indexOf(found), 1);
    return { status: 204 };
  }

  /** Returns the body of a request if it has the published form. What no version publishes is kept. */
  function parse(body: string): Row | null {
    const row = JSON.parse(body) as Row;
    const published = Object.fromEntries(
      Object.entries(row).filter(([field]) => !field.startsWith('new')),
    );
    return v.is(repositoryFromClient(version), published) ? row : null;
  }

  function getFailure(row: Row, own: string | null): string | null {
    const name = row['name'];
    if (typeof name !== 'string' || name === '') return 'The repository has no name.';
    if (content.repositories.some((one) => one.id !== own && one.name === name))
      return `A repository with the name ${name} already exists.`;
    return typeof row['path'] === 'string' || row['objectStorageId'] != null
      ? null
      : 'The repository has no path.';
  }
}

const toState = ({
  name,
  path,
  objectStorageCachePath,
  proxyId,
  ...settings
}: Row): Omit<Vb365Repository, 'id' | 'capacityBytes' | 'freeSpaceBytes'> => ({
  name: String(name),
  path: typeof path === 'string' ? path : String(objectStorageCachePath),
  proxyId: String(proxyId),
  settings: {
    ...settings,
    ...(objectStorageCachePath !== undefined && { objectStorageCachePath }),
  },
});
