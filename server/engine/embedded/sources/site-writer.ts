import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts } from '../graph/request.ts';
import { SCOPE_MARK } from '../types.ts';
import type {
  FolderRecorder,
  FoundObject,
  PathPart,
  Place,
  SourceCall,
  SourceObject,
  StoredItem,
  Writer,
} from '../types.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { done, failed, nothing } from '../../result.ts';
import { restoreMessages } from '../../shared/restore.messages.en.ts';
import { driveClient } from './drive.ts';
import { mapKeys, writeToDrive } from './drive-writer.ts';
import { joinTexts } from './moved-folder.ts';
import { listSiteParts, type SitePart, sitePath, parseSitePartKey } from './site-parts.ts';
import { findSameRow, removeRow, type RowTarget, writeRow, findRow } from './row-writer.ts';

/** Writes files back to libraries of sites, and rows to their lists. */
export function siteWriter(ports: GraphPorts): Writer {
  const open = (object: SourceObject, call: SourceCall): Site => ({
    client: driveClient(ports, object, call),
    id: object.id,
  });
  /** Finds where an item goes; null if the site lacks it. */
  const openPart = async (
    place: Place,
    item: StoredItem | null,
    call: SourceCall,
  ): Reply<{ readonly site: Site; readonly part: SitePart } | null> => {
    const site = open(place.object, call);
    const part = await findPart(site, place.path[0]);
    if (!part.ok || part.value === null) return part.ok ? nothing : part;
    const refusal = item === null ? null : checkKind(part.value, item);
    return refusal ?? { ok: true, value: { site, part: part.value } };
  };
  return {
    async find(place, item, call) {
      const found = await openPart(place, item, call);
      if (!found.ok || found.value === null) return found.ok ? nothing : found;
      const { site, part } = found.value;
      if (part.kind === 'list') return findRow(toRows(site, part), item);
      const inner = openFiles(site, part.key);
      return withPart(part.key, await inner.find(within(place), plain(part, item), call));
    },
    async findCopy(place, item, others, call) {
      const found = await openPart(place, item, call);
      if (!found.ok || found.value === null) return found.ok ? nothing : found;
      const { site, part } = found.value;
      if (part.kind === 'list') return findSameRow(toRows(site, part), item, others);
      const inner = openFiles(site, part.key);
      const beside = others.map((key) => parseSitePartKey(key).id);
      return withPart(
        part.key,
        await inner.findCopy(within(place), plain(part, item), beside, call),
      );
    },
    async findFolder(place, call) {
      const found = await openPart(place, null, call);
      if (!found.ok || found.value === null) return found.ok ? nothing : found;
      const { site, part } = found.value;
      if (place.path.length === 1 || part.kind === 'list') return { ok: true, value: part.key };
      const folder = await openFiles(site, part.key).findFolder(within(place), call);
      return folder.ok && folder.value !== null
        ? { ok: true, value: `${part.key}${SCOPE_MARK}${folder.value}` }
        : folder;
    },
    async findFileOnPath(place, call) {
      const found = await openPart(place, null, call);
      if (!found.ok || found.value === null) return found.ok ? nothing : found;
      const { site, part } = found.value;
      if (part.kind === 'list') return nothing;
      const files = openFiles(site, part.key);
      const file = (await files.findFileOnPath?.(within(place), call)) ?? nothing;
      return file.ok && file.value !== null
        ? { ok: true, value: { ...file.value, key: `${part.key}${SCOPE_MARK}${file.value.key}` } }
        : file;
    },
    async describePlace(place, folder, call) {
      const found = await openPart(place, null, call);
      const own = parseSitePartKey(folder);
      // Another one that has its name now is no place that has changed.
      if (!found.ok || found.value?.part.key !== own.part) return found.ok ? nothing : found;
      const { site, part } = found.value;
      const renamed = describeName(part, place.path[0]?.name ?? '');
      const moved =
        part.kind === 'list'
          ? nothing
          : ((await openFiles(site, part.key).describePlace?.(within(place), own.id, call)) ??
            nothing);
      if (!moved.ok) return moved;
      return { ok: true, value: joinTexts(renamed, moved.value) };
    },
    ensureFolder: (place, call, recorder) =>
      ensureFolder(open(place.object, call), place, call, recorder),
    async write(place, item, input, call) {
      const site = open(place.object, call);
      const part = await ensurePart(site, place.path[0]);
      if (!part.ok) return part;
      const refusal = checkKind(part.value.part, item);
      if (refusal !== null) return refusal;
      const { key, kind } = part.value.part;
      if (kind === 'list') return writeRow(toRows(site, part.value.part), item, input);
      const replaces =
        input.replaces === null
          ? null
          : { ...input.replaces, key: parseSitePartKey(input.replaces.key).id };
      const written = await openFiles(site, key).write(
        within(place),
        plain(part.value.part, item),
        { ...input, replaces },
        call,
      );
      return written.ok
        ? { ok: true, value: { ...written.value, key: `${key}${SCOPE_MARK}${written.value.key}` } }
        : written;
    },
    async rename(object, found, name, call) {
      const { part, id } = parseSitePartKey(found.key);
      if (!isLibrary(part)) return failed('unsupported', t.unsupported);
      const files = openFiles(open(object, call), part);
      const renamed = await files.rename?.(object, { ...found, key: id }, name, call);
      if (renamed === undefined) return failed('unsupported', t.unsupported);
      return renamed.ok ? { ok: true, value: { ...renamed.value, key: found.key } } : renamed;
    },
    async remove(object, written, call, before) {
      const site = open(object, call);
      const { part, id } = parseSitePartKey(written.key);
      const inner = { ...written, key: id };
      return isLibrary(part)
        ? openFiles(site, part).remove(object, inner, call, before)
        : removeRow({ client: site.client, site: site.id, list: part }, inner, before);
    },
    async removeFolder(object, key, call, removal) {
      const site = open(object, call);
      const { part, id } = parseSitePartKey(key);
      return id === ''
        ? removePart(site, part)
        : openFiles(site, part).removeFolder(object, id, call, removal);
    },
    async share(object, item, grants, call) {
      const { part, id } = parseSitePartKey(item.key);
      // Graph shares files and folders, not libraries, lists or rows.
      if (!isLibrary(part) || id === '') return failed('unsupported', t.unsupported);
      const files = openFiles(open(object, call), part);
      return (
        files.share?.(object, { ...item, key: id }, grants, call) ??
        failed('unsupported', t.unsupported)
      );
    },
    async unshare(object, key, permissions, call) {
      const { part, id } = parseSitePartKey(key);
      return openFiles(open(object, call), part).unshare?.(object, id, permissions, call) ?? done;
    },
  };
}

interface Site {
  readonly client: GraphClient;
  readonly id: string;
}

/** Ids of drives begin with `b!`; those of lists are GUIDs. */
export const isLibrary = (part: string): boolean => part.startsWith('b!');

const openFiles = ({ client }: Site, library: string): Writer =>
  writeToDrive(() =>
    Promise.resolve({
      ok: true as const,
      value: { client, path: `/drives/${encodeURIComponent(library)}` },
    }),
  );
const toRows = ({ client, id }: Site, { key }: SitePart): RowTarget => ({
  client,
  site: id,
  list: key,
});

/** The place in a library. */
const within = ({ object, path }: Place): Place => ({ object, path: path.slice(1) });

/** The item as its library knows it; one of another library is only found by its name there. */
const plain = ({ key }: SitePart, item: StoredItem): StoredItem => {
  const { part, id } = parseSitePartKey(item.key);
  return part === key ? { ...item, key: id } : { ...item, key: '', changeKey: '' };
};

/** What a library or list is named now; null: as before. */
function describeName({ kind, name }: SitePart, former: string): string | null {
  if (name.toLowerCase() === former.toLowerCase()) return null;
  const say = kind === 'list' ? restoreMessages.listRenamed : restoreMessages.libraryRenamed;
  return say({ former, name });
}

const withPart = (
  part: string,
  found: EngineResult<FoundObject | null>,
): EngineResult<FoundObject | null> =>
  found.ok
    ? {
        ok: true,
        value: mapKeys(found.value, (key) => `${part}${SCOPE_MARK}${key}`),
      }
    : found;

function checkKind(part: SitePart, { kind }: StoredItem): EngineResult<never> | null {
  if (kind === 'row' && part.kind === 'library') return failed('invalid', t.notAList);
  if (kind === 'file' && part.kind === 'list') return failed('invalid', t.notALibrary);
  return null;
}

/** The library or list by its key, in its own site, else by its name. */
async function findPart(site: Site, named: PathPart | undefined): Reply<SitePart | null> {
  if (named === undefined) return failed('invalid', t.badName);
  const parts = await listSiteParts(site.client, site.id);
  if (!parts.ok) return parts;
  const name = named.name.toLowerCase();
  return {
    ok: true,
    value:
      parts.value.find(({ key }) => key === named.key) ??
      parts.value.find((part) => part.name.toLowerCase() === name) ??
      null,
  };
}

const NewList = v.object({ id: v.string() });

/** Finds a library or list, and creates it if the site lacks it. */
async function ensurePart(
  site: Site,
  named: PathPart | undefined,
  before: () => Promise<void> = () => Promise.resolve(),
): Reply<{ readonly part: SitePart; readonly isNew: boolean }> {
  const found = await findPart(site, named);
  if (!found.ok) return found;
  if (found.value !== null) return { ok: true, value: { part: found.value, isNew: false } };
  await before();
  const isList = named?.wellKnown === 'list';
  const added = await site.client.post(
    `${sitePath(site.id)}/lists`,
    {
      displayName: named?.name ?? '',
      list: { template: isList ? 'genericList' : 'documentLibrary' },
    },
    NewList,
  );
  // Somebody else, or the request whose response was lost, has made it meanwhile.
  const now = await findPart(site, named);
  if (now.ok && now.value !== null) {
    const isNew = added.ok || added.error.kind !== 'conflict';
    return { ok: true, value: { part: now.value, isNew } };
  }
  if (!added.ok) return { ok: false, error: added.error };
  return now.ok ? failed('internal', t.unreadable) : now;
}

async function ensureFolder(
  site: Site,
  place: Place,
  call: SourceCall,
  recorder: FolderRecorder | undefined,
): Reply<{ key: string; created: readonly string[] }> {
  const top = place.path.slice(0, 1);
  let isRecorded = false;
  const ensured = await ensurePart(site, top[0], async () => {
    isRecorded = true;
    await recorder?.before(top);
  });
  if (!ensured.ok) return ensured;
  const { part, isNew } = ensured.value;
  const { key, kind } = part;
  if (isRecorded) await recorder?.after(top, isNew ? key : null);
  const created = isNew ? [key] : [];
  if (kind === 'list' || place.path.length === 1) return { ok: true, value: { key, created } };
  const toKey = (id: string): string => `${key}${SCOPE_MARK}${id}`;
  const folder = await openFiles(site, key).ensureFolder(
    within(place),
    call,
    recorder && {
      before: (path) => recorder.before([...top, ...path]),
      after: (path, id) => recorder.after([...top, ...path], id === null ? null : toKey(id)),
    },
  );
  if (!folder.ok) return folder;
  return {
    ok: true,
    value: {
      key: toKey(folder.value.key),
      created: [...created, ...folder.value.created.map(toKey)],
    },
  };
}

/** Removes a library or list that a restore created, if it is empty. */
async function removePart(site: Site, key: string): Reply<void> {
  const { client } = site;
  const content = isLibrary(key)
    ? `/drives/${encodeURIComponent(key)}/root/children?$top=1&$select=id`
    : `${sitePath(site.id)}/lists/${encodeURIComponent(key)}/items?$top=1&$select=id`;
  const rows = await client.page(content, NewList);
  if (!rows.ok) return rows.error.kind === 'missing' ? done : { ok: false, error: rows.error };
  if (rows.value.rows.length > 0) return failed('conflict', t.listInUse);
  const list = isLibrary(key)
    ? await client.get(`/drives/${encodeURIComponent(key)}/list?$select=id`, NewList)
    : ({ ok: true, value: { id: key } } as const);
  if (!list.ok) return { ok: false, error: list.error };
  const path = `${sitePath(site.id)}/lists/${encodeURIComponent(list.value.id)}`;
  const deleted = await client.delete(path);
  return deleted.ok ? done : { ok: false, error: deleted.error };
}

/** Finds a site by its id or its address. */
export async function findSite(
  ports: GraphPorts,
  key: string,
  call: SourceCall,
): Reply<SourceObject> {
  const [, host, path] = /^https:\/\/([^/?#]+)\/?([^?#]*)$/i.exec(key) ?? [];
  const address =
    host === undefined
      ? sitePath(key)
      : path === undefined || path === ''
        ? `/sites/${encodeURIComponent(host)}`
        : `/sites/${encodeURIComponent(host)}:/${path.split('/').map(encodeDecoded).join('/')}`;
  const client = driveClient(ports, { kind: 'site', id: key, name: '', address: '' }, call);
  const site = await client.get(`${address}?$select=id,displayName,webUrl`, FoundSite);
  if (!site.ok) {
    const isMissing = site.error.kind === 'missing' || site.error.kind === 'invalid';
    return isMissing ? failed('missing', t.noSite) : { ok: false, error: site.error };
  }
  const { id, displayName, webUrl } = site.value;
  return { ok: true, value: { kind: 'site', id, name: displayName, address: webUrl } };
}

/** A part of an address may be encoded already. */
function encodeDecoded(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part));
  } catch {
    return encodeURIComponent(part);
  }
}

const FoundSite = v.object({
  id: v.string(),
  displayName: v.nullish(v.string(), ''),
  webUrl: v.nullish(v.string(), ''),
});
