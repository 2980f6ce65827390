import type { WorkerChance } from '#workers/context.ts';

/** Chance from a seed (mulberry32): the same seed, the same story. */
export function makeChance(
  seed: number,
): WorkerChance & { below(n: number): number; pick<T>(list: readonly T[]): T } {
  let state = seed >>> 0;
  let marks = 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number): number => Math.floor(fraction() * n);
  return {
    fraction,
    below,
    // Without a draw: requests change no story.
    mark: () => `${seed >>> 0}-${(marks += 1)}`,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    uuid: () =>
      '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (c) =>
        (Number(c) ^ (below(256) & (15 >> (Number(c) / 4)))).toString(16),
      ),
  };
}
