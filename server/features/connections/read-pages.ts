/** One page as the system returned it. `total` is null if the system does not report it. */
export interface SourcePage<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
}

export interface Walk<T> {
  readonly page: (offset: number) => Promise<SourcePage<T>>;
  readonly uid: (row: T) => string;
  /** Receives the rows that this read has not seen yet, and the offset to continue from. */
  readonly take: (rows: readonly T[], next: number) => Promise<void>;
}

/**
 * `whole` says whether every row was seen: rows move between pages if the list changes during the
 * read.
 */
export interface Walked {
  readonly seen: number;
  readonly total: number;
  readonly whole: boolean;
}

/** Additional passes if rows were missed. */
const MORE = 2;
/** The maximum length of a list. */
const MAX_ROWS = 1_000_000;

/**
 * Reads all pages of a list and passes each row to `take` once. A read that continues an
 * interrupted one starts at its offset, and then reads the pages before it. Rows are taken page by
 * page.
 */
export async function walk<T>({ page, uid, take }: Walk<T>, from = 0): Promise<Walked> {
  const seen = new Set<string>();
  let total: number | null = null;
  let end = MAX_ROWS;

  async function span(first: number, until: number): Promise<void> {
    for (let offset = first; offset < Math.min(until, end);) {
      const { rows, total: said } = await page(offset);
      total = said;
      const fresh = rows.filter((row) => {
        const name = uid(row);
        if (seen.has(name)) return false;
        seen.add(name);
        return true;
      });
      offset += rows.length;
      end = said ?? MAX_ROWS;
      await take(fresh, offset);
      if (rows.length === 0) return;
    }
  }

  await span(from, Infinity);
  if (from > 0) await span(0, from);
  for (let more = 0; more < MORE && total !== null && seen.size < total; more += 1)
    await span(0, Infinity);
  const all: number = total ?? seen.size;
  return { seen: seen.size, total: all, whole: seen.size >= all };
}
