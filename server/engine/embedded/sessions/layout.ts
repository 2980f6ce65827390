import type { Ms } from '#contract/ids.ts';

// How the items of a folder are divided into folders of the repository. Each change rewrites the
// folder that it is in: small ones keep a backup small.

/** At most this many items, and this many folders, are in one folder. */
export const MAX_ENTRIES = 120;

/** A folder of the repository: items, and named folders below. */
export interface LayoutFolder<T> {
  readonly entries: readonly T[];
  readonly folders: ReadonlyMap<string, LayoutFolder<T>>;
}

/**
 * Divides many entries by year, month and day, and then by their number. Depends on the set of
 * entries alone, not on their order or on what was there before.
 */
export function placeByDate<T extends { readonly n: number; readonly at: Ms }>(
  entries: readonly T[],
  max: number = MAX_ENTRIES,
  level = 0,
): LayoutFolder<T> {
  if (entries.length <= max) return { entries, folders: new Map() };
  const datedAt = DATES[level];
  const byDate =
    datedAt === undefined ? null : group(entries, ({ at }) => isoDate(at).slice(0, datedAt));
  if (byDate === null || byDate.size > max) return placeByNumber(entries, max);
  return {
    entries: [],
    folders: mapValues(byDate, (part) => placeByDate(part, max, level + 1)),
  };
}
/** Characters of a date that name a year, a month and a day. */
const DATES = [4, 7, 10];

/** Divides entries by their number alone. */
export function placeByNumber<T extends { readonly n: number }>(
  entries: readonly T[],
  max: number = MAX_ENTRIES,
  divisor = 1,
): LayoutFolder<T> {
  if (entries.length <= max) return { entries, folders: new Map() };
  const parts = group(entries, ({ n }) => String(Math.floor(n / divisor) % PARTS).padStart(2, '0'));
  return {
    entries: [],
    folders: mapValues(parts, (part) => placeByNumber(part, max, divisor * PARTS)),
  };
}
const PARTS = 64;

const isoDate = (at: Ms): string =>
  new Date(Math.min(Math.max(at || 0, FIRST_MS), LAST_MS)).toISOString();
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T00:00:00Z');

function group<T>(entries: readonly T[], getName: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const name = getName(entry);
    const found = groups.get(name);
    if (found === undefined) groups.set(name, [entry]);
    else found.push(entry);
  }
  return groups;
}

const mapValues = <A, B>(map: ReadonlyMap<string, A>, change: (value: A) => B): Map<string, B> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));

/**
 * Returns names that are unique in a folder, also where upper and lower case are the same. All that
 * share a name get their number.
 */
export function nameEntries<T>(
  entries: readonly T[],
  getName: (entry: T) => { readonly name: string; readonly number: string },
): Map<T, string> {
  let names = new Map(entries.map((entry) => [entry, shorten(getName(entry).name)]));
  for (;;) {
    const counts = new Map<string, number>();
    for (const name of names.values()) counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1);
    if (counts.size === entries.length) return names;
    names = new Map(
      [...names].map(([entry, name]) => [
        entry,
        counts.get(fold(name)) === 1 ? name : numbered(name, getName(entry).number),
      ]),
    );
  }
}

const fold = (name: string): string => name.toUpperCase().toLowerCase();

function numbered(name: string, number: string): string {
  const [stem, extension] = splitName(name);
  return `${stem} ~${number}${extension}`;
}

/** restic stores names of at most 255 bytes. */
function shorten(name: string): string {
  const [stem, extension] = splitName(name);
  let short = stem;
  while (Buffer.byteLength(short + extension) > MAX_NAME_BYTES) short = short.slice(0, -8);
  return short.toWellFormed() + extension;
}
const MAX_NAME_BYTES = 160;

function splitName(name: string): readonly [string, string] {
  const at = name.lastIndexOf('.');
  return at > 0 && name.length - at <= 11 ? [name.slice(0, at), name.slice(at)] : [name, ''];
}
