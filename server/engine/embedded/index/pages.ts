import { sql, type RawBuilder } from 'kysely';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { TenantId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isMainScope, SCOPE_MARK } from '../types.ts';
import type { FolderChange, ItemChange } from '../types.ts';
import { endVersions } from './file-versions.ts';
import { FAILED, REMOVED, UNREAD_VERSIONS } from './marks.ts';
import type { IndexedObject } from './objects.ts';
import { cleanText } from './text.ts';

/** At most this many rows in one transaction (ENG-10). */
export const BATCH_ROWS = 500;

/** A page of changes, or a part of one, with the places of its content in the repository. */
export interface PageWrite {
  readonly scope: string;
  readonly folders: readonly FolderChange[];
  readonly items: readonly ItemWrite[];
  readonly removed: readonly string[];
  /** Null: more of the page follows. */
  readonly cursor: string | null;
  /** Whether more pages of the scope follow. */
  readonly isOpen: boolean;
  /** Keys of earlier versions of files that are not backed up any more. */
  readonly endedVersions?: readonly string[];
  /** Keys of files whose versions are read now, and of those whose versions have yet to be read. */
  readonly versionMarks?: { readonly read: readonly string[]; readonly unread: readonly string[] };
}
/** `parts` is empty if the content could not be read. */
export interface ItemWrite {
  readonly item: ItemChange;
  readonly parts: readonly StoredPart[];
}

type ObjectPoint = Pick<IndexedObject, 'n' | 'point'>;

/**
 * Returns where to continue in each scope. A scope that isn't named is listed from the beginning.
 */
export async function loadCursors(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('object_cursor')
    .select(['scope', 'cursor'])
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('cursor', '<>', '')
    .execute();
  return new Map(rows.map(({ scope, cursor }) => [scope, cursor]));
}

/** Returns the scopes whose pages were not read to the last one. */
export async function loadOpenScopes(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('object_cursor')
    .select('scope')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('is_open', '=', true)
    .execute();
  return new Set(rows.map(({ scope }) => scope));
}

/** `isPresent`: the newest state of the item is this one. */
interface KnownParts {
  readonly parts: readonly StoredPart[];
  readonly isPresent: boolean;
}

/**
 * Returns the stored parts of changed items by key, if exactly this state of an item is known and
 * readable. The others must be read.
 */
export async function findParts(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
  items: readonly ItemChange[],
): Promise<Map<string, KnownParts>> {
  const { rows } = await sql<KnownParts & { readonly key: string }>`
    select distinct on (i.key) i.key, i.parts, i.to_point is null as "isPresent" from ${recordset(
      items.map(({ key, changeKey }) => ({ key, change_key: changeKey })),
      sql`key text, change_key text`,
    )}
    join item as i on i.tenant_id = ${tenant} and i.object_n = ${n} and i.key = x.key and i.change_key = x.change_key
    where i.parts <> '[]' and not exists (
      select from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${FAILED} and l.key = i.key)
    order by i.key, i.n desc`.execute(db);
  return new Map(rows.map(({ key, ...known }) => [key, known]));
}

/**
 * Begins the complete listing of a scope. Returns whether the object already has something: then all
 * that is named from now on is noted, so that the rest can be found with `compareListing`.
 */
export async function beginListing(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
  scope: string,
): Promise<boolean> {
  const {
    rows: [row],
  } = await sql<{ readonly listing: boolean }>`
    insert into object_cursor (tenant_id, object_n, scope, cursor, listing)
    select h.tenant_id, ${n}, ${scope}, '', exists (select from item where tenant_id = ${tenant} and object_n = ${n} and to_point is null)
      or exists (select from folder where tenant_id = ${tenant} and object_n = ${n} and to_point is null)
    from head as h where h.tenant_id = ${tenant}
    on conflict (tenant_id, object_n, scope) do update set cursor = '', listing = excluded.listing
    returning listing`.execute(db);
  return row?.listing ?? false;
}

/** Forgets what a listing noted; at most one batch. Returns whether that was all. */
export async function forgetListed(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
  scope: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from listed_item where ctid in (
      select ctid from listed_item where tenant_id = ${tenant} and object_n = ${n} and scope = ${scope} limit ${BATCH_ROWS}
    ) and tenant_id = ${tenant}`.execute(db);
  return (numAffectedRows ?? 0n) < BATCH_ROWS;
}

/**
 * Writes the versions of pages with the cursors that cover them (ENG-1), in the order in which the
 * source returned them. Their content is already on the target. Writing a page again changes nothing.
 */
export async function writePages(
  tx: TenantTx,
  object: ObjectPoint,
  pages: readonly PageWrite[],
): Promise<void> {
  for (const page of pages) {
    if (page.folders.length > 0) await writeFolders(tx, object, page.folders);
    if (page.items.length > 0) await writeItems(tx, object, page.items);
    if (page.folders.length + page.items.length > 0) await noteListed(tx, object, page);
    if (page.removed.length > 0) await noteRemoved(tx, object, page);
    if (page.endedVersions?.length) await endVersions(tx, object, page.endedVersions);
    if (page.versionMarks) {
      await unmark(tx, object.n, [UNREAD_VERSIONS], page.versionMarks.read);
      await mark(tx, object.n, UNREAD_VERSIONS, page.versionMarks.unread);
    }
  }
  const cursors = new Map(
    pages.flatMap(({ scope, cursor, isOpen }) =>
      cursor === null ? [] : [[scope, { cursor, is_open: isOpen }] as const],
    ),
  );
  if (cursors.size > 0)
    await sql`
      insert into object_cursor (tenant_id, object_n, scope, cursor, is_open)
      select h.tenant_id, ${object.n}, x.scope, x.cursor, x.is_open from ${ownedRecordset(
        tx.tenant,
        [...cursors].map(([scope, row]) => ({ scope, ...row })),
        sql`scope text, cursor text, is_open boolean`,
      )}
      on conflict (tenant_id, object_n, scope) do update set cursor = excluded.cursor, is_open = excluded.is_open`.execute(
      tx.sql,
    );
}

async function writeFolders(
  { sql: db, tenant }: TenantTx,
  { n, point }: ObjectPoint,
  folders: readonly FolderChange[],
): Promise<void> {
  const latest = lastByKey(folders);
  const records = [...latest.values()].map((folder) => ({
    key: folder.key,
    parent_key: folder.parent,
    name: cleanText(folder.name),
    well_known: folder.wellKnown,
    sharing: folder.sharing ?? undefined,
  }));
  await unmark({ sql: db, tenant }, n, [REMOVED], [...latest.keys()]);
  const input = recordset(records, FOLDER);
  const same = sql`f.parent_key is not distinct from x.parent_key and f.name = x.name and f.well_known is not distinct from x.well_known
    and f.sharing is not distinct from x.sharing`;
  await sql`
    with changed as (
      select f.n, f.from_point from folder as f join ${input} on f.key = x.key
      where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null and not (${same})
    ), dropped as (
      delete from folder as f using changed as c
      where f.tenant_id = ${tenant} and f.object_n = ${n} and f.n = c.n and c.from_point > ${point}
    )
    update folder as f set to_point = ${point} from changed as c
    where f.tenant_id = ${tenant} and f.object_n = ${n} and f.n = c.n and c.from_point <= ${point}`.execute(
    db,
  );
  await insertFresh(
    { sql: db, tenant },
    n,
    'folder',
    records,
    (fresh, first) => sql`
    insert into folder (tenant_id, object_n, n, key, parent_key, name, well_known, sharing, from_point)
    select h.tenant_id, ${n}, ${first}::bigint + x.i, x.key, x.parent_key, x.name, x.well_known, x.sharing, ${point + 1}
    from ${ownedRecordset(tenant, fresh, FOLDER)}`,
  );
}
const FOLDER = sql`i int, key text, parent_key text, name text, well_known text, sharing jsonb`;

async function writeItems(
  { sql: db, tenant }: TenantTx,
  { n, point }: ObjectPoint,
  items: readonly ItemWrite[],
): Promise<void> {
  const latest = new Map(items.map((write) => [write.item.key, write]));
  const keys = [...latest.keys()];
  const failed = keys.filter((key) => latest.get(key)?.parts.length === 0);
  const damaged = await findMarked({ sql: db, tenant }, n, FAILED, keys);
  await unmark({ sql: db, tenant }, n, [REMOVED, FAILED], keys);
  await mark({ sql: db, tenant }, n, FAILED, failed);
  const records = [...latest.values()].map((write) => ({
    ...getRecord(write),
    damaged: damaged.has(write.item.key),
  }));
  const input = recordset(records, ITEM);
  // Content that could not be read says nothing about what was read before. Damaged content is
  // replaced by what was read again.
  const same = sql`i.change_key = x.change_key and i.folder_key = x.folder_key
    and (x.parts = '[]' or i.parts <> '[]' and not (x.damaged and i.parts <> x.parts))`;
  await sql`
    with changed as (
      select i.n, i.from_point from item as i join ${input} on i.key = x.key
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and not (${same})
    ), dropped as (
      delete from item as i using changed as c
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = c.n and c.from_point > ${point}
    )
    update item as i set to_point = ${point} from changed as c
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = c.n and c.from_point <= ${point}`.execute(
    db,
  );
  await insertFresh(
    { sql: db, tenant },
    n,
    'item',
    records,
    (fresh, first) => sql`
    insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, kind, at, changed_at, bytes, title, people, flags, parts)
    select h.tenant_id, ${n}, ${first}::bigint + x.i, x.folder_key, x.key, x.change_key, ${point + 1},
      x.kind, x.at, x.changed_at, x.bytes, x.title, x.people, x.flags, x.parts
    from ${ownedRecordset(tenant, fresh, ITEM)}`,
  );
}
const ITEM = sql`damaged boolean, i int, folder_key text, key text, change_key text, kind text, at bigint, changed_at bigint, bytes bigint, title text, people text, flags jsonb, parts jsonb`;

/**
 * Inserts the records that have no present row, under the next numbers of the object. Statements of
 * their own find, number and insert them: Citus refuses one that does it all.
 */
async function insertFresh<T extends { readonly key: string }>(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  n: number,
  table: 'folder' | 'item',
  records: readonly T[],
  insert: (fresh: readonly (T & { readonly i: number })[], first: number) => RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ readonly key: string }>`
    select p.key from ${getKeys(records.map(({ key }) => key))} join ${sql.table(table)} as p on p.key = x.key
    where p.tenant_id = ${tenant} and p.object_n = ${n} and p.to_point is null`.execute(db);
  const present = new Set(rows.map(({ key }) => key));
  const fresh = records.filter(({ key }) => !present.has(key));
  if (fresh.length === 0) return;
  const next = `next_${table}` as const;
  const counter = await db
    .updateTable('backup_object')
    .set((row) => ({ [next]: row(next, '+', fresh.length) }))
    .where('tenant_id', '=', tenant)
    .where('n', '=', n)
    .returning((row) => row(next, '-', fresh.length).as('first'))
    .executeTakeFirst();
  if (counter === undefined) return;
  await insert(
    fresh.map((record, i) => ({ ...record, i })),
    counter.first,
  ).execute(db);
}

const getRecord = ({ item, parts }: ItemWrite) => ({
  folder_key: item.folder,
  key: item.key,
  change_key: item.changeKey,
  kind: item.kind,
  at: item.at,
  changed_at: item.changedAt,
  bytes: item.bytes,
  title: cleanText(item.title, MAX_TITLE_CHARS),
  people: cleanText(item.people, MAX_PEOPLE_CHARS),
  flags: item.flags,
  parts,
});
export const MAX_TITLE_CHARS = 1_000;
export const MAX_PEOPLE_CHARS = 4_000;

/** While a scope is listed, what it names is noted. */
async function noteListed(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectPoint,
  { scope, folders, items }: PageWrite,
): Promise<void> {
  const keys = [...folders.map(({ key }) => key), ...items.map(({ item }) => item.key)];
  await sql`
    insert into listed_item (tenant_id, object_n, scope, key)
    select c.tenant_id, c.object_n, c.scope, x.key from ${getKeys(keys)}
    join object_cursor as c on c.tenant_id = ${tenant} and c.object_n = ${n} and c.scope = ${scope} and c.listing
    on conflict do nothing`.execute(db);
}

/** Notes removals in a scope. What has moved to another scope is still there. */
async function noteRemoved(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectPoint,
  { scope, removed }: PageWrite,
): Promise<void> {
  await unmark({ sql: db, tenant }, n, [scope], removed);
  await sql`
    with part as (select distinct key from ${getKeys(removed)})
    insert into listed_item (tenant_id, object_n, scope, key)
    select i.tenant_id, ${n}::bigint, ${REMOVED}, i.key from part join item as i on i.key = part.key
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and ${isItemOfScope(tenant, n, scope)}
    union
    select f.tenant_id, ${n}::bigint, ${REMOVED}, f.key from part join folder as f on f.key = part.key
    where f.tenant_id = ${tenant} and f.object_n = ${n} and f.to_point is null and ${isFolderOfScope(tenant, n, scope)}
    on conflict do nothing`.execute(db);
}

/**
 * A condition on `i`. The scope of an item is that of its folder, or of the folder with whose key its
 * own begins, if one has a scope. All other items belong to the main scope.
 */
export const isItemOfScope = (tenant: string, n: number, scope: string): RawBuilder<boolean> =>
  isMainScope(scope)
    ? sql`not exists (
        select from object_cursor as c where c.tenant_id = ${tenant} and c.object_n = ${n}
          and (c.scope = i.folder_key or starts_with(i.key, c.scope || ${SCOPE_MARK})))`
    : sql`(i.folder_key = ${scope} or starts_with(i.key, ${scope + SCOPE_MARK}))`;

/** A condition on `f`, in the same way. */
export const isFolderOfScope = (tenant: string, n: number, scope: string): RawBuilder<boolean> =>
  isMainScope(scope)
    ? sql`not exists (
        select from object_cursor as c where c.tenant_id = ${tenant} and c.object_n = ${n}
          and starts_with(f.key, c.scope || ${SCOPE_MARK}))`
    : sql`starts_with(f.key, ${scope + SCOPE_MARK})`;

export async function mark(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  n: number,
  scope: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0)
    await sql`
      insert into listed_item (tenant_id, object_n, scope, key)
      select h.tenant_id, ${n}, ${scope}, x.key from ${getKeys(keys)} join head as h on h.tenant_id = ${tenant} on conflict do nothing`.execute(
      db,
    );
}

export async function unmark(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  n: number,
  scopes: readonly string[],
  keys: readonly string[],
): Promise<void> {
  if (keys.length > 0)
    await sql`
      delete from listed_item as l using ${getKeys(keys)}
      where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope in (${sql.join(scopes)}) and l.key = x.key`.execute(
      db,
    );
}

async function findMarked(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  n: number,
  scope: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ readonly key: string }>`
    select l.key from ${getKeys(keys)} join listed_item as l on l.key = x.key
    where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${scope}`.execute(db);
  return new Set(rows.map(({ key }) => key));
}

const getKeys = (keys: readonly string[]): RawBuilder<unknown> =>
  recordset(
    keys.map((key) => ({ key })),
    sql`key text`,
  );

/** Records as a table `x`, in one parameter. */
export const recordset = (
  records: readonly Readonly<Record<string, unknown>>[],
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`jsonb_to_recordset(${JSON.stringify(records)}::text::jsonb) as x(${columns})`;

/**
 * The same beside the head row of the tenant, as `h`. A statement that inserts takes its `tenant_id` from
 * there: so Citus sees that all its rows belong on one node. Without `on conflict` or `returning` it
 * refuses any other.
 */
export const ownedRecordset = (
  tenant: TenantId,
  records: readonly Readonly<Record<string, unknown>>[],
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`${recordset(records, columns)} join head as h on h.tenant_id = ${tenant}`;

const lastByKey = <T extends { readonly key: string }>(all: readonly T[]): Map<string, T> =>
  new Map(all.map((one) => [one.key, one]));
