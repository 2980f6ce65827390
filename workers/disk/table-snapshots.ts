import { renameRow } from '#contract/former-fields.ts';
import type { SmallRows, SmallTable } from '../types.ts';
import { getId, isNamed, SMALL_TABLES } from '../tables.ts';
import type { SmallRow } from '../tables.ts';

/**
 * Rows of the small tables are stored in chunks by number range, so that reading or changing a few
 * rows touches little. Tables with text keys have one chunk.
 */
export interface Chunk {
  readonly table: SmallTable;
  readonly chunk: number;
  readonly rows: readonly SmallRow[];
}

/**
 * Tables that grow with history and customers: read for the shown rows, the rest later (COL-6). The
 * others are read at opening.
 */
export const LATER_TABLES = ['job', 'problem'] as const satisfies readonly SmallTable[];
/**
 * The jobs of a window are scattered; the problems of a few days are mostly adjacent, and a record
 * costs more than its bytes.
 */
const chunkRows = (table: SmallTable): number => (table === 'job' ? 64 : 1024);

export const chunkName = (table: string, chunk: number): string => `${table}/${chunk}`;
export const getChunk = (table: SmallTable, n: number): number =>
  isNamed(table) ? 0 : Math.floor(n / chunkRows(table));

export function getChunks(rows: SmallRows): Chunk[] {
  const chunks = new Map<string, { table: SmallTable; chunk: number; rows: SmallRow[] }>();
  for (const table of SMALL_TABLES) {
    for (const row of rowsIn(rows, table)) {
      const chunk = getChunk(table, row.n ?? 0);
      const name = chunkName(table, chunk);
      const into = chunks.get(name) ?? { table, chunk, rows: [] };
      into.rows.push(row);
      chunks.set(name, into);
    }
  }
  return [...chunks.values()];
}

export function getTableRows(chunks: readonly Chunk[]): SmallRows {
  const all: Partial<Record<SmallTable, SmallRow[]>> = {};
  for (const { table, rows } of chunks) {
    const into = (all[table] ??= []);
    for (const row of rows) into.push(renameRow(table, row));
  }
  return all as object; // each list holds rows of its table
}

/** The later row of an id replaces the earlier one in its place. */
export function mergeRows(
  table: SmallTable,
  before: readonly SmallRow[],
  later: readonly SmallRow[],
): SmallRow[] {
  const byId = new Map(before.map((row) => [getId(table, row), row]));
  for (const row of later) byId.set(getId(table, row), row);
  return [...byId.values()];
}

export const joinRows = (all: readonly SmallRows[]): SmallRows => {
  const joined: Partial<Record<SmallTable, SmallRow[]>> = {};
  for (const table of SMALL_TABLES) {
    const rows = mergeRows(
      table,
      [],
      all.flatMap((one) => rowsIn(one, table)),
    );
    if (rows.length > 0) joined[table] = rows;
  }
  return joined as object;
};

/** Returns rows that an older build stored under the names of today. */
export function renameRows(rows: SmallRows): SmallRows {
  const all: Partial<Record<SmallTable, SmallRow[]>> = {};
  for (const table of SMALL_TABLES)
    if (rows[table]) all[table] = rowsIn(rows, table).map((row) => renameRow(table, row));
  return all as object; // each list holds rows of its table
}

const rowsIn = (rows: SmallRows, table: SmallTable): readonly SmallRow[] => rows[table] ?? [];
