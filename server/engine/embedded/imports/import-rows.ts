import type { Selectable } from 'kysely';
import type { EngineId } from '#contract/engine/engine.ts';
import {
  type Import,
  type ImportContent,
  type ImportCounts,
  IMPORTED_DRIVE,
  type ServerAccount,
  type StoredImportFolder,
} from '#contract/engine/imports.ts';
import type { EngineTables } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** `account`, `sealed`, `mails`: of a mailbox on a server; null: it imports an archive. */
export type ImportRow = Selectable<EngineTables['import_task']> & {
  readonly account: ServerAccount | null;
  readonly sealed: string | null;
  readonly mails: number | null;
};

export const selectImports = ({ sql: db, tenant }: TenantTx) =>
  db
    .selectFrom('import_task as i')
    .leftJoin('import_server as s', (join) =>
      join.onRef('s.tenant_id', '=', 'i.tenant_id').onRef('s.import_id', '=', 'i.id'),
    )
    .selectAll('i')
    .select(['s.account', 's.sealed', 's.mails'])
    .where('i.tenant_id', '=', tenant);

export const findImport = async (tx: TenantTx, id: EngineId): Promise<ImportRow | null> =>
  (await selectImports(tx).where('i.id', '=', id).executeTakeFirst()) ?? null;

/** Returns the versions that a drive has, by key. */
export async function loadVersions(
  { sql: db, tenant }: TenantTx,
  { n }: { readonly n: number },
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('item')
    .select(['key', 'change_key'])
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', n)
    .where('to_point', 'is', null)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.key, row.change_key]));
}

type StoredCounts = Omit<StoredImportFolder, 'path'>;

export const NO_COUNTS: ImportCounts = {
  imported: 0,
  partial: 0,
  known: 0,
  skipped: 0,
  failed: 0,
};

export const addCounts = (a: StoredCounts, b: StoredCounts): ImportCounts => ({
  imported: a.imported + b.imported,
  partial: (a.partial ?? 0) + (b.partial ?? 0),
  known: a.known + b.known,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

export const sumFolders = (folders: readonly StoredImportFolder[]): ImportCounts =>
  folders.reduce<ImportCounts>(addCounts, NO_COUNTS);

export const getImportContent = ({ object_id: id }: Pick<ImportRow, 'object_id'>): ImportContent =>
  id.startsWith(IMPORTED_DRIVE) ? 'files' : 'mail';

/** `pointAt`: when its restore point was made, if it is complete. */
export const toImport = (row: ImportRow & { readonly point_at: number | null }): Import => ({
  id: row.id,
  repository: row.repository_id,
  content: getImportContent(row),
  source: row.account?.kind ?? 'archive',
  account: row.account,
  name: row.name,
  bytes: row.bytes,
  receivedBytes: row.received_bytes,
  readBytes: row.read_bytes,
  entries: row.mails,
  readEntries: row.next_entry,
  mailbox: row.object_name,
  mailboxId: row.object_id,
  state: row.state,
  result: row.result,
  message: row.message,
  counts: sumFolders(row.folders),
  folders: row.folders.map(({ path, ...counts }) => ({ path, ...addCounts(counts, NO_COUNTS) })),
  pointAt: row.point_at,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});
