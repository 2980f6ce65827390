import type {
  DirectoryKind,
  DirectoryObject,
  EngineResult,
  ListObjectsInput,
  EnginePage,
} from '#contract/engine/engine.ts';
import { failed, ok } from '../result.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getNextOffset } from './paging.ts';
import type { OpenedServer } from './servers.ts';
import { DirectoryPageShape } from './shapes.ts';

const LISTS: Readonly<Record<DirectoryKind, string>> = {
  user: '/Users',
  group: '/Groups',
  team: '/Teams',
  site: '/Sites',
};
/** The filter of each list that looks for a part of a name. Wildcards are the server's. */
const FILTERS: Readonly<Record<DirectoryKind, string>> = {
  user: 'displayName',
  group: 'displayName',
  team: 'displayName',
  site: 'filter',
};

/**
 * Lists objects of the tenant as the server knows them. The server keeps the list of a query under a
 * set id, so that its pages fit together.
 */
export async function listObjects(
  { client, key }: Pick<OpenedServer, 'client' | 'key'>,
  { kind, text, parent, cursor, limit }: ListObjectsInput,
): Promise<EngineResult<EnginePage<DirectoryObject>>> {
  const place = readPlace(cursor);
  if (place === null) return failed('invalid', t.wrongPage, { field: 'cursor' });
  const query = new URLSearchParams({ limit: String(limit), offset: String(place.offset) });
  if (place.set !== null) query.set('setId', place.set);
  if (text !== null) query.set(FILTERS[kind], kind === 'site' ? text : `*${text}*`);
  // Without a parent, the server lists the whole tree.
  if (kind === 'site') query.set('parentId', parent ?? 'root');
  const page = await client.read(
    `Organizations/${encodeURIComponent(key)}${LISTS[kind]}?${query.toString()}`,
    DirectoryPageShape,
  );
  const rows = page.results.map(({ id, displayName, name, mail, title, url }): DirectoryObject => ({
    kind,
    id,
    name: (kind === 'site' ? title || name : displayName || name) || id,
    address: (kind === 'site' ? url : kind === 'team' ? mail : name) ?? '',
    children: null,
  }));
  const next = getNextOffset(page, place.offset, limit);
  return ok({
    rows,
    next: next === null ? null : `${next}:${page.setId ?? place.set ?? ''}`,
    count: null,
  });
}

function readPlace(
  cursor: string | null,
): { readonly offset: number; readonly set: string | null } | null {
  if (cursor === null) return { offset: 0, set: null };
  const [, offset, set] = /^(\d{1,9}):([\w-]{0,100})$/.exec(cursor) ?? [];
  return offset === undefined ? null : { offset: Number(offset), set: set || null };
}
