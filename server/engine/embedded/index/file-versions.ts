import { sql, type RawBuilder } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { FileVersion, ItemChange } from '../types.ts';
import { FAILED, UNREAD_VERSIONS } from './marks.ts';
import type { IndexedObject } from './objects.ts';

// Versions of files that Microsoft 365 stores. Each is an item of its own, whose folder is the key of
// its file and whose flag `version` is the cloud's name for it.

/** At most this many rows in one transaction (ENG-10). */
const BATCH_ROWS = 500;

type ObjectN = Pick<IndexedObject, 'n'>;

/** A condition on an item `v`: it is an earlier version of a file, and not a file. */
export const isFileVersion = (v: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${v}.flags -> 'version' is not null)`;

/**
 * Returns the key of a version of a file. Microsoft 365 may start its numbers again, so the key includes
 * date and size.
 */
export const getVersionKey = (file: string, { id, at, bytes }: FileVersion): string =>
  `${file}@${id}@${at}@${bytes}`;

/** The last row by a point of the file that `i` is a version of; none, if `i` is no version. */
export const getFileAt = (
  tenant: string,
  point: number | RawBuilder<number>,
): RawBuilder<unknown> => sql`
  select f.key, f.folder_key, f.title, f.at from item as f
  where ${isFileVersion(sql`i`)} and f.tenant_id = ${tenant} and f.object_n = i.object_n and f.key = i.folder_key and f.from_point <= ${point}
  order by f.from_point desc limit 1`;

interface StoredVersion {
  readonly key: string;
  readonly isDamaged: boolean;
}

/** Returns the versions that the index has of files now, by the keys of the files. */
export async function loadStoredVersions(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectN,
  files: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredVersion[]>> {
  const { rows } = await sql<StoredVersion & { readonly file: string }>`
    select i.folder_key as file, i.key, exists (
      select from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${FAILED} and l.key = i.key) as "isDamaged"
    from item as i
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.folder_key = any(${files}::text[]) and i.to_point is null and ${isFileVersion(sql`i`)}`.execute(
    db,
  );
  return Map.groupBy(rows, ({ file }) => file);
}

/** Returns the files whose versions have yet to be read, or are damaged. */
export async function loadUnreadVersions(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectN,
): Promise<readonly ItemChange[]> {
  const { rows } = await sql<ItemChange>`
    select i.key, i.change_key as "changeKey", i.folder_key as folder, i.kind, i.title, i.people, i.at, i.changed_at as "changedAt", i.bytes, i.flags
    from item as i
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and i.kind = 'file' and i.key in (
      select l.key from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${UNREAD_VERSIONS}
      union
      select v.folder_key from listed_item as l join item as v on v.tenant_id = l.tenant_id and v.object_n = l.object_n and v.key = l.key
      where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${FAILED} and v.to_point is null and ${isFileVersion(sql`v`)})
    order by i.n`.execute(db);
  return rows;
}

/** Returns how many versions were wanted of an object's files before; 0: none. */
export async function loadVersionLimit(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectN,
): Promise<number> {
  const row = await db
    .selectFrom('backup_object')
    .select('version_limit')
    .where('tenant_id', '=', tenant)
    .where('n', '=', n)
    .executeTakeFirst();
  return row?.version_limit ?? 0;
}

/**
 * Notes that fewer or more versions than before are wanted of an object's files; at most one batch.
 * If more are, those of files that haven't changed are read once. Returns whether that was all.
 */
export async function storeVersionLimit(
  { sql: db, tenant }: TenantTx,
  { n }: ObjectN,
  limit: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into listed_item (tenant_id, object_n, scope, key)
    select i.tenant_id, ${n}, ${UNREAD_VERSIONS}, i.key from item as i
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and i.kind = 'file' and not ${isFileVersion(sql`i`)}
      and ${limit}::int > (select coalesce(version_limit, 0) from backup_object where tenant_id = ${tenant} and n = ${n})
      and not exists (select from listed_item as l where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${UNREAD_VERSIONS} and l.key = i.key)
    limit ${BATCH_ROWS}`.execute(db);
  if ((numAffectedRows ?? 0n) === BigInt(BATCH_ROWS)) return false;
  await db
    .updateTable('backup_object')
    .set({ version_limit: limit })
    .where('tenant_id', '=', tenant)
    .where('n', '=', n)
    .execute();
  return true;
}

/** Ends versions that the source no longer has, or that are no longer wanted. */
export async function endVersions(
  { sql: db, tenant }: TenantTx,
  { n, point }: Pick<IndexedObject, 'n' | 'point'>,
  keys: readonly string[],
): Promise<void> {
  await sql`
    with ended as (
      select i.n, i.key, i.from_point from item as i
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and i.key = any(${keys}::text[]) and ${isFileVersion(sql`i`)}
    ), dropped as (
      delete from item as i using ended as e
      where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = e.n and e.from_point > ${point}
    ), unmarked as (
      delete from listed_item as l using ended as e
      where l.tenant_id = ${tenant} and l.object_n = ${n} and l.scope = ${FAILED} and l.key = e.key
    )
    update item as i set to_point = ${point} from ended as e
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.n = e.n and e.from_point <= ${point}`.execute(
    db,
  );
}
