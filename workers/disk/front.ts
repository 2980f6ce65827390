import type { DayStarts, SmallRows, WantedRows } from '../seams.ts';
import { LATER_TABLES, rowsOf } from './books.ts';
import { openJson } from './cipher.ts';
import type { MetaRecord } from './database.ts';
import type { Ground } from './ground.ts';
import type { Manifest } from './manifest.ts';
import { unpack, type Packed } from './packing.ts';

/**
 * Copies of what the first rows need of the books, in one record: the problems of the newest two days, their jobs, and where the days
 * about begin. Idle work makes it; it counts for the state of the books that it was made from. What it lacks is read from the books.
 */
export interface Front {
  readonly load: string;
  readonly folds: number;
  readonly problem: Packed;
  readonly job: Packed;
  readonly days: DayStarts;
}

/** The first view reaches so far back from the newest run. */
export const FRONT_SEC = 2 * 86_400;

/** Null where there is none, or it is of other books, or cannot be read: then the books are asked. */
export async function openFront(ground: Ground, record: MetaRecord | undefined, { load, folds }: Manifest): Promise<Front | null> {
  if (record?.name !== 'front') return null;
  const front = await openJson<Front>(ground.cipher, 'meta', 'front', record.sealed).catch(() => null);
  return front?.load === load && front.folds === folds ? front : null;
}

/** Of the wanted rows those that stand in it, and which do not. */
export function rowsInFront(front: Front, wanted: WantedRows): { readonly rows: SmallRows; readonly left: WantedRows } {
  const found = LATER_TABLES.map((table) => {
    const ns = new Set(wanted[table] ?? []), rows = ns.size === 0 ? [] : unpack(front[table], ns);
    for (const { n } of rows) ns.delete(n ?? 0);
    return { table, chunk: 0, rows, left: ns };
  });
  return { rows: rowsOf(found), left: Object.fromEntries(found.map(({ table, left }) => [table, left])) };
}
