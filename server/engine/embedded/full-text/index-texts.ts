import { sql } from 'kysely';
import type { ItemKind } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { isFileVersion } from '../index/file-versions.ts';
import { recordset } from '../index/pages.ts';
import { NOWHERE } from '../repositories/expired.ts';
import type { Repository } from '../restic/repository.ts';
import { readContent } from '../sources/content.ts';
import type { TextReader } from './text-reader.ts';
import { findTextPart } from './text-format.ts';
import { makeWordList } from './words.ts';

/** Items whose words are stored in one transaction. */
const BATCH_ROWS = 100;

interface IndexTexts {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly repository: Pick<Repository, 'readContent'>;
  readonly texts: TextReader;
  readonly signal: AbortSignal;
  /** In each transaction that writes: throws if this process no longer works on the object. */
  readonly checkLease: (tx: TenantTx) => Promise<void>;
}
interface Row {
  readonly n: number;
  readonly kind: ItemKind;
  readonly title: string;
  readonly people: string;
  readonly parts: readonly StoredPart[];
}

/**
 * Stores the words of an object's items that no session has read for them so far, from the
 * repository, also those of deleted items and earlier versions. What can't be read has no words.
 * Whatever stops it, the next session continues.
 */
export async function indexTexts(context: IndexTexts, object: number): Promise<void> {
  const { store, tenant, signal, checkLease } = context;
  for (;;) {
    const rows = await store.tenant(tenant, (tx) => loadUnread(tx, object), { readOnly: true });
    const texts: { n: number; text: string }[] = [];
    for (const row of rows) {
      const words = await readWords(context, row);
      if (words === null || signal.aborted) return;
      if (words !== '') texts.push({ n: row.n, text: join(row, words) });
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    await store.tenant(tenant, async (tx) => {
      await checkLease(tx);
      await storeTexts(tx, object, last.n, texts);
    });
  }
}

function join({ title, people }: Row, words: string): string {
  const list = makeWordList();
  for (const text of [title, people, words]) list.add(text);
  return list.text;
}

async function loadUnread({ sql: db, tenant }: TenantTx, object: number): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select n, kind, title, people, parts from item as i
    where tenant_id = ${tenant} and object_n = ${object} and from_point <> ${NOWHERE} and not ${isFileVersion(sql`i`)}
      and n > (select text_item from backup_object where tenant_id = ${tenant} and n = ${object})
      and not exists (select from item_text as t
        where t.tenant_id = i.tenant_id and t.object_n = i.object_n and t.n = i.n)
    order by n limit ${BATCH_ROWS}`.execute(db);
  return rows;
}

/** The row of the object first: a clean-up that removes items waits for it. */
async function storeTexts(
  { sql: db, tenant }: TenantTx,
  object: number,
  last: number,
  texts: readonly { readonly n: number; readonly text: string }[],
): Promise<void> {
  await db
    .updateTable('backup_object')
    .set({ text_item: last })
    .where('tenant_id', '=', tenant)
    .where('n', '=', object)
    .execute();
  if (texts.length > 0)
    await sql`
      insert into item_text (tenant_id, object_n, n, text)
      select i.tenant_id, i.object_n, i.n, x.text from ${recordset(texts, sql`n bigint, text text`)}
      join item as i on i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = x.n
      on conflict do nothing`.execute(db);
}

/** Null: it may be readable later. */
async function readWords({ repository, texts }: IndexTexts, item: Row): Promise<string | null> {
  const found = findTextPart(item);
  if (found === null) return '';
  const { part, format } = found;
  const content = await readContent(await repository.readContent(part.blobs), part.bytes);
  if (!content.ok) return LOST.has(content.error.kind) ? '' : null;
  const words = await texts.read(format, content.value);
  if (words.kind === 'busy') return null;
  return words.kind === 'read' ? words.value : '';
}
const LOST: ReadonlySet<string> = new Set(['damaged', 'missing', 'invalid']);
