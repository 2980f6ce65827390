/** Returns the next number in [0, 1). */
export type Rng = () => number;

/** Returns a 32-bit hash of the parts, the same on every machine. */
export function mixed(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    if (typeof part === 'number')
      hash = stirred(stirred(hash, part | 0), Math.floor(part / 0x1_0000_0000) | 0);
    else for (let i = 0; i < part.length; i += 1) hash = stirred(hash, part.charCodeAt(i));
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const stirred = (hash: number, value: number): number => {
  const next = Math.imul(hash ^ value, 0x01000193);
  return Math.imul(next ^ (next >>> 15), 0x2c1b3c6d);
};

/** Returns a generator seeded by the parts (mulberry32). */
export function makeRng(...parts: readonly (number | string)[]): Rng {
  let state = mixed(...parts);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let one = Math.imul(state ^ (state >>> 15), state | 1);
    one ^= one + Math.imul(one ^ (one >>> 7), one | 61);
    return ((one ^ (one >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

export const pickOne = <T>(list: readonly [T, ...T[]], random: Rng): T =>
  list[Math.floor(random() * list.length)] ?? list[0];
export const between = (random: Rng, low: number, high: number): number =>
  low + random() * (high - low);
export const upTo = (random: Rng, max: number): number => Math.floor(random() * max);

/** Returns a random item, weighted. */
export function weighed<T extends { readonly weight: number }>(
  list: readonly [T, ...T[]],
  random: Rng,
): T {
  let left = random() * list.reduce((sum, one) => sum + one.weight, 0);
  return list.find((one) => (left -= one.weight) < 0) ?? list[0];
}

/** Returns a UUID derived from the parts (version 8: custom). */
export function getUuid(...parts: readonly (number | string)[]): string {
  const hex = [1, 2, 3, 4]
    .map((i) =>
      mixed(i, ...parts)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
  const variant = (8 + (mixed(5, ...parts) & 3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Splits `total` into integers in proportion to the weights, each at least `least`. */
export function shared(total: number, weights: readonly number[], min: number): number[] {
  const sum = weights.reduce((all, one) => all + one, 0);
  const free = total - min * weights.length;
  const exact = weights.map((weight) => (free * weight) / sum);
  const parts = exact.map(Math.floor);
  let left = free - parts.reduce((all, one) => all + one, 0);
  for (const [index] of exact
    .map((one, at) => [at, one - Math.floor(one)] as const)
    .sort((a, b) => b[1] - a[1])) {
    if (left-- <= 0) break;
    parts[index] = (parts[index] ?? 0) + 1;
  }
  return parts.map((part) => part + min);
}
