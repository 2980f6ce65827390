import { formatCount } from '../format.ts';

/** CSS pixels beside a chart's columns: labels of the scale at the left, names below the axis. */
export const LEFT = 32;
export const UNDER = 20;
/** The chart library's margin above the scale, in CSS pixels. */
export const EDGE = 5;
/** The chart library's margin around a line without axes, in CSS pixels. */
export const SPARK_EDGE = 1;

/**
 * Returns the top of a scale that starts at 0: the smallest of 4, 8, 12, 20, 40, 60, 80, 100 and
 * their multiples by powers of ten that covers `max`, so that its four steps are integers.
 */
export const roundUpScale = (max: number): number => min(max, STEPS);

/** Returns the top of a scale without steps: the next round number that covers `most`. */
export const roomFor = (max: number): number => min(max, ROUND);

function min(max: number, steps: readonly number[]): number {
  for (let unit = 1; ; unit *= 10) {
    const top = steps.map((step) => step * unit).find((one) => one >= max);
    if (top !== undefined) return top;
  }
}
const STEPS = [4, 8, 12, 20, 40, 60, 80, 100] as const;
const ROUND = [4, 6, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100] as const;

/** `100`, `2k`, `1.2M`: the labels of an axis. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 1_000_000 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${formatCount(Math.round(value * 10) / 10)}${unit}`;
}

/**
 * Returns the values that a stacked column is drawn with, in the order given: as they are, except
 * that each above zero is at least `MIN_PX` high. The others give way, so that the column stays below
 * the top if its values do. `height`: of the whole scale, in CSS pixels.
 */
export function getDrawnValues(
  values: readonly number[],
  top: number,
  height: number,
): readonly number[] {
  const minValue = (MIN_PX * top) / height;
  const drawn = values.map((value) => (value <= 0 ? 0 : Math.max(minValue, value)));
  const over = sum(drawn) - Math.max(top, sum(values));
  if (over <= 0) return drawn;
  const largest = drawn.indexOf(Math.max(...drawn));
  return drawn.map((value, i) => (i === largest ? value - over : value));
}
const MIN_PX = 2;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Returns the distance between two columns, in CSS pixels. `width`: of the whole chart. */
export const getStep = (width: number, count: number, left: number = LEFT): number =>
  Math.max(1, (width - left) / Math.max(1, count));

/** Returns the columns with a day label: the last one, and earlier ones at a distance that fits. */
export function labelled(count: number, step: number): readonly number[] {
  const apart = [1, 2, 7, 14, 28].find((days) => days * step >= 60) ?? 56;
  const at: number[] = [];
  for (let i = count - 1; i >= 0; i -= apart) at.push(i);
  return at.toReversed();
}

/** Returns the column at a position, or the nearest one. */
export const columnAt = (x: number, step: number, count: number, left: number = LEFT): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x - left) / step)));
