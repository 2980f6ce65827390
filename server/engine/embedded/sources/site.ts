import * as v from 'valibot';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts } from '../graph/request.ts';
import { SCOPE_MARK, SITE_SCOPE } from '../types.ts';
import type {
  ChangePage,
  FetchedItem,
  FolderChange,
  ItemChange,
  ObjectSource,
  SourceCall,
  SourceObject,
} from '../types.ts';
import { driveClient, failedItem, fetchFiles, readDriveChanges } from './drive.ts';
import { type DriveKeys, fetchVersionsByDrive, listVersionsByDrive } from './drive-versions.ts';
import { listSiteParts, type SitePart, parseSitePartKey } from './site-parts.ts';
import { makeRowReader, type RowReader } from './site-rows.ts';

/**
 * Sites: their libraries with files, and their lists with rows. Subsites are objects of their own.
 * Graph offers no attachments of rows.
 */
export const siteSource = (ports: GraphPorts): ObjectSource => {
  const rows = makeRowReader();
  return {
    kinds: ['site'],
    async *changes(object, cursors, call) {
      const client = siteClient(ports, object, call);
      const parts = await listSiteParts(client, object.id);
      if (!parts.ok) return yield parts;
      yield { ok: true, value: compareParts(parts.value, cursors.get(SITE_SCOPE)) };
      let refused: EngineError | null = null;
      for (const part of parts.value) {
        const pages =
          part.kind === 'library'
            ? readLibrary(client, part.key, cursors.get(part.key))
            : rows.changes(client, { site: object.id, list: part.key }, cursors.get(part.key));
        for await (const page of pages) {
          if (page.ok) {
            yield page;
            continue;
          }
          // It was removed since it was listed: the next backup says so.
          if (page.error.kind === 'missing') break;
          if (page.error.kind !== 'forbidden') return yield page;
          refused ??= page.error;
        }
      }
      // One that can't be read doesn't keep the others from being backed up.
      if (refused !== null) yield { ok: false, error: refused };
    },
    async *fetch(object, items, call) {
      const client = siteClient(ports, object, call);
      for (const [key, part] of Map.groupBy(items, getPart))
        yield* fetchPart(client, rows, object, key, part);
    },
    listVersions: (object, files, call) =>
      listVersionsByDrive(siteClient(ports, object, call), files, KEYS),
    fetchVersions: (object, versions, call) =>
      fetchVersionsByDrive(siteClient(ports, object, call), versions, KEYS),
  };
};

const KEYS: DriveKeys = {
  split(key) {
    const { part, id } = parseSitePartKey(key);
    return { drive: part, id };
  },
  join: (drive, id) => `${drive}${SCOPE_MARK}${id}`,
};

/** Requests about a site count for it. */
export const siteClient = (
  ports: GraphPorts,
  object: SourceObject,
  call: SourceCall,
): GraphClient => driveClient(ports, object, call);

const Known = v.record(v.string(), v.string());

/**
 * Compares the libraries and lists with those that the cursor names: there are no changes of them to
 * ask for.
 */
function compareParts(parts: readonly SitePart[], cursor: string | undefined): ChangePage {
  const read = v.safeParse(Known, cursor === undefined ? null : JSON.parse(cursor));
  const known = new Map(read.success ? Object.entries(read.output) : []);
  const now = new Map(parts.map((part) => [part.key, `${part.kind} ${part.name}`]));
  return {
    scope: SITE_SCOPE,
    restart: !read.success,
    folders: parts
      .filter(({ key }) => known.get(key) !== now.get(key))
      .map(({ kind, key, name }): FolderChange => ({ key, parent: null, name, wellKnown: kind })),
    items: [],
    removed: [...known.keys()].filter((key) => !now.has(key)),
    cursor: JSON.stringify(Object.fromEntries(now)),
    isComplete: true,
  };
}

const drivePath = (library: string): string => `/drives/${encodeURIComponent(library)}`;

/** The changes of a library's drive, with keys that begin with that of the library. */
async function* readLibrary(
  client: GraphClient,
  library: string,
  cursor: string | undefined,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const within = (key: string): string => `${library}${SCOPE_MARK}${key}`;
  for await (const page of readDriveChanges(client, drivePath(library), cursor)) {
    if (!page.ok) yield page;
    else
      yield {
        ok: true,
        value: {
          ...page.value,
          scope: library,
          folders: page.value.folders.map((folder) => ({
            ...folder,
            key: within(folder.key),
            parent: folder.parent === null ? library : within(folder.parent),
          })),
          items: page.value.items.map((item) => ({
            ...item,
            key: within(item.key),
            folder: item.folder === '' ? library : within(item.folder),
          })),
          removed: page.value.removed.map(within),
        },
      };
  }
}

const getPart = ({ key }: ItemChange): string => parseSitePartKey(key).part;

async function* fetchPart(
  client: GraphClient,
  rows: RowReader,
  { id: site }: SourceObject,
  part: string,
  items: readonly ItemChange[],
): AsyncGenerator<FetchedItem, void> {
  const files = items.filter(({ kind }) => kind === 'file');
  const others = items.filter(({ kind }) => kind === 'row');
  if (others.length > 0) yield* rows.fetch(client, { site, list: part }, others);
  if (files.length === 0) return;
  const plain = files.map((item) => ({ ...item, key: parseSitePartKey(item.key).id }));
  for await (const fetched of fetchFiles(client, drivePath(part), plain)) {
    const item = { ...fetched.item, key: `${part}${SCOPE_MARK}${fetched.item.key}` };
    yield fetched.ok ? { ...fetched, item } : failedItem(item, fetched.error);
  }
}
