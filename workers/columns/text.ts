import type { Segment } from './segment.ts';

/**
 * Text is searched in strings, not in rows: all entries are joined in one lower-cased string, and
 * `ends` says where each ends. A match across the border of two entries doesn't count.
 */
export interface Joined {
  readonly text: string;
  readonly ends: Uint32Array;
}

/** Separates the two fields of an entry. A key that contains it matches nothing. */
export const FIELD = '\0';

/** Returns the normalized search text; null for no search. */
export function getKey(text: string): string | null {
  const key = text.trim().toLowerCase();
  return key === '' ? null : key;
}

export function join(entries: readonly string[]): Joined {
  const ends = new Uint32Array(entries.length);
  let end = 0;
  const lower = entries.map((entry, i) => {
    const text = entry.toLowerCase();
    ends[i] = end += text.length;
    return text;
  });
  return { text: lower.join(''), ends };
}

/**
 * Entries that contained a key, and the first match in each: where the next search starts if its
 * key extends this one.
 */
interface Found {
  readonly key: string;
  readonly entries: Uint32Array;
  readonly at: Uint32Array;
}

/**
 * Sets `marks[owners[i]]` to `mark` for every entry i that contains the key. If the last key is
 * part of this one, it searches only the last matches. Returns the number of matches and a starting
 * point for the next search, or none if that would not be faster.
 */
function markHits(
  { text, ends }: Joined,
  key: string,
  owners: Uint32Array,
  marks: Uint8Array,
  mark: number,
  last: Found | null,
): { hits: number; found: Found | null } {
  const max = Math.ceil(ends.length / FEW);
  const entries = new Uint32Array(max);
  const places = new Uint32Array(max);
  let hits = 0;
  const hit = (entry: number, at: number): void => {
    marks[owners[entry] ?? 0] = mark;
    if (hits < max) {
      entries[hits] = entry;
      places[hits] = at;
    }
    hits += 1;
  };
  if (last !== null && key.includes(last.key)) {
    const goesOn = key.startsWith(last.key);
    for (let i = 0; i < last.entries.length; i++) {
      const entry = last.entries[i] ?? 0;
      const at = firstIn(
        text,
        key,
        goesOn ? (last.at[i] ?? 0) : entry === 0 ? 0 : (ends[entry - 1] ?? 0),
        ends[entry] ?? 0,
      );
      if (at !== -1) hit(entry, at);
    }
  } else {
    let entry = 0;
    for (let at = text.indexOf(key); at !== -1;) {
      let end = ends[entry] ?? 0;
      while (end <= at) end = ends[++entry] ?? Infinity;
      if (at + key.length <= end) {
        hit(entry, at);
        at = text.indexOf(key, end);
      } else at = text.indexOf(key, at + 1);
    }
  }
  return {
    hits,
    found: hits > max ? null : { key, entries: entries.slice(0, hits), at: places.slice(0, hits) },
  };
}
/** Searching one entry separately costs as much as running over a few. */
const FEW = 4;

/**
 * Returns where a key first occurs in [from, end) of a text, or -1: faster than a call of `indexOf`
 * for a few dozen characters.
 */
function firstIn(text: string, key: string, from: number, end: number): number {
  const first = key.charCodeAt(0);
  const last = end - key.length;
  for (let at = from; at <= last; at++) {
    if (text.charCodeAt(at) !== first) continue;
    let same = 1;
    while (same < key.length && text.charCodeAt(at + same) === key.charCodeAt(same)) same += 1;
    if (same === key.length) return at;
  }
  return -1;
}

/**
 * Names by number, searched joined. Changed names are searched one by one until there are too many
 * of them.
 */
export class Names {
  private readonly entries = new Map<number, string>();
  private readonly loose = new Set<number>();
  private joined: Joined = { text: '', ends: new Uint32Array() };
  private owners = new Uint32Array();
  private last: Found | null = null;

  set(n: number, entry: string): void {
    if (this.entries.get(n) === entry) return;
    this.entries.set(n, entry);
    if (this.loose.size <= MAX_LOOSE) this.loose.add(n); // with more, all are joined again
  }

  /**
   * Sets `marks[n]` to `hit` for names that contain the key, `miss` for all others. Returns false
   * if none does.
   */
  mark(key: string, marks: Uint8Array, hit: number, miss: number): boolean {
    if (this.loose.size > MAX_LOOSE) this.joinAll();
    marks.fill(miss);
    if (key.includes(FIELD)) return false;
    const { hits, found } = markHits(this.joined, key, this.owners, marks, hit, this.last);
    this.last = found;
    let any = hits > 0;
    for (const n of this.loose) {
      const holds = this.entries.get(n)?.toLowerCase().includes(key) === true;
      marks[n] = holds ? hit : miss;
      any ||= holds;
    }
    return any;
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
const MAX_LOOSE = 256;

/**
 * Sets `marks[row]` to `hit` for rows whose message contains the key. Messages of a segment are
 * lower-cased on the first search.
 */
export function markMessages(segment: Segment, key: string, marks: Uint8Array, hit: number): void {
  let searched = messages.get(segment);
  if (!searched) messages.set(segment, (searched = { joined: lowered(segment), last: null }));
  if (key.includes(FIELD)) return;
  const changedRows = [...segment.changedMessages.keys()];
  const before = changedRows.map((row) => marks[row] ?? 0);
  searched.last = markHits(
    searched.joined,
    key,
    segment.cols.textRow,
    marks,
    hit,
    searched.last,
  ).found;
  changedRows.forEach((row, i) => {
    // their values in the columns are outdated
    marks[row] =
      segment.changedMessages.get(row)?.toLowerCase().includes(key) === true
        ? hit
        : (before[i] ?? 0);
  });
}

const messages = new WeakMap<Segment, { readonly joined: Joined; last: Found | null }>();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function lowered({ cols: { text, textEnd } }: Segment): Joined {
  const whole = decoder.decode(text);
  // Only ASCII: a character is a byte, before and after.
  if (whole.length === text.length) return { text: whole.toLowerCase(), ends: textEnd };
  const entries: string[] = [];
  let byte = 0;
  let from = 0;
  let at = 0;
  for (const end of textEnd) {
    for (; byte < end; byte++) {
      const one = text[byte] ?? 0;
      // UTF-16: two units beyond the first plane
      if ((one & 0xc0) !== 0x80) at += one >= 0xf0 ? 2 : 1;
    }
    entries.push(whole.slice(from, at));
    from = at;
  }
  return join(entries);
}
