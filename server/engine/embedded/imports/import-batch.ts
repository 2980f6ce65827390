import { sql } from 'kysely';
import type { EngineId } from '#contract/engine/engine.ts';
import type { ImportCounts, ImportFolder, StoredImportFolder } from '#contract/engine/imports.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { cleanText } from '../index/text.ts';
import type { IndexedObject } from '../index/objects.ts';
import { type ItemWrite, ownedRecordset, recordset, writePages } from '../index/pages.ts';
import type { FolderChange, ItemChange } from '../types.ts';
import type { MailNow } from './archives/read-archive.ts';
import { findStateChanges, getContentKey, withMarks } from './mail-states.ts';
import { addCounts, type ImportRow, NO_COUNTS } from './import-rows.ts';

/** An entry that was not imported, or only in part, and why. */
export interface LeftEntry {
  readonly path: readonly string[];
  readonly name: string;
  readonly outcome: 'skipped' | 'failed' | 'partial';
  readonly message: string;
}
/** What was read of the archive and is not stored yet. */
export interface ImportBatch {
  readonly folders: readonly FolderChange[];
  /** `isNow`: its source says in which state it is now, not when an archive was made. */
  readonly items: readonly (ItemWrite & {
    readonly path: readonly string[];
    readonly isNow: boolean;
  })[];
  /** Of mails that were imported before. */
  readonly states: readonly (MailNow & { readonly path: readonly string[] })[];
  readonly left: readonly LeftEntry[];
  /** The folders of files whose version the drive has. */
  readonly known: readonly (readonly string[])[];
  /** The entry at which the archive continues after the batch, and its position. */
  readonly nextEntry: number;
  readonly readBytes: Bytes;
  /** How many entries there are; null: unknown. */
  readonly entries: number | null;
  /** Where a source that changes continues, by scope. */
  readonly cursors: ReadonlyMap<string, string>;
}

/** Folders whose counts are shown. Those of all others are added up. */
const MAX_FOLDERS = 500;
/** Entries that are listed. The others are only counted. */
const MAX_RESULTS = 10_000;
const MAX_PATH_CHARS = 1_000;

/**
 * Stores a batch with the place at which the archive continues, in one transaction: after a crash,
 * nothing is missing and nothing is counted twice. Mails that the mailbox has stay unchanged.
 */
export async function storeBatch(
  tx: TenantTx,
  task: Pick<ImportRow, 'id' | 'folders'>,
  object: IndexedObject,
  batch: ImportBatch,
  now: Ms,
): Promise<readonly ImportFolder[]> {
  const known = await findKnown(
    tx,
    object,
    batch.items.map(({ item }) => item.key),
  );
  const fresh: ItemWrite[] = [];
  const counted: { readonly path: readonly string[]; readonly counts: Partial<ImportCounts> }[] =
    [];
  for (const { path, isNow, ...write } of batch.items) {
    const { item } = write;
    const before = known.get(item.key);
    const isKnown =
      before !== undefined && getContentKey({ ...item, ...before }) === getContentKey(item);
    counted.push({ path, counts: isKnown ? { known: 1 } : { imported: 1 } });
    const next = isKnown && isNow ? withMarks({ ...item, ...before }, item.flags) : item;
    if (isKnown && (!isNow || next.changeKey === before.changeKey)) continue;
    fresh.push({ ...write, item: next });
    known.set(item.key, next);
  }
  fresh.push(...(await findStateChanges(tx, object, batch.states)));
  for (const path of batch.known) counted.push({ path, counts: { known: 1 } });
  for (const { path, outcome } of batch.left) counted.push({ path, counts: { [outcome]: 1 } });
  await writePages(tx, object, [
    { scope: '', folders: batch.folders, items: fresh, removed: [], cursor: null, isOpen: false },
    ...[...batch.cursors].map(([scope, cursor]) => ({ ...EMPTY_PAGE, scope, cursor })),
  ]);
  await storeResults(tx, task.id, batch.left);
  const totals = addFolders(task.folders, counted);
  await tx.sql
    .updateTable('import_task')
    .set({
      next_entry: batch.nextEntry,
      ...(counted.length + batch.states.length > 0 && { uploaded_at: now }),
      read_bytes: batch.readBytes,
      folders: JSON.stringify(totals),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', task.id)
    .execute();
  if (batch.entries !== null)
    await tx.sql
      .updateTable('import_server')
      .set({ mails: batch.entries })
      .where('tenant_id', '=', tx.tenant)
      .where('import_id', '=', task.id)
      .execute();
  return totals;
}

const EMPTY_PAGE = { folders: [], items: [], removed: [], isOpen: false } as const;

/** Returns the versions of those of the items that the mailbox or drive has. */
async function findKnown(
  { sql: db, tenant }: TenantTx,
  { n }: IndexedObject,
  keys: readonly string[],
): Promise<Map<string, Pick<ItemChange, 'changeKey' | 'flags'>>> {
  const { rows } = await sql<Pick<ItemChange, 'key' | 'changeKey' | 'flags'>>`
    select i.key, i.change_key as "changeKey", i.flags from ${recordset(
      keys.map((key) => ({ key })),
      sql`key text`,
    )} join item as i on i.key = x.key
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null`.execute(db);
  return new Map(rows.map(({ key, ...version }) => [key, version]));
}

function addFolders(
  folders: readonly StoredImportFolder[],
  counted: readonly { readonly path: readonly string[]; readonly counts: Partial<ImportCounts> }[],
): readonly ImportFolder[] {
  const totals = new Map(
    folders.map(({ path, ...counts }) => [path, { path, ...addCounts(counts, NO_COUNTS) }]),
  );
  for (const { path, counts } of counted) {
    const wanted = getPathText(path);
    const name = totals.has(wanted) || totals.size < MAX_FOLDERS ? wanted : OTHERS;
    const before = totals.get(name) ?? { ...NO_COUNTS, path: name };
    totals.set(name, { path: name, ...addCounts(before, { ...NO_COUNTS, ...counts }) });
  }
  return [...totals.values()];
}
const OTHERS = '…';

const getPathText = (path: readonly string[]): string =>
  cleanText(path.length === 0 ? '/' : path.join('/'), MAX_PATH_CHARS);

async function storeResults(
  { sql: db, tenant }: TenantTx,
  id: EngineId,
  left: readonly LeftEntry[],
): Promise<void> {
  if (left.length === 0) return;
  await sql`
    insert into import_result (tenant_id, import_id, n, path, name, outcome, message)
    select h.tenant_id, ${id}, before.n + x.i, x.path, x.name, x.outcome, x.message from ${ownedRecordset(
      tenant,
      left.map(({ path, name, outcome, message }, at) => ({
        i: at + 1,
        path: getPathText(path),
        name: cleanText(name),
        outcome,
        message,
      })),
      sql`i int, path text, name text, outcome text, message text`,
    )} cross join (select coalesce(max(n), 0) as n from import_result where tenant_id = ${tenant} and import_id = ${id}) as before
    where before.n + x.i <= ${MAX_RESULTS}`.execute(db);
}
