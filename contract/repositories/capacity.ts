import type { Bytes, Ms } from '../ids.ts';
import type { RepositoryRow } from '../runs/rows.ts';
import { DAY_MS } from '../time/durations.ts';

/** Minimum number of days from which a trend is derived. */
const MIN_DAYS = 7;
/** The limit of a forecast. */
export const FULL_WITHIN: Ms = 730 * DAY_MS;

/**
 * Returns when a repository will be full if it keeps growing at its current rate (REPO-1). Returns
 * null if it doesn't grow, if too little is known, or if that is more than two years ahead. The
 * rate is the median growth between every two days (Theil–Sen), which tolerates arbitrary values on
 * up to a quarter of the days. The forecast starts at the last known usage. A repository that is
 * already full counts as full since its last sample.
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
  if (last === undefined || capacity === null || capacity <= 0 || known.length < MIN_DAYS)
    return null;
  const growth = getGrowth(known);
  if (growth <= 0) return null;
  const since = Math.min(sampledAt, last.at + DAY_MS);
  const left = (Math.max(0, capacity - last.used) / growth) * DAY_MS;
  return left > FULL_WITHIN ? null : Math.ceil(since + left);
}

/** Returns the growth in bytes per day. */
function getGrowth(days: readonly { readonly at: Ms; readonly used: Bytes }[]): number {
  const slopes = new Float64Array((days.length * (days.length - 1)) / 2);
  let count = 0;
  for (const later of days) {
    for (const earlier of days) {
      if (earlier === later) break;
      slopes[count++] = (later.used - earlier.used) / ((later.at - earlier.at) / DAY_MS);
    }
  }
  const half = slopes.length >> 1;
  const upper = getNth(slopes, half);
  return slopes.length % 2 === 1
    ? upper
    : (slopes.subarray(0, half).reduce((max, one) => Math.max(max, one), -Infinity) + upper) / 2;
}

/**
 * Quickselect: returns the value at index `n` of the sorted array. It reorders `values`, and takes
 * a tenth of the time of sorting them.
 */
function getNth(values: Float64Array, n: number): number {
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
