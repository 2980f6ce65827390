import type { Bytes, Ms } from '../ids.ts';
import type { RepositoryRow } from '../runs/rows.ts';

/** A trend is not told from fewer days. */
const LEAST_DAYS = 7;
const DAY: Ms = 86_400_000;
/** Beyond it nobody knows. */
export const FULL_WITHIN: Ms = 730 * DAY;

/**
 * REPO-1: when a repository is full if it goes on as in its days; null where it does not grow,
 * where too little is known, and beyond two years. The growth is the median of the growth between
 * every two days (Theil–Sen): up to a quarter of the days may be anything at all. It goes on from
 * what was used last. One that is full already is full since it was last looked at.
 */
export function fullAt({
  days,
  capacityBytes,
  sampledAt,
}: Pick<RepositoryRow, 'days' | 'capacityBytes' | 'sampledAt'>): Ms | null {
  const known = days.flatMap(({ day, usedBytes }) =>
    usedBytes === null ? [] : [{ at: Date.parse(day), used: usedBytes }],
  );
  const capacity =
    capacityBytes ?? days.findLast((one) => one.capacityBytes !== null)?.capacityBytes ?? null;
  const last = known.at(-1);
  if (last === undefined || capacity === null || capacity <= 0 || known.length < LEAST_DAYS)
    return null;
  const growth = growthOf(known);
  if (growth <= 0) return null;
  const since = Math.min(sampledAt, last.at + DAY);
  const left = (Math.max(0, capacity - last.used) / growth) * DAY;
  return left > FULL_WITHIN ? null : Math.ceil(since + left);
}

/** Bytes a day. */
function growthOf(days: readonly { readonly at: Ms; readonly used: Bytes }[]): number {
  const slopes = new Float64Array((days.length * (days.length - 1)) / 2);
  let count = 0;
  for (const later of days) {
    for (const earlier of days) {
      if (earlier === later) break;
      slopes[count++] = (later.used - earlier.used) / ((later.at - earlier.at) / DAY);
    }
  }
  const half = slopes.length >> 1;
  const upper = nthOf(slopes, half);
  return slopes.length % 2 === 1
    ? upper
    : (slopes.subarray(0, half).reduce((most, one) => Math.max(most, one), -Infinity) + upper) / 2;
}

/**
 * The value that would stand at `n` if all were in order; those before it are no greater after
 * this. A tenth of the time of putting all in order.
 */
function nthOf(values: Float64Array, n: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] ?? pivot) < pivot) left += 1;
      while ((values[right] ?? pivot) > pivot) right -= 1;
      if (left > right) break;
      const one = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = one;
      left += 1;
      right -= 1;
    }
    if (n <= right) high = right;
    else if (n >= left) low = left;
    else break;
  }
  return values[n] ?? 0;
}
