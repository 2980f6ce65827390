import type { Selectable } from 'kysely';
import type { Id } from '#contract/engine/engine.ts';
import type { Import, ImportCounts, ImportFolder } from '#contract/engine/imports.ts';
import type { EngineTables } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

export type ImportRow = Selectable<EngineTables['import_task']>;

export const findImport = async (
  { sql: db, tenant }: TenantTx,
  id: Id,
): Promise<ImportRow | null> =>
  (await db
    .selectFrom('import_task')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) ?? null;

export const NO_COUNTS: ImportCounts = { imported: 0, known: 0, skipped: 0, failed: 0 };

export const addCounts = (a: ImportCounts, b: ImportCounts): ImportCounts => ({
  imported: a.imported + b.imported,
  known: a.known + b.known,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

export const sumFolders = (folders: readonly ImportFolder[]): ImportCounts =>
  folders.reduce<ImportCounts>(addCounts, NO_COUNTS);

/** `pointAt`: when its restore point was made, if it is complete. */
export const toImport = (row: ImportRow & { readonly point_at: number | null }): Import => ({
  id: row.id,
  repository: row.repository_id,
  name: row.name,
  bytes: row.bytes,
  receivedBytes: row.received_bytes,
  readBytes: row.read_bytes,
  mailbox: row.object_name,
  state: row.state,
  result: row.result,
  message: row.message,
  counts: sumFolders(row.folders),
  folders: row.folders,
  pointAt: row.point_at,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});
