import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import { FAILED } from './marks.ts';
import { mark, MAX_PEOPLE_CHARS, MAX_TITLE_CHARS, recordset } from './pages.ts';
import type { IndexedFolder, IndexedItem } from './read.ts';
import { cleanText } from './text.ts';

interface Versions {
  readonly folders: readonly IndexedFolder[];
  readonly items: readonly IndexedItem[];
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
      select ${tenant}, ${object}, x.n, x.key, x.parent_key, x.name, x.well_known, x.sharing, least(x.from_point, ${point}), ${to}::int from ${recordset(
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
      select ${tenant}, ${object}, x.n, x.folder_key, x.key, x.change_key, least(x.from_point, ${point}), ${to}::int, x.kind, x.at, x.changed_at, x.bytes, x.title, x.people, x.flags, x.parts from ${recordset(
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
