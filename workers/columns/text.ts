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

/** Entries that held a key, to begin with when the next key is a longer one. */
interface Found { readonly key: string; readonly entries: Uint32Array }

/** Sets `marks[owners[i]]` to `mark` for every entry i that contains the key. Where the last key is within this one, only what it found is searched. */
function markHits({ text, ends }: Joined, key: string, owners: Uint32Array, marks: Uint8Array, mark: number, last: Found | null): Found {
  const hits: number[] = [];
  const hit = (entry: number): void => {
    marks[owners[entry] ?? 0] = mark;
    hits.push(entry);
  };
  if (last !== null && key.includes(last.key) && last.entries.length * FEW < ends.length) {
    for (const entry of last.entries) {
      if (text.slice(entry === 0 ? 0 : ends[entry - 1], ends[entry]).includes(key)) hit(entry);
    }
    return { key, entries: Uint32Array.from(hits) };
  }
  let entry = 0;
  for (let at = text.indexOf(key); at !== -1;) {
    let end = ends[entry] ?? 0;
    while (end <= at) end = ends[++entry] ?? Infinity;
    if (at + key.length <= end) {
      hit(entry);
      at = text.indexOf(key, end);
    } else at = text.indexOf(key, at + 1);
  }
  return { key, entries: Uint32Array.from(hits) };
}
/** One look into an entry costs as much as running over a few. */
const FEW = 4;

/** Names by number, searched joined; those that changed since are searched one by one until there are too many of them. */
export class Names {
  private readonly entries = new Map<number, string>();
  private readonly loose = new Map<number, string>();
  private joined: Joined = { text: '', ends: new Uint32Array() };
  private owners = new Uint32Array();
  private last: Found | null = null;

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
    this.last = markHits(this.joined, key, this.owners, marks, hit, this.last);
    for (const [n, entry] of this.loose) marks[n] = entry.includes(key) ? hit : miss;
  }

  clear(): void {
    this.entries.clear();
    this.joinAll();
  }

  private joinAll(): void {
    this.loose.clear();
    this.last = null;
    this.owners = Uint32Array.from(this.entries.keys());
    this.joined = join([...this.entries.values()]);
  }
}
const MOST_LOOSE = 256;

/** The messages of a piece, lower-cased when they are first searched. */
export function markMessages(segment: Segment, key: string, marks: Uint8Array, hit: number, miss: number): void {
  let searched = messages.get(segment);
  if (!searched) messages.set(segment, (searched = { joined: lowered(segment), last: null }));
  if (key.includes(FIELD)) return;
  searched.last = markHits(searched.joined, key, segment.cols.textRow, marks, hit, searched.last);
  for (const [row, told] of segment.told) marks[row] = told !== null && told.toLowerCase().includes(key) ? hit : miss;
}

const messages = new WeakMap<Segment, { readonly joined: Joined; last: Found | null }>();
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
