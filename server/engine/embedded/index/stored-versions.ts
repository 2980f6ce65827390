import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import { FAILED } from './marks.ts';
import {
  BATCH_ROWS,
  mark,
  MAX_PEOPLE_CHARS,
  MAX_TITLE_CHARS,
  ownedRecordset,
  recordset,
} from './pages.ts';
import type { IndexedFolder, IndexedItem } from './read.ts';
import { cleanText } from './text.ts';

export interface Versions {
  readonly folders: readonly IndexedFolder[];
  readonly items: readonly IndexedItem[];
}

/** Versions by their numbers, with the first point that has each. */
export interface FirstPoints {
  readonly folders: Map<number, number>;
  readonly items: Map<number, number>;
}
export const VERSION_TABLES = { folders: 'folder', items: 'item' } as const;

export async function loadFirstPoints(
  { sql: db, tenant }: TenantTx,
  object: number,
): Promise<FirstPoints> {
  const load = async (table: 'folder' | 'item'): Promise<Map<number, number>> => {
    const rows = await db
      .selectFrom(table)
      .select(['n', 'from_point'])
      .where('tenant_id', '=', tenant)
      .where('object_n', '=', object)
      .execute();
    return new Map(rows.map((row) => [row.n, row.from_point]));
  };
  return { folders: await load('folder'), items: await load('item') };
}

/** Whether the index has something else under the number of a version. */
export async function hasOthers(
  { sql: db, tenant }: TenantTx,
  object: number,
  { folders, items }: Versions,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${recordset(
      folders.map(({ n, key, parent, name }) => ({
        n,
        key,
        parent_key: parent,
        name: cleanText(name),
      })),
      sql`n bigint, key text, parent_key text, name text`,
    )} join folder as f on f.tenant_id = ${tenant} and f.object_n = ${object} and f.n = x.n
    where (f.key, f.parent_key, f.name) is distinct from (x.key, x.parent_key, x.name)
    union all
    select from ${recordset(
      items.map(({ n, key, folder, changeKey, parts }) => ({
        n,
        key,
        folder_key: folder,
        change_key: changeKey,
        parts,
      })),
      sql`n bigint, key text, folder_key text, change_key text, parts jsonb`,
    )} join item as i on i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = x.n
    where (i.key, i.folder_key, i.change_key, i.parts) is distinct from (x.key, x.folder_key, x.change_key, x.parts)
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Changes the first point of versions. */
export const moveFirstPoint = async (
  { sql: db, tenant }: TenantTx,
  table: 'folder' | 'item',
  object: number,
  { numbers, point }: { readonly numbers: readonly number[]; readonly point: number },
): Promise<void> => {
  await db
    .updateTable(table)
    .set({ from_point: point })
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', object)
    .where('n', 'in', numbers)
    .execute();
};

/** Deletes versions that end with a point, at most one batch. Returns their numbers. */
export async function deleteEnded(
  { sql: db, tenant }: TenantTx,
  table: 'folder' | 'item',
  object: number,
  point: number,
): Promise<readonly number[]> {
  const rows = await db
    .deleteFrom(table)
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', object)
    .where('n', 'in', (from) =>
      from
        .selectFrom(table)
        .select('n')
        .where('tenant_id', '=', tenant)
        .where('object_n', '=', object)
        .where('to_point', '=', point)
        .limit(BATCH_ROWS),
    )
    .returning('n')
    .execute();
  return rows.map(({ n }) => n);
}

/**
 * Inserts versions that a point of an object has, under their own numbers, unless a newer point had
 * them already. They end with the point, except in the newest.
 */
export async function insertVersions(
  tx: TenantTx,
  place: { readonly object: number; readonly point: number; readonly isNewest: boolean },
  { folders, items }: Versions,
): Promise<void> {
  const { sql: db, tenant } = tx;
  const { object, point, isNewest } = place;
  const to = isNewest ? null : point;
  if (folders.length > 0)
    await sql`
      insert into folder (tenant_id, object_n, n, key, parent_key, name, well_known, sharing, from_point, to_point)
      select h.tenant_id, ${object}, x.n, x.key, x.parent_key, x.name, x.well_known, x.sharing, least(x.from_point, ${point}), ${to}::int from ${ownedRecordset(
        tenant,
        folders.map(({ n, key, parent, name, wellKnown, sharing, fromPoint }) => ({
          n,
          key,
          parent_key: parent,
          name: cleanText(name),
          well_known: wellKnown,
          sharing: sharing ?? undefined,
          from_point: fromPoint,
        })),
        sql`n bigint, key text, parent_key text, name text, well_known text, sharing jsonb, from_point int`,
      )} on conflict do nothing`.execute(db);
  if (items.length > 0)
    await sql`
      insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, to_point, kind, at, changed_at, bytes, title, people, flags, parts)
      select h.tenant_id, ${object}, x.n, x.folder_key, x.key, x.change_key, least(x.from_point, ${point}), ${to}::int, x.kind, x.at, x.changed_at, x.bytes, x.title, x.people, x.flags, x.parts from ${ownedRecordset(
        tenant,
        items.map(({ folder, changeKey, changedAt, fromPoint, title, people, ...item }) => ({
          ...item,
          folder_key: folder,
          change_key: changeKey,
          changed_at: changedAt,
          from_point: fromPoint,
          title: cleanText(title, MAX_TITLE_CHARS),
          people: cleanText(people, MAX_PEOPLE_CHARS),
        })),
        sql`n bigint, folder_key text, key text, change_key text, from_point int, kind text, at bigint, changed_at bigint, bytes bigint, title text, people text, flags jsonb, parts jsonb`,
      )} on conflict do nothing`.execute(db);
  if (folders.length + items.length > 0)
    await sql`
      update backup_object set next_folder = greatest(next_folder, ${getNext(folders)}), next_item = greatest(next_item, ${getNext(items)})
      where tenant_id = ${tenant} and n = ${object}`.execute(db);
  if (isNewest)
    await mark(
      tx,
      object,
      FAILED,
      items.filter(({ parts }) => parts.length === 0).map(({ key }) => key),
    );
}

const getNext = (versions: readonly { readonly n: number }[]): number =>
  versions.reduce((next, { n }) => Math.max(next, n + 1), 1);
