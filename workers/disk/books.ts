import type { SmallRows, SmallTable } from '../seams.ts';

/** Rows of the small tables lie in chunks of 1,024 numbers, so that a change rewrites one chunk and not a table. Keys have no numbers: one chunk. */
export interface Chunk { readonly table: SmallTable; readonly chunk: number; readonly rows: readonly SmallRow[] }
/** A row of any small table, as far as a chunk knows it. */
export interface SmallRow { readonly n?: number; readonly id?: string }

export const SMALL_TABLES = ['company', 'job', 'cause', 'problem', 'key'] as const satisfies readonly SmallTable[];
const CHUNK_ROWS = 1024;

export const chunkName = (table: string, chunk: number): string => `${table}/${chunk}`;
export const idOf = (table: SmallTable, row: SmallRow): number | string => (table === 'key' ? (row.id ?? '') : (row.n ?? 0));

export function chunksOf(rows: SmallRows): Chunk[] {
  const chunks = new Map<string, { table: SmallTable; chunk: number; rows: SmallRow[] }>();
  for (const table of SMALL_TABLES) {
    for (const row of rowsIn(rows, table)) {
      const chunk = table === 'key' ? 0 : Math.floor((row.n ?? 0) / CHUNK_ROWS), name = chunkName(table, chunk);
      const into = chunks.get(name) ?? { table, chunk, rows: [] };
      into.rows.push(row);
      chunks.set(name, into);
    }
  }
  return [...chunks.values()];
}

export function rowsOf(chunks: readonly Chunk[]): SmallRows {
  const all: Partial<Record<SmallTable, SmallRow[]>> = {};
  for (const { table, rows } of chunks) {
    const into = (all[table] ??= []);
    for (const row of rows) into.push(row);
  }
  return all as object; // each list holds rows of its table
}

/** The later row of an id wins and takes the earlier one's place. */
export function mergeRows(table: SmallTable, before: readonly SmallRow[], later: readonly SmallRow[]): SmallRow[] {
  const byId = new Map(before.map((row) => [idOf(table, row), row]));
  for (const row of later) byId.set(idOf(table, row), row);
  return [...byId.values()];
}

export const joinRows = (all: readonly SmallRows[]): SmallRows => {
  const joined: Partial<Record<SmallTable, SmallRow[]>> = {};
  for (const table of SMALL_TABLES) {
    const rows = mergeRows(table, [], all.flatMap((one) => rowsIn(one, table)));
    if (rows.length > 0) joined[table] = rows;
  }
  return joined as object;
};

/** A chunk as it is sealed: field names once, then each row's values. Half the bytes of plain rows, and opening is bound by bytes. */
export type Packed = { readonly fields: readonly string[]; readonly values: readonly (readonly unknown[])[] } | readonly SmallRow[];

/** Rows whose fields differ, or that hold an `undefined`, stay as they are. */
export function pack(rows: readonly SmallRow[]): Packed {
  const fields = Object.keys(rows[0] ?? {}), names = fields.join();
  const alike = rows.every((row) => Object.keys(row).join() === names && !Object.values(row).includes(undefined));
  return alike ? { fields, values: rows.map((row) => Object.values(row)) } : rows;
}

export function unpack(packed: Packed): readonly SmallRow[] {
  if (!('fields' in packed)) return packed;
  const { fields, values } = packed;
  return values.map((row) => {
    const one: Record<string, unknown> = {};
    for (let i = 0; i < fields.length; i++) one[fields[i] ?? ''] = row[i];
    return one;
  });
}

const rowsIn = (rows: SmallRows, table: SmallTable): readonly SmallRow[] => rows[table] ?? [];
