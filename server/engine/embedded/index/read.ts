import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { FolderChange, StoredItem } from '../types.ts';

/** A folder of an object at a point. */
export interface IndexedFolder extends FolderChange {
  readonly n: number;
  readonly fromPoint: number;
}
/** A version of an item, and the first point that has it. */
export interface IndexedItem extends StoredItem {
  readonly folder: string;
  readonly fromPoint: number;
}

/** Returns the folders that an object has at a point. */
export async function readFolders(
  { sql: db, tenant }: TenantTx,
  object: number,
  point: number,
): Promise<readonly IndexedFolder[]> {
  const { rows } = await sql<IndexedFolder>`
    select n, key, parent_key as parent, name, well_known as "wellKnown", from_point as "fromPoint", sharing from folder
    where tenant_id = ${tenant} and object_n = ${object} and from_point <= ${point} and (to_point is null or to_point >= ${point})
    order by n`.execute(db);
  // Most folders are shared with nobody: the descriptions of points don't say so.
  return rows.map(({ sharing, ...folder }) => (sharing ? { ...folder, sharing } : folder));
}

/** Returns at most `limit` items that an object has at a point, after the version `after`. */
export async function readItems(
  { sql: db, tenant }: TenantTx,
  object: number,
  point: number,
  after: number,
  limit: number,
): Promise<readonly IndexedItem[]> {
  const { rows } = await sql<IndexedItem>`
    select n, folder_key as folder, key, change_key as "changeKey", kind, title, people, at, changed_at as "changedAt", bytes, flags, parts, from_point as "fromPoint"
    from item
    where tenant_id = ${tenant} and object_n = ${object} and n > ${after} and from_point <= ${point} and (to_point is null or to_point >= ${point})
    order by n limit ${limit}`.execute(db);
  return rows;
}
