/** One page as a system gave it. `total` null: it does not say. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
}

export interface Walk<T> {
  readonly page: (offset: number) => Promise<Page<T>>;
  readonly uid: (row: T) => string;
  /** Rows that this walk has not met yet, and where it would go on after them. */
  readonly take: (rows: readonly T[], next: number) => Promise<void>;
}

/**
 * Whether every row there is was met: rows move between pages when the list changes while it is
 * read.
 */
export interface Walked {
  readonly seen: number;
  readonly total: number;
  readonly whole: boolean;
}

/** Rounds more, where rows were missed. */
const MORE = 2;
/** No list is longer. */
const MOST_ROWS = 1_000_000;

/**
 * All pages of a list. One that goes on where another was cut off reads what is behind that first,
 * and then what is before it: what is read is taken at once, and all of it is met in the end. Each
 * row is taken once.
 */
export async function walk<T>({ page, uid, take }: Walk<T>, from = 0): Promise<Walked> {
  const seen = new Set<string>();
  let total: number | null = null;
  let end = MOST_ROWS;

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
      end = said ?? MOST_ROWS;
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
