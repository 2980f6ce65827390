import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { SCOPE_MARK } from '../types.ts';
import type { BeforeRemoval, FoundObject, StoredItem, WriteInput, Written } from '../types.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { done, failed, nothing } from '../../result.ts';
import { parseContent, readContent } from './content.ts';
import { parseSitePartKey } from './site-parts.ts';
import {
  type GraphColumn,
  getFieldName,
  getRowItem,
  isOwnToSite,
  listPath,
  readColumns,
  Row,
  rowPath,
  StoredRow,
} from './site-rows.ts';

/** The list that rows are written to. */
export interface RowTarget {
  readonly client: GraphClient;
  readonly site: string;
  readonly list: string;
}

const MAX_ROW_BYTES: Bytes = 16 * 1_048_576;
/** Filters by columns without an index are allowed in lists of up to 5,000 rows. */
const HEADERS = { prefer: 'HonorNonIndexedQueriesWarningMayFailRandomly' };

/**
 * Finds a row by its id, in its own list, else one with the same values: titles are no names, so
 * another row with the same title is another row.
 */
export async function findRow(target: RowTarget, item: StoredItem): Reply<FoundObject | null> {
  const { part, id } = parseSitePartKey(item.key);
  if (part === target.list) {
    const columns = await readColumns(target.client, target);
    if (!columns.ok) return columns;
    const row = await target.client.get(rowPath(target, id), Row);
    if (row.ok) return { ok: true, value: toFound(target, row.value, columns.value, item) };
    if (row.error.kind !== 'missing') return { ok: false, error: row.error };
  }
  return findSameRow(target, item, []);
}

/** Finds a row with the same values, other than those with these keys. */
export async function findSameRow(
  target: RowTarget,
  item: StoredItem,
  others: readonly string[],
): Reply<FoundObject | null> {
  const columns = await readColumns(target.client, target);
  if (!columns.ok) return columns;
  const filter = item.title.startsWith('#')
    ? ''
    : `&$filter=${encodeURIComponent(`fields/Title eq '${item.title.replaceAll("'", "''")}'`)}`;
  for (
    let link: string | null = `${listPath(target)}/items?$expand=fields${filter}`;
    link !== null;
  ) {
    const page: GraphResult<GraphPage<Row>> = await target.client.page(link, Row, {
      headers: HEADERS,
    });
    if (!page.ok) return { ok: false, error: page.error };
    for (const row of page.value.rows) {
      const found = toFound(target, row, columns.value, item);
      if (found.isSame && !others.includes(found.key)) return { ok: true, value: found };
    }
    link = page.value.next;
  }
  return nothing;
}

/** The same state, or the same values: in another list only those that mean the same there. */
function toFound(
  target: RowTarget,
  row: Row,
  columns: readonly GraphColumn[],
  item: StoredItem,
): FoundObject {
  const now = getRowItem(row, target, columns, 0);
  const isOwn = parseSitePartKey(item.key).part === target.list;
  const isSameState = now.key === item.key && now.changeKey === item.changeKey;
  const [whole, portable] = splitHash(item);
  const [wholeNow, portableNow] = splitHash(now);
  const isSame = isSameState || (isOwn ? whole === wholeNow : portable === portableNow);
  return { key: now.key, changeKey: now.changeKey, isSame };
}

const splitHash = ({ flags }: Pick<StoredItem, 'flags'>): readonly string[] =>
  (flags.hash ?? '').split('.');

/** Creates a row, or gives one its former values. Columns that the list lacks are added. */
export async function writeRow(
  target: RowTarget,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  const stored = await readStored(input);
  if (!stored.ok) return stored;
  const isOwn = parseSitePartKey(item.key).part === target.list;
  const columns = await ensureColumns(target, stored.value, isOwn);
  if (!columns.ok) return columns;
  const fields = getValues(stored.value, columns.value, isOwn, input.replaces !== null);
  const { client } = target;
  if (input.replaces !== null) {
    const { id } = parseSitePartKey(input.replaces.key);
    const changed = await client.patch(
      `${listPath(target)}/items/${encodeURIComponent(id)}/fields`,
      fields,
      v.looseObject({}),
      { headers: { 'if-match': input.replaces.changeKey } },
    );
    if (!changed.ok) return { ok: false, error: changed.error };
    const row = await client.get(rowPath(target, id), Row);
    return row.ok ? toWritten(target, row.value) : { ok: false, error: row.error };
  }
  const added = await client.post(`${listPath(target)}/items`, { fields }, Row);
  if (added.ok) return toWritten(target, added.value);
  // The response is lost, and the row may be there.
  const { error } = added;
  if (error.kind !== 'unreachable' && error.kind !== 'internal') return { ok: false, error };
  const found = await findSameRow(target, item, input.others ?? []);
  return found.ok && found.value !== null ? { ok: true, value: found.value } : { ok: false, error };
}

const toWritten = ({ list }: RowTarget, { id, eTag }: Row): EngineResult<Written> => ({
  ok: true,
  value: { key: `${list}${SCOPE_MARK}${id}`, changeKey: eTag ?? '' },
});

async function readStored(input: WriteInput): Reply<StoredRow> {
  const content = await readContent(await input.content('json'), MAX_ROW_BYTES);
  if (!content.ok) return content;
  const read = v.safeParse(StoredRow, parseContent(content.value));
  return read.success ? { ok: true, value: read.output } : failed('damaged', t.unreadable);
}

/** Returns the columns of the list that the row has values for. */
async function ensureColumns(
  target: RowTarget,
  { columns, fields }: StoredRow,
  isOwn: boolean,
): Reply<readonly GraphColumn[]> {
  const present = await readColumns(target.client, target);
  if (!present.ok) return present;
  const names = new Set(present.value.map(({ name }) => name));
  const wanted = columns.filter(
    (column) => names.has(column.name) || isOwn || !isOwnToSite(column),
  );
  for (const column of wanted) {
    if (names.has(column.name) || (fields[getFieldName(column)] ?? null) === null) continue;
    const { id: _, readOnly: __, hidden: ___, ...definition } = column;
    const added = await target.client.post(
      `${listPath(target)}/columns`,
      definition,
      v.looseObject({}),
    );
    if (!added.ok && added.error.kind !== 'conflict') return { ok: false, error: added.error };
    names.add(column.name);
  }
  return { ok: true, value: wanted.filter(({ name }) => names.has(name)) };
}

function getValues(
  { fields }: StoredRow,
  columns: readonly GraphColumn[],
  isOwn: boolean,
  isReplacing: boolean,
): Record<string, unknown> {
  const values = columns
    .filter((column) => isOwn || !isOwnToSite(column))
    .map((column) => [getFieldName(column), fields[getFieldName(column)] ?? null] as const)
    .filter(([, value]) => isReplacing || value !== null);
  return Object.fromEntries(values);
}

/** For undo: removes a row that a restore created, unless it has changed since or is gone. */
export async function removeRow(
  target: RowTarget,
  { key, changeKey }: Written,
  before: BeforeRemoval | undefined,
): Reply<void> {
  const now = await target.client.get(rowPath(target, key), Row);
  if (!now.ok) return { ok: false, error: now.error };
  if (now.value.deleted) return failed('missing', t.missing);
  const { eTag } = now.value;
  if (eTag != null && eTag !== changeKey) return failed('conflict', t.conflict);
  await before?.();
  const deleted = await target.client.delete(
    `${listPath(target)}/items/${encodeURIComponent(key)}`,
    { headers: { 'if-match': changeKey } },
  );
  return deleted.ok ? done : { ok: false, error: deleted.error };
}
