import type { Ms } from '#contract/ids.ts';
import { type FileContent, makeBytes } from './content.ts';
import { GraphError, itemNotFound } from './graph-error.ts';
import { digest, driveId, itemId } from './ids.ts';
import { quickXorHash } from './quick-xor-hash.ts';
import type { Tenant } from './store.ts';

export interface DriveRow {
  readonly id: string;
  readonly owner_kind: 'user' | 'group' | 'site';
  readonly owner_id: string;
  readonly name: string;
  readonly url: string;
  readonly created_at: Ms;
}
export interface ItemRow {
  readonly n: number;
  readonly id: string;
  readonly drive_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly is_folder: number;
  readonly size: number;
  readonly content: string | null;
  readonly version: number;
  readonly hash: string | null;
  readonly author: string;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly file_created_at: Ms;
  readonly file_changed_at: Ms;
  readonly deleted: number;
  readonly seq: number;
}
export interface VersionRow {
  readonly item_id: string;
  readonly version: number;
  readonly size: number;
  readonly content: string;
  readonly author: string;
  readonly at: Ms;
}

const wholeSeconds = (at: Ms): Ms => Math.floor(at / 1000) * 1000;

/** The library that each site has. */
export const FIRST_LIBRARY = 'Documents';

/** Adds a drive. The other libraries of a site have a name. */
export function createDrive(
  tenant: Tenant,
  owner: { readonly kind: DriveRow['owner_kind']; readonly id: string; readonly url: string },
  at: Ms,
  name = owner.kind === 'user' ? 'OneDrive' : FIRST_LIBRARY,
): DriveRow {
  const isFirst = name === FIRST_LIBRARY || owner.kind === 'user';
  // A library that was removed may have had the name.
  const former = tenant.store.all(
    'select 1 from drive where owner_id = ? and name = ?',
    owner.id,
    name,
  ).length;
  const parts = [owner.id, ...(isFirst ? [] : [name]), ...(former > 0 ? [former] : [])];
  const id = driveId(tenant, parts.join(' '));
  tenant.store.insert('drive', {
    id,
    owner_kind: owner.kind,
    owner_id: owner.id,
    name,
    url: owner.url,
    created_at: at,
  });
  insertItem(tenant, {
    driveId: id,
    parentId: null,
    name: 'root',
    author: owner.id,
    at,
    content: null,
  });
  return { id, owner_kind: owner.kind, owner_id: owner.id, name, url: owner.url, created_at: at };
}

export const findDrive = ({ store }: Tenant, id: string): DriveRow | null =>
  store.get<DriveRow>('select * from drive where id = ?', id) ?? null;

export const findUserDrive = ({ store }: Tenant, ownerId: string): DriveRow | null =>
  store.get<DriveRow>('select * from drive where owner_id = ? order by rowid limit 1', ownerId) ??
  null;

/** @throws GraphError 404 */
export function findItem({ store }: Tenant, drive: string, key: string): ItemRow {
  const row =
    key === 'root'
      ? store.get<ItemRow>('select * from item where drive_id = ? and parent_id is null', drive)
      : store.get<ItemRow>(
          'select * from item where drive_id = ? and id = ? and deleted = 0',
          drive,
          key,
        );
  if (!row) throw itemNotFound();
  return row;
}

export const findChild = ({ store }: Tenant, parentId: string, name: string): ItemRow | null =>
  store.get<ItemRow>(
    'select * from item where parent_id = ? and name = ? and deleted = 0',
    parentId,
    name,
  ) ?? null;

export const listChildren = ({ store }: Tenant, parentId: string): ItemRow[] =>
  store.all<ItemRow>(
    'select * from item where parent_id = ? and deleted = 0 order by name',
    parentId,
  );

export interface NewItem {
  readonly driveId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly author: string;
  readonly at: Ms;
  /** Null for a folder. */
  readonly content: { readonly content: FileContent; readonly size: number } | null;
  readonly fileCreatedAt?: Ms;
  readonly fileChangedAt?: Ms;
}

export function insertItem(tenant: Tenant, input: NewItem): ItemRow {
  const { store } = tenant;
  const n = store.nextN('item');
  const id = itemId(tenant, n);
  const at = wholeSeconds(input.at);
  store.insert('item', {
    n,
    id,
    drive_id: input.driveId,
    parent_id: input.parentId,
    name: input.name,
    is_folder: input.content === null ? 1 : 0,
    size: input.content?.size ?? 0,
    content: input.content === null ? null : JSON.stringify(input.content.content),
    version: 1,
    author: input.author,
    created_at: at,
    changed_at: at,
    file_created_at: wholeSeconds(input.fileCreatedAt ?? at),
    file_changed_at: wholeSeconds(input.fileChangedAt ?? at),
    seq: store.nextSeq(),
  });
  if (input.content) addVersion(tenant, id, 1, input.content, input.author, at);
  return findItem(tenant, input.driveId, input.parentId === null ? 'root' : id);
}

function addVersion(
  { store }: Tenant,
  id: string,
  version: number,
  content: { readonly content: FileContent; readonly size: number },
  author: string,
  at: Ms,
): void {
  store.insert('version', {
    item_id: id,
    version,
    size: content.size,
    content: JSON.stringify(content.content),
    author,
    at,
  });
}

/** Gives a file new content: the former one stays as a version. */
export function changeContent(
  tenant: Tenant,
  item: ItemRow,
  content: { readonly content: FileContent; readonly size: number },
  author: string,
  fileChangedAt?: Ms,
): ItemRow {
  const at = wholeSeconds(tenant.now());
  return tenant.store.transaction(() => {
    addVersion(tenant, item.id, item.version + 1, content, author, at);
    tenant.store.run(
      `update item set size = ?, content = ?, version = ?, hash = null, author = ?, changed_at = ?,
         file_changed_at = ?, seq = ? where n = ?`,
      content.size,
      JSON.stringify(content.content),
      item.version + 1,
      author,
      at,
      wholeSeconds(fileChangedAt ?? at),
      tenant.store.nextSeq(),
      item.n,
    );
    return findItem(tenant, item.drive_id, item.id);
  });
}

/** Changes name, place and dates. */
export function updateItem(
  tenant: Tenant,
  item: ItemRow,
  change: {
    readonly name?: string | undefined;
    readonly parentId?: string | undefined;
    readonly fileCreatedAt?: Ms | undefined;
    readonly fileChangedAt?: Ms | undefined;
  },
): ItemRow {
  const { store } = tenant;
  const [name, parentId] = [change.name ?? item.name, change.parentId ?? item.parent_id];
  const other = parentId === null ? null : findChild(tenant, parentId, name);
  if (other && other.id !== item.id) throw nameExists();
  store.run(
    `update item set name = ?, parent_id = ?, file_created_at = ?, file_changed_at = ?,
       changed_at = ?, seq = ? where n = ?`,
    name,
    parentId,
    wholeSeconds(change.fileCreatedAt ?? item.file_created_at),
    wholeSeconds(change.fileChangedAt ?? item.file_changed_at),
    wholeSeconds(tenant.now()),
    store.nextSeq(),
    item.n,
  );
  return findItem(tenant, item.drive_id, item.parent_id === null ? 'root' : item.id);
}

export const nameExists = (): GraphError =>
  new GraphError(
    409,
    'nameAlreadyExists',
    'An item with the same name already exists under the parent',
  );

/** Deletes a file, or a folder with everything in it, to the recycle bin. */
export function deleteItem(tenant: Tenant, item: ItemRow): void {
  const { store } = tenant;
  if (item.parent_id === null)
    throw new GraphError(400, 'invalidRequest', 'Cannot delete the root.');
  store.transaction(() => {
    for (const child of listChildren(tenant, item.id)) deleteItem(tenant, child);
    store.run(
      'update item set deleted = 1, changed_at = ?, seq = ? where n = ?',
      wholeSeconds(tenant.now()),
      store.nextSeq(),
      item.n,
    );
  });
}

export const listVersions = ({ store }: Tenant, itemIdentifier: string): VersionRow[] =>
  store.all<VersionRow>(
    'select * from version where item_id = ? order by version desc',
    itemIdentifier,
  );

/** Returns what a file contains after it was edited and saved: most of it stays the same. */
export function editContent(item: ItemRow): {
  readonly content: FileContent;
  readonly size: number;
} {
  const content = JSON.parse(item.content ?? 'null') as FileContent | null;
  const made =
    content?.kind === 'made'
      ? { ...content, revision: content.revision + 1 }
      : { kind: 'made' as const, seed: item.n, revision: item.version, name: item.name };
  return { content: made, size: item.size + 17 };
}

/** Stores uploaded bytes. */
export function storeBytes(tenant: Tenant, bytes: Uint8Array): FileContent {
  const blob = digest('blob', tenant.store.nextSeq()).toString('hex');
  tenant.store.insert('blob', { id: blob, bytes });
  return { kind: 'stored', blob };
}

/** Returns the bytes `from` to before `to` of a file's state. */
export function readFileBytes(
  { store }: Tenant,
  state: { readonly content: string | null; readonly size: number },
  from = 0,
  to = state.size,
): Uint8Array<ArrayBuffer> {
  if (state.content === null) throw itemNotFound();
  const content = JSON.parse(state.content) as FileContent;
  if (content.kind === 'made') return makeBytes(content, state.size, from, to);
  const row = store.get<{ bytes: Uint8Array }>('select bytes from blob where id = ?', content.blob);
  if (!row) throw itemNotFound();
  return new Uint8Array(row.bytes.subarray(from, to));
}

/** Returns the file's hash; it is computed once for each content. */
export function getQuickXorHash(tenant: Tenant, item: ItemRow): string {
  if (item.hash !== null) return item.hash;
  const hash = quickXorHash(readFileBytes(tenant, item));
  tenant.store.run('update item set hash = ? where n = ?', hash, item.n);
  return hash;
}

/** Returns whether an item is the folder, or is inside it. */
export function isInside({ store }: Tenant, item: ItemRow, folder: string): boolean {
  let at: ItemRow | undefined = item;
  while (at) {
    if (at.id === folder) return true;
    at =
      at.parent_id === null
        ? undefined
        : store.get<ItemRow>('select * from item where id = ?', at.parent_id);
  }
  return false;
}
