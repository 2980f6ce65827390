import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import { MAIN_SCOPES } from '../types.ts';
import { isFileVersion } from './file-versions.ts';
import { FAILED, REMOVED, UNREAD_VERSIONS } from './marks.ts';
import type { IndexedObject } from './objects.ts';
import { BATCH_ROWS, isFolderOfScope, isItemOfScope, unmark } from './pages.ts';

type Removing = Pick<IndexedObject, 'n' | 'point' | 'items'>;

/** Returns the scopes that are listed completely and need `compareListing` when they have ended. */
export async function loadListings(
  { sql: db, tenant }: TenantTx,
  { n }: Removing,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('object_cursor')
    .select('scope')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('listing', '=', true)
    .execute();
  return new Set(rows.map(({ scope }) => scope));
}

/**
 * After a scope was listed completely, notes what it no longer has as removed; at most one batch.
 * Returns whether that was all.
 */
export async function compareListing(
  { sql: db, tenant }: TenantTx,
  { n }: Removing,
  scope: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into listed_item (tenant_id, object_n, scope, key)
    select gone.tenant_id, ${n}, ${REMOVED}, gone.key from (
      select i.tenant_id, i.key from item as i where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and not ${isFileVersion(sql`i`)} and ${isItemOfScope(tenant, n, scope)}
      union
      select f.tenant_id, f.key from folder as f where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null and ${isFolderOfScope(tenant, n, scope)}
    ) as gone
    where not exists (select from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope in (${scope}, ${REMOVED}) and l.key = gone.key)
    limit ${BATCH_ROWS}`.execute(db);
  if ((numAffectedRows ?? 0n) === BigInt(BATCH_ROWS)) return false;
  await db
    .updateTable('object_cursor')
    .set({ listing: false })
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('scope', '=', scope)
    .execute();
  return true;
}

/** What a read object no longer has. */
export interface Gone {
  /** Items that were in the newest point. */
  readonly items: number;
  /** Folders that were removed, with those below them, and folders that were never listed. */
  readonly folders: readonly string[];
  /** Nothing is gone, not even what was added since the newest point. */
  readonly isNone: boolean;
  /** More than 30 % of the items: probably a mistake, or an attack (ENG-6). */
  readonly isSudden: boolean;
}

export async function findGone({ sql: db, tenant }: TenantTx, object: Removing): Promise<Gone> {
  const { n, point } = object;
  const { rows: folders } = await sql<{ readonly key: string }>`
    with recursive gone(key) as (
      select f.key from folder as f join listed_item as l
        on l.tenant_id = f.tenant_id and l.object_n = f.object_n and l.scope = ${REMOVED} and l.key = f.key
      where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null
      union
      -- Removed after its items were read and before folders were: listed again if it is there after all.
      select c.scope from object_cursor as c
      where c.tenant_id = ${tenant} and c.object_n = ${n} and c.scope not in (${sql.join(MAIN_SCOPES)}) and not exists (
        select from folder as f where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null and f.key = c.scope)
      union
      select f.key from folder as f join gone on f.parent_key = gone.key
      where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null
    ) select key from gone`.execute(db);
  const keys = folders.map(({ key }) => key);
  const {
    rows: [count],
  } = await sql<{ readonly items: number; readonly all: number }>`
    select count(*) filter (where i.from_point <= ${point}) as items, count(*) as "all" from item as i
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null
      and ${isGone(tenant, n, keys)}`.execute(db);
  const items = count?.items ?? 0;
  return {
    items,
    folders: keys,
    isNone: (count?.all ?? 0) === 0,
    isSudden: object.items >= MIN_ITEMS_OF_LOSS && items > object.items * MAX_LOSS,
  };
}
const MAX_LOSS = 0.3;
/** In a smaller object, a third is what a person deletes at once. */
const MIN_ITEMS_OF_LOSS = 20;

/** Ends what is gone; at most one batch. Returns whether that was all. */
export async function endGone(
  tx: TenantTx,
  { n, point }: Removing,
  { folders, isNone }: Gone,
): Promise<boolean> {
  const { sql: db, tenant } = tx;
  if (!isNone && !(await endGoneVersions(tx, { n, point }, folders))) return false;
  const { rows } = await sql<{ readonly key: string }>`
    with gone as (
      select i.n, i.key, i.from_point from item as i
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and ${isGone(tenant, n, folders)}
      limit ${BATCH_ROWS}
    ), dropped as (
      delete from item as i using gone as g
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = g.n and g.from_point > ${point}
    ), ended as (
      update item as i set to_point = ${point} from gone as g
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = g.n and g.from_point <= ${point}
    )
    select key from gone`.execute(db);
  await unmark(
    tx,
    n,
    [REMOVED, FAILED, UNREAD_VERSIONS],
    rows.map(({ key }) => key),
  );
  if (rows.length === BATCH_ROWS) return false;
  for (let from = 0; from < folders.length; from += BATCH_ROWS)
    await endFolders(tx, n, point, folders.slice(from, from + BATCH_ROWS));
  return true;
}

/** Ends versions of files that are gone, before the files; at most one batch. Returns whether that was all. */
async function endGoneVersions(
  { sql: db, tenant }: TenantTx,
  { n, point }: Pick<Removing, 'n' | 'point'>,
  folders: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ readonly key: string }>`
    with gone as (
      select v.n, v.key, v.from_point from item as v join item as i
        on i.tenant_id = v.tenant_id and i.object_n = v.object_n and i.key = v.folder_key and i.to_point is null
      where v.tenant_id = ${tenant} and v.object_n = ${n} and v.to_point is null and ${isFileVersion(sql`v`)} and ${isGone(tenant, n, folders)}
      limit ${BATCH_ROWS}
    ), dropped as (
      delete from item as v using gone as g
      where v.tenant_id = ${tenant} and v.object_n = ${n} and v.n = g.n and g.from_point > ${point}
    ), ended as (
      update item as v set to_point = ${point} from gone as g
      where v.tenant_id = ${tenant} and v.object_n = ${n} and v.n = g.n and g.from_point <= ${point}
    ), unmarked as (
      delete from listed_item as l using gone as g
      where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${FAILED} and l.key = g.key
    )
    select key from gone`.execute(db);
  return rows.length < BATCH_ROWS;
}

async function endFolders(
  tx: TenantTx,
  n: number,
  point: number,
  keys: readonly string[],
): Promise<void> {
  const { sql: db, tenant } = tx;
  await db
    .deleteFrom('object_cursor')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('scope', 'in', keys)
    .execute();
  const open = db
    .deleteFrom('folder')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('to_point', 'is', null)
    .where('key', 'in', keys);
  await open.where('from_point', '>', point).execute();
  await db
    .updateTable('folder')
    .set({ to_point: point })
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('to_point', 'is', null)
    .where('key', 'in', keys)
    .execute();
  await unmark(tx, n, [REMOVED], keys);
}

/** A condition on `i`. */
const isGone = (tenant: string, n: number, folders: readonly string[]) =>
  sql<boolean>`(i.folder_key = any(${folders}::text[]) or exists (
    select from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${REMOVED} and l.key = i.key))`;
