import { sql } from 'kysely';
import type { ObjectKind } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Bytes, Ms, OrganizationId, PointId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { SourceObject } from '../types.ts';
import { isFileVersion } from './file-versions.ts';
import { FAILED } from './marks.ts';
import { cleanText } from './text.ts';

/** What one repository has of one mailbox, drive or site. `point`: the newest finished state of it. */
export interface IndexedObject extends SourceObject {
  readonly n: number;
  readonly repository: BackupRepositoryId;
  readonly organization: OrganizationId;
  readonly point: number;
  readonly items: number;
  readonly bytes: Bytes;
  readonly tree: string | null;
}

/** Returns the object, which exists from now on, with its present name. */
export async function ensureObject(
  tx: TenantTx,
  place: { readonly repository: BackupRepositoryId; readonly organization: OrganizationId },
  object: SourceObject,
): Promise<IndexedObject> {
  const name = cleanText(object.name);
  const address = cleanText(object.address);
  for (;;) {
    const {
      rows: [row],
    } = await sql<ObjectRow>`
      update backup_object set name = ${name}, address = ${address},
        parent_id = coalesce(${object.parent ?? null}::text, case when kind = 'team' then parent_id end)
      where tenant_id = ${tx.tenant} and repository_id = ${place.repository} and organization_id = ${place.organization}
        and kind = ${object.kind} and directory_id = ${object.id}
      returning *`.execute(tx.sql);
    if (row !== undefined) return getObject(row);
    // Numbers are per tenant. A writer that loses a race for one tries the next.
    await sql`
      insert into backup_object (tenant_id, n, repository_id, organization_id, kind, directory_id, parent_id, name, address)
      select h.tenant_id, (select coalesce(max(n), 0) + 1 from backup_object where tenant_id = ${tx.tenant}), ${place.repository}, ${place.organization}, ${object.kind}, ${object.id}, ${object.parent ?? null}::text, ${name}, ${address}
      from head as h where h.tenant_id = ${tx.tenant}
      on conflict do nothing`.execute(tx.sql);
  }
}

export async function loadObject({ sql: db, tenant }: TenantTx, n: number): Promise<IndexedObject> {
  const row = await db
    .selectFrom('backup_object')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('n', '=', n)
    .executeTakeFirstOrThrow();
  return getObject(row);
}

interface ObjectRow {
  readonly n: number;
  readonly repository_id: BackupRepositoryId;
  readonly organization_id: OrganizationId;
  readonly kind: ObjectKind;
  readonly directory_id: string;
  readonly name: string;
  readonly address: string;
  readonly point: number;
  readonly items: number;
  readonly bytes: Bytes;
  readonly tree: string | null;
}

const getObject = (row: ObjectRow): IndexedObject => ({
  n: row.n,
  repository: row.repository_id,
  organization: row.organization_id,
  kind: row.kind,
  id: row.directory_id,
  name: row.name,
  address: row.address,
  point: row.point,
  items: row.items,
  bytes: row.bytes,
  tree: row.tree,
});

/** What an object has now: rows that no removal has ended. */
export interface ObjectTotals {
  readonly items: number;
  readonly bytes: Bytes;
  /** Versions that began or ended since the newest point. */
  readonly changes: number;
  /** Folders that were added, renamed, moved or removed since then. */
  readonly folderChanges: number;
  /** Earlier versions of files that were added or ended since then. */
  readonly versionChanges: number;
  /** Items whose content could not be read. */
  readonly failed: number;
}

export async function countObject(
  { sql: db, tenant }: TenantTx,
  { n, point }: Pick<IndexedObject, 'n' | 'point'>,
): Promise<ObjectTotals> {
  const isItem = sql<boolean>`not ${isFileVersion(sql`item`)}`;
  const {
    rows: [row],
  } = await sql<ObjectTotals>`
    select count(*) filter (where to_point is null and ${isItem}) as items,
      coalesce(sum(bytes) filter (where to_point is null and ${isItem}), 0)::bigint as bytes,
      count(*) filter (where (from_point > ${point} or to_point = ${point}) and not ${isItem}) as "versionChanges",
      count(*) filter (where ${isItem} and (from_point > ${point} or to_point = ${point} and not exists (
        select from item as i where i.tenant_id = ${tenant} and i.object_n = ${n}
          and i.key = item.key and i.to_point is null))) as changes,
      (select count(*) from folder where tenant_id = ${tenant} and object_n = ${n} and (from_point > ${point} or to_point = ${point})) as "folderChanges",
      (select count(*) from listed_item where tenant_id = ${tenant} and object_n = ${n} and scope = ${FAILED}) as failed
    from item where tenant_id = ${tenant} and object_n = ${n}
      and (to_point is null or to_point = ${point})`.execute(db);
  return row ?? { items: 0, bytes: 0, changes: 0, folderChanges: 0, versionChanges: 0, failed: 0 };
}

/** Stores the next point of an object. Its rows are complete, and its tree is in the repository. */
export async function storeObjectPoint(
  { sql: db, tenant }: TenantTx,
  object: Pick<IndexedObject, 'n' | 'point'>,
  totals: Pick<ObjectTotals, 'items' | 'bytes'>,
  at: { readonly point: PointId; readonly at: Ms; readonly tree: string },
): Promise<void> {
  const point = object.point + 1;
  const { items, bytes } = totals;
  await db
    .updateTable('backup_object')
    .set({ point, items, bytes, tree: at.tree })
    .where('tenant_id', '=', tenant)
    .where('n', '=', object.n)
    .where('point', '=', object.point)
    .execute();
  await db
    .insertInto('object_point')
    .values({
      tenant_id: tenant,
      object_n: object.n,
      point,
      point_id: at.point,
      at: at.at,
      items,
      bytes,
      tree: at.tree,
    })
    .execute();
}
