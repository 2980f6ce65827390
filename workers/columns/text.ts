import type { Segment } from './segment.ts';

/**
 * Text is searched in strings, not in rows: all entries stand one after the other in one lower-cased string, and `ends` says where each
 * ends. A hit across the border of two entries is none.
 */
export interface Joined { readonly text: string; readonly ends: Uint32Array }

/** Stands between the two fields of an entry. A key that holds it finds nothing. */
export const FIELD = '\0';

/** What is typed, as it is searched for; null for no search at all. */
export function keyOf(text: string): string | null {
  const key = text.trim().toLowerCase();
  return key === '' ? null : key;
}

export function join(entries: readonly string[]): Joined {
  const ends = new Uint32Array(entries.length);
  let end = 0;
  const lower = entries.map((entry, i) => {
    const text = entry.toLowerCase();
    ends[i] = (end += text.length);
    return text;
  });
  return { text: lower.join(''), ends };
}

/** Sets `marks[owners[i]]` to `mark` for every entry i that contains the key. */
export function markHits({ text, ends }: Joined, key: string, owners: Uint32Array, marks: Uint8Array, mark: number): void {
  let entry = 0;
  for (let at = text.indexOf(key); at !== -1;) {
    let end = ends[entry] ?? 0;
    while (end <= at) end = ends[++entry] ?? Infinity;
    if (at + key.length <= end) {
      marks[owners[entry] ?? 0] = mark;
      at = text.indexOf(key, end);
    } else at = text.indexOf(key, at + 1);
  }
}

/** Names by number, searched joined; those that changed since are searched one by one until there are too many of them. */
export class Names {
  private readonly entries = new Map<number, string>();
  private readonly loose = new Map<number, string>();
  private joined: Joined = { text: '', ends: new Uint32Array() };
  private owners = new Uint32Array();

  set(n: number, entry: string): void {
    if (this.entries.get(n) === entry) return;
    this.entries.set(n, entry);
    this.loose.set(n, entry.toLowerCase());
  }

  /** `marks[n]` is `hit` for those that contain the key, `miss` for all others. */
  mark(key: string, marks: Uint8Array, hit: number, miss: number): void {
    if (this.loose.size > MOST_LOOSE) this.joinAll();
    marks.fill(miss);
    if (key.includes(FIELD)) return;
    markHits(this.joined, key, this.owners, marks, hit);
    for (const [n, entry] of this.loose) marks[n] = entry.includes(key) ? hit : miss;
  }

  clear(): void {
    this.entries.clear();
    this.joinAll();
  }

  private joinAll(): void {
    this.loose.clear();
    this.owners = Uint32Array.from(this.entries.keys());
    this.joined = join([...this.entries.values()]);
  }
}
const MOST_LOOSE = 256;

/** The messages of a piece, lower-cased when they are first searched. */
export function markMessages(segment: Segment, key: string, marks: Uint8Array, hit: number, miss: number): void {
  let joined = messages.get(segment);
  if (!joined) messages.set(segment, (joined = lowered(segment)));
  if (key.includes(FIELD)) return;
  markHits(joined, key, segment.cols.textRow, marks, hit);
  for (const [row, told] of segment.told) marks[row] = told !== null && told.toLowerCase().includes(key) ? hit : miss;
}

const messages = new WeakMap<Segment, Joined>();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function lowered({ cols: { text, textEnd } }: Segment): Joined {
  const whole = decoder.decode(text);
  // Only ASCII: a character is a byte, before and after.
  if (whole.length === text.length) return { text: whole.toLowerCase(), ends: textEnd };
  const entries: string[] = [];
  let byte = 0, from = 0, at = 0;
  for (const end of textEnd) {
    for (; byte < end; byte++) {
      const one = text[byte] ?? 0;
      if ((one & 0xc0) !== 0x80) at += one >= 0xf0 ? 2 : 1; // UTF-16: two units beyond the first plane
    }
    entries.push(whole.slice(from, at));
    from = at;
  }
  return join(entries);
}
