/**
 * A small multiple: one measure over the last runs, oldest first, on a scale from zero. Lengths in
 * px.
 */
export interface DrawnColumns {
  readonly band: { readonly y: number; readonly height: number } | null;
  /** The value at the top of the scale. */
  readonly top: number;
  readonly crosses: string;
  /** Point of each run. Runs without a value are on the baseline. */
  readonly at: readonly { readonly x: number; readonly y: number }[];
}
export interface ChartPoint {
  readonly value: number | null;
  readonly failed: boolean;
}

/** Px between an end of the line and the edge. */
export const PAD = 3;
const ARM = 2.5;

/** Returns the geometry. */
export function drawMultiple(
  points: readonly ChartPoint[],
  usual: readonly [low: number, high: number] | null,
  width: number,
  height: number,
): DrawnColumns {
  const top = Math.max(1, usual?.[1] ?? 0, ...points.map(({ value }) => value ?? 0)) * 1.08;
  const y = (value: number): number => round((height - 1) * (1 - value / top));
  const at = points.map(({ value }, i) => ({
    x: round(PAD + i * getStepWidth(points.length, width)),
    y: y(value ?? 0),
  }));
  let crosses = '';
  points.forEach(({ value, failed }, i) => {
    const { x = 0, y: to = 0 } = at[i] ?? {};
    if (failed) crosses += cross(x, value === null ? to - ARM : Math.min(to, height - 1 - ARM));
  });
  return {
    band: usual && { y: y(usual[1]), height: Math.max(1, round(y(usual[0]) - y(usual[1]))) },
    top,
    crosses,
    at,
  };
}

/**
 * Returns the index of the run nearest to a position; `share`: fraction of the width from the left.
 */
export function getNearestColumn(count: number, share: number, width: number): number {
  const step = getStepWidth(count, width);
  return step === 0
    ? 0
    : Math.min(count - 1, Math.max(0, Math.round((share * width - PAD) / step)));
}

/** Returns the index that a key moves to; null for keys that the chart does not use. */
export function stepColumn(key: string, from: number, count: number): number | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, from - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(count - 1, from + 1);
    case 'PageDown':
      return Math.max(0, from - 7);
    case 'PageUp':
      return Math.min(count - 1, from + 7);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

const getStepWidth = (count: number, width: number): number =>
  count < 2 ? 0 : (width - 2 * PAD) / (count - 1);
const cross = (x: number, y: number): string => `M${round(x - ARM)} ${round(y - ARM)}l5 5m0-5-5 5`;
const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * Returns the lower end of a range without its unit, if the other end is one number with the same
 * unit: `40` of `40 min` to `48 min`, but `37 s` of `37 s` to `1 min 17 s`.
 */
export function omitSharedUnit(low: string, high: string): string {
  const unit = /^\S+( \D+)$/.exec(high)?.[1];
  return unit !== undefined && low.endsWith(unit) && low.indexOf(' ') === low.length - unit.length
    ? low.slice(0, -unit.length)
    : low;
}
