/** No value: rows without one come last. */
export const UNKNOWN = 0xffff_ffff;

/**
 * Returns the sort key of a name: natural order, without case and accents, numbers by value. A run
 * of digits begins with its length, so that the texts compare as the numbers do: lengths of nine
 * and more are a 9 per nine, then the rest.
 */
export function nameKey(name: string): string {
  const lower = name.toLowerCase();
  const plain = ASCII.test(lower)
    ? lower
    : lower.normalize('NFD').replaceAll(MARKS, '').replaceAll('ß', 'ss');
  return plain.replaceAll(
    DIGITS,
    (_, digits: string) =>
      '9'.repeat(Math.floor(digits.length / 9)) + String(digits.length % 9) + digits,
  );
}
const ASCII = /^[\0-\x7f]*$/;
const MARKS = /\p{M}/gu;
const DIGITS = /0*(\d+)/g;

/** Names by number, and the sort position of each; equal names have the same position. */
export class Ranks {
  private readonly names: string[] = [];
  private readonly keys = new Map<string, string>();
  private sorted: readonly string[] = [];
  private places = new Uint32Array();
  private known = true;

  set(n: number, name: string): void {
    if (this.names[n] === name) return;
    this.names[n] = name;
    this.known = false;
  }

  at(n: number): string {
    return this.names[n] ?? '';
  }

  /**
   * Returns positions by number, at least up to `max`; UNKNOWN for a missing or empty name.
   * Recalculated when names have changed.
   */
  to(max: number): Uint32Array {
    if (this.known && max < this.places.length) return this.places;
    const place = this.placesByName();
    this.places = new Uint32Array(Math.max(max + 1, this.names.length)).fill(UNKNOWN);
    this.names.forEach((name, n) => {
      if (name !== '') this.places[n] = place.get(name) ?? UNKNOWN;
    });
    this.known = true;
    return this.places;
  }

  clear(): void {
    this.names.length = 0;
    this.known = false;
  }

  /** Reuses the previous order, so that adding new names is fast. */
  private placesByName(): Map<string, number> {
    const all = new Set<string>();
    this.names.forEach((name) => {
      if (name !== '') all.add(name);
    });
    const before = this.sorted.filter((name) => all.has(name));
    const had = new Set(before);
    this.sorted = sortedNames([...before, ...[...all].filter((name) => !had.has(name))], this.keys);
    if (this.keys.size > 2 * all.size + MAX_LOST) this.keys.clear();
    return new Map(this.sorted.map((name, place) => [name, place]));
  }
}
const MAX_LOST = 1_000;

/** Names that differ only in case or accents are ordered by their characters. */
export function sortedNames(names: readonly string[], keys = new Map<string, string>()): string[] {
  const keyed = names.map((name) => {
    let key = keys.get(name);
    if (key === undefined) keys.set(name, (key = nameKey(name)));
    return { key, name };
  });
  return keyed
    .sort((a, b) =>
      a.key < b.key ? -1 : a.key > b.key ? 1 : a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
    )
    .map(({ name }) => name);
}
