import * as v from 'valibot';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import { readBatch } from '../graph/batch.ts';
import { graphClient } from '../graph/client.ts';
import type { GraphClient } from '../graph/client.ts';
import { download } from '../graph/download.ts';
import type { GraphPorts } from '../graph/request.ts';
import { DRIVE_SCOPE } from '../types.ts';
import type {
  ChangePage,
  FetchedItem,
  FetchedPart,
  ItemChange,
  ObjectSource,
  SourceCall,
  SourceObject,
} from '../types.ts';
import { fetchFileVersions, listFileVersions } from './drive-versions.ts';
import { latestRows, readDelta } from './delta.ts';
import { streamContent, SMALL_BYTES } from './content.ts';
import { inParallel } from './parallel.ts';
import { parseGraphTime, maybe } from './shapes.ts';
import { readFolderGrants, readPermissions } from './sharing.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { nothing } from '../../result.ts';

/** Properties of files are read in batches of this size. */
const BATCH = 20;
const BATCH_SIZE = 4;
const HEADERS = { prefer: 'odata.maxpagesize=1000', deltaexcludeparent: 'true' };

/** Drives of people, and libraries. The id of an object is that of its user or its drive. */
export const driveSource = (ports: GraphPorts): ObjectSource => ({
  kinds: ['drive'],
  async *changes(object, cursors, call) {
    const client = driveClient(ports, object, call);
    const path = await drivePath(client, object);
    if (path.ok) yield* readDriveChanges(client, path.value, cursors.get(DRIVE_SCOPE));
    else yield path;
  },
  async *fetch(object, items, call) {
    const client = driveClient(ports, object, call);
    const path = await drivePath(client, object);
    if (path.ok) yield* fetchFiles(client, path.value, items);
    else yield* items.map((item) => failedItem(item, path.error));
  },
  async *listVersions(object, files, call) {
    const client = driveClient(ports, object, call);
    const path = await drivePath(client, object);
    if (path.ok) yield* listFileVersions(client, path.value, files);
    else yield* files.map((file) => ({ file, versions: path }));
  },
  async *fetchVersions(object, versions, call) {
    const client = driveClient(ports, object, call);
    const path = await drivePath(client, object);
    if (path.ok) yield* fetchFileVersions(client, path.value, versions);
    else yield* versions.map((version) => ({ ...version, content: path }));
  },
});

/** Requests about a drive count for it. */
export const driveClient = (
  ports: GraphPorts,
  object: SourceObject,
  call: SourceCall,
): GraphClient =>
  graphClient(ports, {
    lane: { service: 'drive', object: object.id },
    signal: call.signal,
    onWaiting: (waiting) => {
      call.onWaiting(waiting);
    },
  });

/** Returns `/drives/<id>`. Ids of drives begin with `b!`; other ids are those of users. */
export async function drivePath(
  client: GraphClient,
  { id }: SourceObject,
): Promise<EngineResult<string>> {
  if (id.startsWith('b!')) return { ok: true, value: `/drives/${encodeURIComponent(id)}` };
  const path = `/users/${encodeURIComponent(id)}/drive?$select=id`;
  const drive = await client.get(path, v.object({ id: v.string() }));
  if (drive.ok) return { ok: true, value: `/drives/${encodeURIComponent(drive.value.id)}` };
  const isMissing = drive.error.kind === 'missing';
  return { ok: false, error: isMissing ? { kind: 'missing', message: t.noDrive } : drive.error };
}

/** Lists what changed in a drive. `drive`: `/drives/<id>`. */
export async function* readDriveChanges(
  client: GraphClient,
  drive: string,
  cursor: string | undefined,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const root = await client.get(`${drive}/root?$select=id`, v.object({ id: v.string() }));
  if (!root.ok) return yield { ok: false, error: root.error };
  const top = root.value.id;
  for await (const page of readDelta(client, {
    start: `${drive}/root/delta`,
    cursor,
    row: DriveItem,
    headers: HEADERS,
  })) {
    if (!page.ok) return yield page;
    const { restart, isComplete } = page.value;
    const rows = latestRows(page.value.rows).filter(({ id }) => id !== top);
    const present = rows.filter((row) => !row.deleted);
    const folders = present.filter((row) => !isFile(row));
    const shared = folders.filter((row) => row.shared).map(({ id }) => id);
    const grants = await readFolderGrants(client, drive, shared);
    if (!grants.ok) return yield grants;
    const sharing = new Map(
      shared.map((id, at) => {
        const own = grants.value[at] ?? [];
        return [id, own.length === 0 ? null : own];
      }),
    );
    yield {
      ok: true,
      value: {
        scope: DRIVE_SCOPE,
        restart,
        folders: folders.map((row) => ({
          key: row.id,
          parent: getParent(row, top) === '' ? null : getParent(row, top),
          name: row.name ?? '',
          wellKnown: null,
          sharing: sharing.get(row.id) ?? null,
        })),
        items: present.filter(isFile).map((row) => getItem(row, getParent(row, top))),
        removed: rows.filter((row) => row.deleted).map(({ id }) => id),
        cursor: page.value.cursor,
        isComplete,
      },
    };
  }
}

/**
 * Reads files: their properties in batches, since they may have changed since they were listed, then
 * their content.
 */
export async function* fetchFiles(
  client: GraphClient,
  drive: string,
  items: readonly ItemChange[],
): AsyncGenerator<FetchedItem, void> {
  for (let from = 0; from < items.length; from += BATCH) {
    const chunk = items.slice(from, from + BATCH);
    const current = await readCurrent(client, drive, chunk);
    const small = current.filter((entry) => 'row' in entry && entry.item.bytes <= SMALL_BYTES);
    yield* current.flatMap((entry) =>
      'row' in entry ? [] : [failedItem(entry.item, entry.error)],
    );
    yield* inParallel(small, BATCH_SIZE, async (entry) => {
      if (!('row' in entry)) return failedItem(entry.item, entry.error);
      const parts: Uint8Array[] = [];
      let bytes = 0;
      for await (const part of getDownload(client, drive, entry)) {
        if (!part.ok) return failedItem(entry.item, part.error);
        parts.push(part.value);
        bytes += part.value.byteLength;
        // Notebooks are listed with a fraction of their size.
        if (bytes > SMALL_BYTES)
          return fetched(client, drive, entry, streamContent(getDownload(client, drive, entry)));
      }
      return fetched(client, drive, entry, Buffer.concat(parts));
    });
    for (const entry of current)
      if ('row' in entry && entry.item.bytes > SMALL_BYTES)
        yield await fetched(client, drive, entry, streamContent(getDownload(client, drive, entry)));
  }
}

type Current =
  | { readonly item: ItemChange; readonly row: DriveItem }
  | { readonly item: ItemChange; readonly error: EngineError };
type CurrentFile = Extract<Current, { row: DriveItem }>;

async function readCurrent(
  client: GraphClient,
  drive: string,
  items: readonly ItemChange[],
): Promise<Current[]> {
  const results = await readBatch(
    client,
    items.map(({ key }) => ({ path: itemPath(drive, key) })),
  );
  return items.map((item, n): Current => {
    const result = results[n];
    if (!result?.ok)
      return { item, error: result?.error ?? { kind: 'internal', message: t.unreadable } };
    const read = v.safeParse(DriveItem, result.value);
    if (!read.success) return { item, error: { kind: 'internal', message: t.unreadable } };
    const row = read.output;
    if (row.deleted || !isFile(row))
      return { item, error: { kind: 'missing', message: t.missing } };
    // The folder is the one that was listed: a move is a change of its own.
    return { item: getItem(row, item.folder), row };
  });
}

const itemPath = (drive: string, key: string): string =>
  `${drive}/items/${encodeURIComponent(key)}`;

/**
 * Returns files as they are now, in their order. `paths`: within the drive, `/items/<id>` or
 * `/root:/<path>:`. Null: there is no such file. `folder`: the id of the folder, or that of the top.
 */
export async function readDriveFiles(
  client: GraphClient,
  drive: string,
  paths: readonly string[],
): Promise<EngineResult<readonly (ItemChange | null)[]>> {
  const results = await readBatch(
    client,
    paths.map((path) => ({ path: `${drive}${path}` })),
  );
  const files: (ItemChange | null)[] = [];
  for (const result of results) {
    if (!result.ok && result.error.kind !== 'missing') return { ok: false, error: result.error };
    const row = result.ok ? v.safeParse(DriveItem, result.value) : null;
    const isThere = row?.success === true && !row.output.deleted && isFile(row.output);
    files.push(isThere ? getItem(row.output, row.output.parentReference?.id ?? '') : null);
  }
  return { ok: true, value: files };
}

/** Returns the id of the top folder of a drive; null: there is no such drive. */
export async function findTop(
  client: GraphClient,
  drive: string,
): Promise<EngineResult<string | null>> {
  const root = await client.get(`${drive}/root?$select=id`, v.object({ id: v.string() }));
  if (root.ok) return { ok: true, value: root.value.id };
  return root.error.kind === 'missing' ? nothing : { ok: false, error: root.error };
}

/** The first link comes with the properties; another one is asked for when it has expired. */
function getDownload(client: GraphClient, drive: string, { item, row }: CurrentFile) {
  let known = row['@microsoft.graph.downloadUrl'] ?? null;
  return download(client.ports, client.scope, {
    bytes: item.bytes,
    hash: getHash(row),
    isUnchanged: async () => {
      const path = `${itemPath(drive, item.key)}?$select=id,eTag,cTag`;
      const now = await client.get(path, Tags);
      return now.ok
        ? { ok: true, value: item.changeKey !== '' && getChangeKey(now.value) === item.changeKey }
        : now;
    },
    link: async () => {
      const value = known;
      known = null;
      return value === null
        ? client.location(`${itemPath(drive, item.key)}/content`)
        : { ok: true, value };
    },
  });
}

/** The file, and who it is shared with as Graph says it. */
async function fetched(
  client: GraphClient,
  drive: string,
  { item, row }: CurrentFile,
  content: FetchedPart['content'],
): Promise<FetchedItem> {
  const raw: FetchedPart = { as: 'raw', content };
  if (!row.shared) return { item, ok: true, parts: [raw] };
  const permissions = await readPermissions(client, itemPath(drive, item.key));
  if (!permissions.ok) return failedItem(item, permissions.error);
  const json = new TextEncoder().encode(JSON.stringify({ permissions: permissions.value }));
  return { item, ok: true, parts: [raw, { as: 'json', content: json }] };
}

export const failedItem = (item: ItemChange, error: EngineError): FetchedItem => ({
  item,
  ok: false,
  error,
});

const text = maybe(v.string());
const facet = maybe(v.looseObject({}));
export const DriveUser = maybe(
  v.object({ user: maybe(v.object({ displayName: text, email: text })) }),
);

const Tags = v.object({ eTag: text, cTag: text });
export const DriveItem = v.object({
  'id': v.string(),
  'name': text,
  'eTag': text,
  'cTag': text,
  'size': maybe(v.number()),
  'deleted': facet,
  'folder': maybe(v.looseObject({ childCount: maybe(v.number()) })),
  'file': maybe(
    v.object({ hashes: maybe(v.object({ quickXorHash: text, sha256Hash: text, sha1Hash: text })) }),
  ),
  'shared': facet,
  'parentReference': maybe(v.object({ id: text, path: text })),
  'fileSystemInfo': maybe(v.object({ createdDateTime: text, lastModifiedDateTime: text })),
  'createdDateTime': text,
  'lastModifiedDateTime': text,
  'lastModifiedBy': DriveUser,
  '@microsoft.graph.downloadUrl': text,
});
export type DriveItem = v.InferOutput<typeof DriveItem>;

/** Notebooks are neither file nor folder: their content is listed below them. */
const isFile = ({ file }: DriveItem): boolean => file != null;

/** The key of the folder; empty at the top. */
const getParent = ({ parentReference }: DriveItem, top: string): string =>
  parentReference?.id == null || parentReference.id === top ? '' : parentReference.id;

export function getItem(row: DriveItem, folder: string): ItemChange {
  const changedAt =
    parseGraphTime(row.fileSystemInfo?.lastModifiedDateTime) ??
    parseGraphTime(row.lastModifiedDateTime) ??
    0;
  const { user } = row.lastModifiedBy ?? {};
  const hash = getHash(row);
  return {
    key: row.id,
    changeKey: getChangeKey(row),
    folder,
    kind: 'file',
    title: row.name ?? '',
    people: user?.displayName ?? user?.email ?? '',
    at:
      parseGraphTime(row.fileSystemInfo?.createdDateTime) ??
      parseGraphTime(row.createdDateTime) ??
      changedAt,
    changedAt,
    bytes: row.size ?? 0,
    flags: hash === null ? {} : { hash },
  };
}

const getChangeKey = ({ eTag, cTag }: v.InferOutput<typeof Tags>): string => eTag ?? cTag ?? '';

function getHash({ file }: DriveItem): string | null {
  const { quickXorHash, sha256Hash, sha1Hash } = file?.hashes ?? {};
  if (quickXorHash) return `quickXor:${quickXorHash}`;
  if (sha256Hash) return `sha256:${sha256Hash}`;
  return sha1Hash ? `sha1:${sha1Hash}` : null;
}
