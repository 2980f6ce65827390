import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import { failed, ok } from '../../result.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { readBatch } from '../graph/batch.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts } from '../graph/request.ts';
import { siteClient } from '../sources/site.ts';
import { parseSitePartKey } from '../sources/site-parts.ts';
import {
  type GraphColumn,
  encodeRow,
  getRowItem,
  type SiteListPlace,
  readColumns,
  Row,
  rowPath,
} from '../sources/site-rows.ts';
import { findSameRow } from '../sources/row-writer.ts';
import type { ItemChange, SourceCall, SourceObject } from '../types.ts';
import type { CurrentItem, KnownItem } from './current-items.ts';

/** Reads rows of lists as they are now, in their order. */
export async function readCurrentRows(
  ports: GraphPorts,
  object: SourceObject,
  items: readonly KnownItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  const client = siteClient(ports, object, call);
  const found = new Map<string, CurrentItem>();
  for (const [list, rows] of Map.groupBy(items, ({ key }) => parseSitePartKey(key).part)) {
    const place = { site: object.id, list };
    const columns = await readColumns(client, place);
    // The list is gone, and all rows with it.
    if (!columns.ok && columns.error.kind === 'missing') continue;
    if (!columns.ok) return columns;
    const read = await readRows(
      client,
      place,
      rows.map(({ key }) => parseSitePartKey(key).id),
      columns.value,
    );
    if (!read.ok) return read;
    for (const [n, item] of rows.entries()) {
      const now = read.value[n] ?? null;
      const restored: EngineResult<CurrentItem> =
        now === null ? await findRestored(client, place, item, columns.value) : ok(now);
      if (!restored.ok) return restored;
      found.set(item.key, restored.value);
    }
  }
  return ok(items.map(({ key }) => found.get(key) ?? null));
}

async function readRows(
  client: GraphClient,
  place: SiteListPlace,
  ids: readonly string[],
  columns: readonly GraphColumn[],
): Promise<EngineResult<readonly CurrentItem[]>> {
  const results = await readBatch(
    client,
    ids.map((id) => ({ path: rowPath(place, id) })),
  );
  const rows: CurrentItem[] = [];
  for (const result of results) {
    if (!result.ok && result.error.kind !== 'missing') return { ok: false, error: result.error };
    const row = v.safeParse(Row, result.ok ? result.value : null);
    rows.push(
      row.success
        ? getRowItem(row.output, place, columns, encodeRow(row.output, columns).length)
        : null,
    );
  }
  return ok(rows);
}

/** A row with the same values: a restore has created it again. */
async function findRestored(
  client: GraphClient,
  place: SiteListPlace,
  item: KnownItem,
  columns: readonly GraphColumn[],
): Promise<EngineResult<CurrentItem>> {
  const same = await findSameRow({ client, ...place }, { ...item, parts: [] }, []);
  if (!same.ok || same.value === null) return same.ok ? ok(null) : same;
  const read = await readRows(client, place, [parseSitePartKey(same.value.key).id], columns);
  return read.ok ? ok(read.value[0] ?? null) : read;
}

/** Reads a row as a backup would store it now. */
export async function readCurrentRow(
  ports: GraphPorts,
  object: SourceObject,
  item: ItemChange,
  call: SourceCall,
): Promise<EngineResult<Uint8Array>> {
  const client = siteClient(ports, object, call);
  const { part: list, id } = parseSitePartKey(item.key);
  const place = { site: object.id, list };
  const columns = await readColumns(client, place);
  if (!columns.ok) return columns;
  const row = await client.get(rowPath(place, id), Row);
  if (!row.ok)
    return row.error.kind === 'missing'
      ? failed('missing', t.noContent)
      : { ok: false, error: row.error };
  return ok(encodeRow(row.value, columns.value));
}
