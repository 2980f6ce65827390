import type { Reply } from '#contract/engine/engine.ts';
import type {
  FetchedItem,
  FolderRemoval,
  Place,
  ObjectSource,
  SourceObject,
  StoredItem,
  WriteInput,
} from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import type { TenantGraph } from './tenant.ts';
import { NO_FLAGS } from '../restore/no-flags.ts';

export const WRITE_ROLES = [
  'Mail.ReadWrite',
  'Files.ReadWrite.All',
  'User.Read.All',
  'Sites.ReadWrite.All',
];

/** An undo of a restore that wrote no items. */
export const NO_ITEMS: FolderRemoval = {
  findRest: () => Promise.resolve(null),
  before: async () => undefined,
  listWritten: async () => [],
};

/** An item as a backup has it: its version, its place and its content. */
export interface Stored {
  readonly item: StoredItem;
  readonly place: Place;
  readonly parts: ReadonlyMap<string, Uint8Array>;
}

/** Backs up everything that an object has. */
export async function backUp(
  graph: TenantGraph,
  source: ObjectSource,
  object: SourceObject,
): Promise<Stored[]> {
  const replica = new Replica();
  await replica.read(source.changes(object, replica.cursors, graph.call));
  const stored: Stored[] = [];
  for await (const fetched of source.fetch(object, [...replica.items.values()], graph.call))
    stored.push({
      item: storedItem(fetched),
      place: { object, path: getPath(replica, fetched.item.folder) },
      parts: await loadParts(fetched),
    });
  return stored;
}

const storedItem = (fetched: FetchedItem): StoredItem => ({
  ...fetched.item,
  n: 1,
  parts: fetched.ok ? fetched.parts.map(({ as }) => ({ as, bytes: 0, crc: 0, blobs: [] })) : [],
});

function getPath(replica: Replica, folder: string): Place['path'] {
  const path: { name: string; wellKnown: string | null }[] = [];
  let key: string | null = folder === '' ? null : folder;
  while (key !== null) {
    const found = replica.folders.get(key);
    if (found === undefined) throw new Error('a folder that was not listed');
    path.unshift({ name: found.name, wellKnown: found.wellKnown });
    key = found.parent;
  }
  return path;
}

async function loadParts(fetched: FetchedItem): Promise<Map<string, Uint8Array>> {
  if (!fetched.ok) throw new Error(fetched.error.message);
  const parts = new Map<string, Uint8Array>();
  for (const part of fetched.parts) {
    const pieces: Uint8Array[] = [];
    if (part.content instanceof Uint8Array) pieces.push(part.content);
    else for await (const piece of part.content) pieces.push(piece);
    parts.set(part.as, Buffer.concat(pieces));
  }
  return parts;
}

/** How an item is written: as it was, unless `over` says otherwise. */
export const getInput = ({ parts }: Stored, over: Partial<WriteInput> = {}): WriteInput => ({
  replaces: null,
  keepBoth: false,
  flags: NO_FLAGS,
  content: async (as): Reply<AsyncIterable<Uint8Array>> => ({
    ok: true,
    value: inPieces(parts.get(as) ?? new Uint8Array(0)),
  }),
  ...over,
});

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000);
}
