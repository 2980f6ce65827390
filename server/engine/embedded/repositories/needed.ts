import { sql } from 'kysely';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { BackupRepositoryId, DownloadId, Ms, TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import { decodeEntries } from '../downloads/entries.ts';
import type { BlobId } from '../restic/pack.ts';

const PAGE_ROWS = 1_000;
const PAGE_PARTS = 10;

/**
 * Data that the index, an undo or a download refers to. It is read page by page, while the lock of the
 * repository keeps everyone from writing.
 */
export async function* neededBlobs(
  store: Store,
  tenant: TenantId,
  {
    repository,
    since,
    now,
  }: { readonly repository: BackupRepositoryId; readonly since: Ms; readonly now: Ms },
): AsyncIterable<BlobId> {
  let after = { object: 0, n: 0 };
  for (;;) {
    const { rows } = await store.tenant(
      tenant,
      ({ sql: db }) =>
        sql<{ readonly object: number; readonly n: number; readonly parts: StoredPart[] }>`
          select i.object_n as object, i.n, i.parts from item as i join backup_object as o on o.tenant_id = i.tenant_id and o.n = i.object_n
          where i.tenant_id = ${tenant} and o.repository_id = ${repository} and (i.object_n, i.n) > (${after.object}::bigint, ${after.n}::bigint)
          order by i.object_n, i.n limit ${PAGE_ROWS}`.execute(db),
      { readOnly: true },
    );
    for (const { parts } of rows) for (const { blobs } of parts) yield* blobs;
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last;
  }
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ readonly parts: StoredPart[] }>`
        select r.replaced -> 'parts' as parts from restore_item as r
        join engine_task as t on t.tenant_id = r.tenant_id and t.id = r.task_id
        join backup_object as o on o.tenant_id = r.tenant_id and o.n = r.object_n
        where r.tenant_id = ${tenant} and o.repository_id = ${repository} and r.replaced -> 'parts' is not null
          and (t.state <> 'done' or t.created_at >= ${since})`.execute(db),
    { readOnly: true },
  );
  for (const { parts } of rows) for (const { blobs } of parts) yield* blobs;
  yield* downloadedBlobs(store, tenant, { repository, now });
}

/** What prepared downloads hold, as long as they can be read. */
async function* downloadedBlobs(
  store: Store,
  tenant: TenantId,
  { repository, now }: { readonly repository: BackupRepositoryId; readonly now: Ms },
): AsyncIterable<BlobId> {
  let after = { download: '00000000-0000-0000-0000-000000000000', n: 0 };
  for (;;) {
    const { rows } = await store.tenant(
      tenant,
      ({ sql: db }) =>
        sql<{ readonly download: DownloadId; readonly n: number; readonly entries: string }>`
          select p.download_id as download, p.n, p.entries from prepared_part as p
          join prepared_download as d on d.tenant_id = p.tenant_id and d.id = p.download_id
          where p.tenant_id = ${tenant} and d.repository_id = ${repository} and d.expires_at > ${now}
            and (p.download_id, p.n) > (${after.download}::uuid, ${after.n}::int)
          order by p.download_id, p.n limit ${PAGE_PARTS}`.execute(db),
      { readOnly: true },
    );
    for (const { entries } of rows) for (const { blobs } of decodeEntries(entries)) yield* blobs;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Folders of objects in sessions that have no restore point yet, and of those that changed nothing. */
export async function* neededTrees(
  store: Store,
  tenant: TenantId,
  repository: BackupRepositoryId,
): AsyncIterable<BlobId> {
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ readonly tree: string }>`
        select o.tree from backup_object as o where o.tenant_id = ${tenant} and o.repository_id = ${repository} and o.tree is not null
        union
        select s.tree from object_point as s join backup_object as o on o.tenant_id = s.tenant_id and o.n = s.object_n
        where s.tenant_id = ${tenant} and o.repository_id = ${repository}`.execute(db),
    { readOnly: true },
  );
  for (const { tree } of rows) yield tree;
}
