import { sql } from 'kysely';
import type { FileLocksState } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ownedRecordset } from '../index/pages.ts';

/** What is known of a locked file: `data/<id>`. See the table `repository_file`. */
export interface StoredFileRow {
  readonly file: string;
  readonly version: string;
  readonly lockedUntil: Ms;
  readonly removed: boolean;
}

const ROWS_AT_ONCE = 1_000;

export async function loadFiles(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<Map<string, StoredFileRow>> {
  const rows = await db
    .selectFrom('repository_file')
    .select(['file', 'version', 'locked_until as lockedUntil', 'removed'])
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
  return new Map(rows.map((row) => [row.file, row]));
}

export async function isFileRemoved(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  file: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('repository_file')
    .select('removed')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .where('file', '=', file)
    .executeTakeFirst();
  return row?.removed === true;
}

/** A file that was removed stays so. */
export async function storeFiles(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  files: readonly StoredFileRow[],
): Promise<void> {
  for (let at = 0; at < files.length; at += ROWS_AT_ONCE)
    await sql`
      insert into repository_file (tenant_id, repository_id, file, version, locked_until, removed)
      select h.tenant_id, ${repository}, x.file, x.version, x."lockedUntil", x.removed
      from ${ownedRecordset(
        tenant,
        files.slice(at, at + ROWS_AT_ONCE).map((file) => ({ ...file })),
        sql`file text, version text, "lockedUntil" bigint, removed boolean`,
      )}
      on conflict (tenant_id, repository_id, file) do update set
        version = excluded.version, locked_until = excluded.locked_until,
        removed = repository_file.removed or excluded.removed`.execute(db);
}

/** Notes that a file is going to be removed. */
export const noteRemovedFile = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  file: string,
): Promise<void> => {
  await sql`
    insert into repository_file (tenant_id, repository_id, file, version, locked_until, removed)
    values (${tenant}, ${repository}, ${file}, '', 0, true)
    on conflict (tenant_id, repository_id, file) do update set removed = true`.execute(db);
};

export async function forgetFiles(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  files: readonly string[],
): Promise<void> {
  for (let at = 0; at < files.length; at += ROWS_AT_ONCE)
    await sql`
      delete from repository_file where tenant_id = ${tenant} and repository_id = ${repository}
        and file = any(${files.slice(at, at + ROWS_AT_ONCE)}::text[])`.execute(db);
}

export const storeLocksState = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  state: FileLocksState,
): Promise<void> => {
  await db
    .updateTable('repository_access')
    .set({ locks: JSON.stringify(state) })
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

export const forgetAllFiles = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<void> => {
  await db
    .deleteFrom('repository_file')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};
