import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { readBatch } from '../graph/batch.ts';
import type { GraphClient } from '../graph/client.ts';
import { SCOPE_MARK } from '../types.ts';
import type { ChangePage, FetchedItem, ItemChange } from '../types.ts';
import { latestRows, readDelta } from './delta.ts';
import { failedItem, DriveUser } from './drive.ts';
import { parseGraphTime, maybe } from './shapes.ts';
import { readAll, sitePath, parseSitePartKey } from './site-parts.ts';
import { graphMessages as t } from '../graph/messages.en.ts';

/** A list of a site, both by their ids. */
export interface SiteListPlace {
  readonly site: string;
  readonly list: string;
}
/** Reads the rows of lists. */
export interface RowReader {
  changes(
    client: GraphClient,
    place: SiteListPlace,
    cursor: string | undefined,
  ): AsyncIterable<EngineResult<ChangePage>>;
  fetch(
    client: GraphClient,
    place: SiteListPlace,
    items: readonly ItemChange[],
  ): AsyncIterable<FetchedItem>;
}

export const listPath = ({ site, list }: SiteListPlace): string =>
  `${sitePath(site)}/lists/${encodeURIComponent(list)}`;

const text = maybe(v.string());
export const Row = v.object({
  id: v.string(),
  eTag: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  createdBy: DriveUser,
  lastModifiedBy: DriveUser,
  deleted: maybe(v.looseObject({})),
  fields: maybe(v.record(v.string(), v.unknown())),
});
export type Row = v.InferOutput<typeof Row>;

/** A column as Graph describes it: what it holds is a property named after its type. */
export const GraphColumn = v.looseObject({
  name: v.string(),
  displayName: v.nullish(v.string()),
  readOnly: v.nullish(v.boolean()),
  hidden: v.nullish(v.boolean()),
});
export type GraphColumn = v.InferOutput<typeof GraphColumn>;

/** A row as it is stored. `columns`: those that have the values that people enter. */
export const StoredRow = v.object({
  fields: v.record(v.string(), v.unknown()),
  columns: v.array(GraphColumn),
});
export type StoredRow = v.InferOutput<typeof StoredRow>;

/** Fields that no person enters, though they aren't read-only. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['ContentType', 'Attachments', 'Edit']);

/** Reads the columns of a list that people fill in. */
export async function readColumns(
  client: GraphClient,
  place: SiteListPlace,
): Reply<readonly GraphColumn[]> {
  const columns = await readAll(client, `${listPath(place)}/columns`, GraphColumn);
  return columns.ok
    ? {
        ok: true,
        value: columns.value.filter(
          ({ name, readOnly, hidden }) =>
            readOnly !== true && hidden !== true && !SYSTEM_COLUMNS.has(name),
        ),
      }
    : columns;
}

/** Rows are read in batches of this size, if the changes didn't have their values. */
const BATCH = 20;
const HEADERS = { prefer: 'odata.maxpagesize=1000' };

/** The values of a page's rows are kept as long as the page is. */
export function makeRowReader(): RowReader {
  const contents = new WeakMap<ItemChange, Uint8Array>();
  return {
    async *changes(client, place, cursor) {
      let columns: readonly GraphColumn[] | null = null;
      const pages = readDelta(client, {
        start: `${listPath(place)}/items/delta?$expand=fields`,
        cursor,
        row: Row,
        headers: HEADERS,
        restartsAtStart: true,
      });
      for await (const page of pages) {
        if (!page.ok) return yield page;
        const rows = latestRows(page.value.rows);
        const present = rows.filter(({ deleted }) => !deleted);
        if (columns === null && present.length > 0) {
          const read = await readColumns(client, place);
          if (!read.ok) return yield read;
          columns = read.value;
        }
        const known = columns ?? [];
        yield {
          ok: true,
          value: {
            scope: place.list,
            restart: page.value.restart,
            folders: [],
            items: present.map((row) => {
              const content = row.fields ? encodeRow(row, known) : null;
              const item = getRowItem(row, place, known, content?.length ?? 0);
              if (content !== null) contents.set(item, content);
              return item;
            }),
            removed: rows
              .filter(({ deleted }) => deleted)
              .map(({ id }) => `${place.list}${SCOPE_MARK}${id}`),
            cursor: page.value.cursor,
            isComplete: page.value.isComplete,
          },
        };
      }
    },
    async *fetch(client, place, items) {
      const others: ItemChange[] = [];
      for (const item of items) {
        const content = contents.get(item);
        if (content === undefined) others.push(item);
        else yield { item, ok: true, parts: [{ as: 'json', content }] };
      }
      yield* fetchRows(client, place, others);
    },
  };
}

async function* fetchRows(
  client: GraphClient,
  place: SiteListPlace,
  items: readonly ItemChange[],
): AsyncGenerator<FetchedItem, void> {
  if (items.length === 0) return;
  const columns = await readColumns(client, place);
  if (!columns.ok) {
    yield* items.map((item) => failedItem(item, columns.error));
    return;
  }
  for (let from = 0; from < items.length; from += BATCH) {
    const chunk = items.slice(from, from + BATCH);
    const results = await readBatch(
      client,
      chunk.map(({ key }) => ({ path: rowPath(place, parseSitePartKey(key).id) })),
    );
    for (const [n, item] of chunk.entries()) {
      const result = results[n];
      const read = result?.ok ? v.safeParse(Row, result.value) : null;
      if (result?.ok === false) yield failedItem(item, result.error);
      else if (!read?.success) yield failedItem(item, { kind: 'internal', message: t.unreadable });
      else {
        const content = encodeRow(read.output, columns.value);
        const current = getRowItem(read.output, place, columns.value, content.length);
        yield { item: current, ok: true, parts: [{ as: 'json', content }] };
      }
    }
  }
}

export const rowPath = (place: SiteListPlace, id: string): string =>
  `${listPath(place)}/items/${encodeURIComponent(id)}?$expand=fields`;

export const encodeRow = (row: Row, columns: readonly GraphColumn[]): Uint8Array => {
  const { fields, createdBy, lastModifiedBy, createdDateTime, lastModifiedDateTime } = row;
  const stored = {
    fields: fields ?? {},
    columns,
    createdBy,
    lastModifiedBy,
    createdDateTime,
    lastModifiedDateTime,
  };
  return new TextEncoder().encode(JSON.stringify(stored));
};

export function getRowItem(
  row: Row,
  { list }: SiteListPlace,
  columns: readonly GraphColumn[],
  bytes: number,
): ItemChange {
  const changedAt: Ms = parseGraphTime(row.lastModifiedDateTime) ?? 0;
  const { user } = row.lastModifiedBy ?? {};
  const fields = row.fields ?? {};
  return {
    key: `${list}${SCOPE_MARK}${row.id}`,
    changeKey: row.eTag ?? '',
    folder: list,
    kind: 'row',
    title: showValue(fields['Title']) || `#${row.id}`,
    people: user?.displayName ?? user?.email ?? '',
    at: parseGraphTime(row.createdDateTime) ?? changedAt,
    changedAt,
    bytes,
    flags: { fields: getFirstValues(fields, columns), hash: hashValues(fields, columns) },
  };
}

/** Values of these columns are numbers that mean something in their own site only. */
export const isOwnToSite = (column: GraphColumn): boolean =>
  ['personOrGroup', 'lookup', 'term'].some((type) => column[type] !== undefined);

/** The field of a row that has the value of a column. */
export const getFieldName = (column: GraphColumn): string =>
  isOwnToSite(column) ? `${column.name}LookupId` : column.name;

/**
 * Names the values that people entered: all of them, and after a dot those that mean the same in any
 * site. Two rows with the same values have the same name.
 */
function hashValues(fields: Row['fields'], columns: readonly GraphColumn[]): string {
  const hash = (chosen: readonly GraphColumn[]): string =>
    createHash('sha256')
      .update(
        JSON.stringify(
          chosen
            .map(
              (column) => [getFieldName(column), fields?.[getFieldName(column)] ?? null] as const,
            )
            .filter(([, value]) => value !== null && value !== '')
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
      )
      .digest('base64url')
      .slice(0, 22);
  return `${hash(columns)}.${hash(columns.filter((column) => !isOwnToSite(column)))}`;
}

const MAX_VALUES = 6;
const MAX_VALUE_CHARS = 80;

/** The values that a list of rows shows beside the title. */
function getFirstValues(
  fields: Readonly<Record<string, unknown>>,
  columns: readonly GraphColumn[],
): Record<string, string> {
  const values: [string, string][] = columns
    .filter(({ name }) => name !== 'Title')
    .map((column) => [
      column.displayName ?? column.name,
      showValue(fields[getFieldName(column)]).slice(0, MAX_VALUE_CHARS).toWellFormed(),
    ]);
  return Object.fromEntries(values.filter(([, value]) => value !== '').slice(0, MAX_VALUES));
}

/** A value as text. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
