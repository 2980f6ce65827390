import type { EngineResult, PartRole } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { IndexedObject } from '../index/objects.ts';
import { type IndexedFolder, type IndexedItem, readFolders, readItems } from '../index/read.ts';
import type { Repository } from '../restic/repository.ts';
import type { TreeNode } from '../restic/tree.ts';
import { safePart } from '../../shared/entry-names.ts';
import { nameEntries, placeByDate, placeByNumber, type LayoutFolder } from './layout.ts';

export type TreeWriter = Pick<Repository, 'saveFile' | 'saveTree'>;

/** In each folder of a restore point: what Daybook knows of its items besides their content. */
export const METADATA_NAME = '.daybook.jsonl';

/**
 * Saves the folders of an object as they are for its next point, with readable names, and returns
 * the id of the tree.
 */
export async function saveObjectTree(
  { store, tenant, repository }: ObjectPlace,
  object: IndexedObject,
): Promise<EngineResult<string>> {
  const point = object.point + 1;
  const folders = await store.tenant(tenant, (tx) => readFolders(tx, object.n, point), {
    readOnly: true,
  });
  const items: IndexedItem[] = [];
  for (let isLast = false; !isLast;) {
    const page = await store.tenant(
      tenant,
      (tx) => readItems(tx, object.n, point, items.at(-1)?.n ?? 0, PAGE_ITEMS),
      { readOnly: true },
    );
    items.push(...page);
    isLast = page.length < PAGE_ITEMS;
  }
  return saveFolder(repository, null, groupContents(folders, items));
}
const PAGE_ITEMS = 1_000;

interface ObjectPlace {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly repository: TreeWriter;
}

interface Contents {
  readonly folders: ReadonlyMap<string | null, readonly IndexedFolder[]>;
  readonly items: ReadonlyMap<string | null, readonly IndexedItem[]>;
  /** Earlier versions of files, by the folder of their file. */
  readonly versions: ReadonlyMap<string | null, readonly IndexedItem[]>;
}

/** What is in no known folder is at the top. */
function groupContents(folders: readonly IndexedFolder[], all: readonly IndexedItem[]): Contents {
  const known = new Map(folders.map((folder) => [folder.key, folder]));
  const items = all.filter(({ flags }) => flags.version === undefined);
  const folderByKey = new Map(items.map(({ key, folder }) => [key, folder]));
  const versions = all.filter(({ flags }) => flags.version !== undefined);
  return {
    folders: Map.groupBy(folders, (folder) => (isBelowTop(folder, known) ? folder.parent : null)),
    items: Map.groupBy(items, ({ folder }) => (known.has(folder) ? folder : null)),
    versions: Map.groupBy(versions, ({ folder: file }) => {
      const folder = folderByKey.get(file) ?? '';
      return known.has(folder) ? folder : null;
    }),
  };
}

/** False for a folder without a parent, and for one in each ring of folders. */
function isBelowTop(folder: IndexedFolder, known: ReadonlyMap<string, IndexedFolder>): boolean {
  const parent = known.get(folder.parent ?? '');
  const seen = new Set<number>();
  let at = parent;
  while (at !== undefined && at !== folder && !seen.has(at.n)) {
    seen.add(at.n);
    at = known.get(at.parent ?? '');
  }
  const isInRing = at === folder;
  return parent !== undefined && !(isInRing && folder.n < Math.min(...seen, Infinity));
}

async function saveFolder(
  repository: TreeWriter,
  folder: IndexedFolder | null,
  contents: Contents,
): Promise<EngineResult<string>> {
  const key = folder?.key ?? null;
  const below: SavedFolder[] = [];
  for (const child of contents.folders.get(key) ?? []) {
    const saved = await saveFolder(repository, child, contents);
    if (!saved.ok) return saved;
    below.push({ n: child.n, name: child.name, tree: saved.value });
  }
  const items = contents.items.get(key) ?? [];
  const lines = folder === null ? [] : [{ folder }];
  const versions = contents.versions.get(key) ?? [];
  const history =
    versions.length === 0
      ? null
      : await saveLevel(repository, [], NO_FOLDERS, placeByDate(versions));
  if (history?.ok === false) return history;
  return saveLevel(
    repository,
    lines,
    placeByNumber(below),
    placeByDate(items),
    history === null ? [] : [{ ...HISTORY, tree: history.value }],
  );
}

/** The folder of earlier versions, beside the files that they are of. */
const HISTORY = { kind: 'folder', number: 'v', name: 'earlier-versions' } as const;

interface SavedFolder {
  readonly n: number;
  readonly name: string;
  readonly tree: string;
}

type Entry =
  | { readonly kind: 'folder'; readonly number: string; readonly name: string; tree: string }
  | { readonly kind: 'part'; readonly number: string; readonly name: string; file: FileOfItem };
interface FileOfItem {
  readonly item: IndexedItem;
  readonly part: StoredPart;
}

async function saveLevel(
  repository: TreeWriter,
  lines: readonly object[],
  below: LayoutFolder<SavedFolder>,
  items: LayoutFolder<IndexedItem>,
  others: readonly Entry[] = [],
): Promise<EngineResult<string>> {
  const entries: Entry[] = [
    ...others,
    ...below.entries.map(({ n, name, tree }): Entry => ({
      kind: 'folder',
      number: `f${n}`,
      name: safePart(name),
      tree,
    })),
    ...items.entries.flatMap((item) => item.parts.map((part) => getEntry(item, part))),
  ];
  for (const [name, part] of below.folders) {
    const saved = await saveLevel(repository, [], part, NO_ITEMS);
    if (!saved.ok) return saved;
    entries.push({ kind: 'folder', number: 'p', name: `folders-${name}`, tree: saved.value });
  }
  for (const [name, part] of items.folders) {
    const saved = await saveLevel(repository, [], NO_FOLDERS, part);
    if (!saved.ok) return saved;
    entries.push({ kind: 'folder', number: 'd', name, tree: saved.value });
  }
  const names = nameEntries(entries, (entry) => entry);
  const nodes: TreeNode[] = [...names].map(([entry, name]) =>
    entry.kind === 'folder'
      ? { kind: 'dir', name, modifiedAt: 0, subtree: entry.tree }
      : {
          kind: 'file',
          name,
          modifiedAt: entry.file.item.changedAt,
          sizeBytes: entry.file.part.bytes,
          content: entry.file.part.blobs,
        },
  );
  const metadata = await metadataNode(repository, [
    ...lines,
    ...items.entries.map((item) => ({ item })),
  ]);
  if (!metadata.ok) return metadata;
  const tree = await repository.saveTree([...nodes, ...metadata.value]);
  return tree.ok ? { ok: true, value: tree.value.id } : tree;
}

const NO_ITEMS: LayoutFolder<IndexedItem> = { entries: [], folders: new Map() };
const NO_FOLDERS: LayoutFolder<SavedFolder> = { entries: [], folders: new Map() };

/** Returns the file with these lines as JSON, or no node without lines. */
export async function metadataNode(
  repository: TreeWriter,
  lines: readonly object[],
): Promise<EngineResult<readonly TreeNode[]>> {
  if (lines.length === 0) return { ok: true, value: [] };
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const saved = await repository.saveFile(streamBytes(bytes));
  if (!saved.ok) return saved;
  const { content, sizeBytes } = saved.value;
  return {
    ok: true,
    value: [{ kind: 'file', name: METADATA_NAME, modifiedAt: 0, sizeBytes, content }],
  };
}

export async function* streamBytes(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

const EXTENSIONS: Readonly<Record<PartRole, string>> = {
  mime: '.eml',
  fts: '.fts',
  json: '.json',
  html: '.html',
  ics: '.ics',
  vcf: '.vcf',
  hosted: '',
  raw: '',
};

/** Pictures of a post are numbered. */
const getSuffix = ({ parts }: IndexedItem, part: StoredPart): string =>
  part.as === 'hosted' ? ` ${parts.indexOf(part)}` : EXTENSIONS[part.as];

/** Files have the name that they have in the cloud; subjects of mails are often the same. */
function getEntry(item: IndexedItem, part: StoredPart): Entry {
  const { version } = item.flags;
  const name =
    version !== undefined
      ? addVersion(safePart(item.title), safePart(version))
      : part.as === 'raw'
        ? safePart(item.title)
        : `${safePart(item.title)} ~${item.n}${getSuffix(item, part)}`;
  return { kind: 'part', number: String(item.n), name, file: { item, part } };
}

/** `Plan (3.0).docx` */
function addVersion(title: string, version: string): string {
  const at = title.lastIndexOf('.');
  return at > 0 ? `${title.slice(0, at)} (${version})${title.slice(at)}` : `${title} (${version})`;
}
