import { formatCount } from '#src/ui/format.ts';
import type { Column } from './day-columns.ts';
import { countBad, countGood } from './day-columns.ts';

/**
 * Chart sizes in px: left margin for labels, upper part for successes, lower part for all other
 * results.
 */
export const CHART = { left: 32, upper: 34, gap: 24, lower: 186, under: 20 } as const;
export const CHART_TALL = CHART.upper + CHART.gap + CHART.lower + CHART.under;

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

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A rendered column, in px from the chart's top left corner. Null: no value of this kind. */
export interface DrawnColumn {
  readonly good: Box | null;
  readonly failed: Box | null;
  readonly missed: Box | null;
  readonly warning: Box | null;
}

export interface Drawn {
  readonly columns: readonly DrawnColumn[];
  /** Lines and labels of the lower part, and the label of the upper one. */
  readonly lines: readonly { readonly y: number; readonly label: string }[];
  readonly upperLabel: string;
  /** Distance between two columns. */
  readonly step: number;
}

/**
 * Returns the geometry. Failed is at the axis, then missed, then warnings. Counts above zero are
 * always visible.
 */
export function draw(columns: readonly Column[], width: number): Drawn {
  const step = Math.max(1, (width - CHART.left) / Math.max(1, columns.length));
  const bar = Math.max(1, step * 0.72);
  const inset = (step - bar) / 2;
  const upperTop = roomFor(Math.max(0, ...columns.map(countGood)));
  const lowerTop = roundUpScale(Math.max(0, ...columns.map(countBad)));
  const floor = CHART.upper + CHART.gap + CHART.lower;
  return {
    step,
    upperLabel: shortCount(upperTop),
    lines: [1, 2, 3, 4].map((n) => ({
      y: floor - (CHART.lower * n) / 4,
      label: shortCount((lowerTop * n) / 4),
    })),
    columns: columns.map((column, i) => {
      const x = CHART.left + i * step + inset;
      let y = floor;
      const stand = (count: number): Box | null => {
        if (count === 0) return null;
        const height = Math.max(2, (CHART.lower * count) / lowerTop);
        y -= height;
        return { x, y, width: bar, height };
      };
      const good = countGood(column);
      const high = Math.max(1, (CHART.upper * good) / upperTop);
      const failed = stand(column.failed);
      const missed = stand(column.missed);
      const warning = stand(column.warning);
      return {
        good: good === 0 ? null : { x, y: CHART.upper - high, width: bar, height: high },
        failed,
        missed,
        warning,
      };
    }),
  };
}

/** Returns the columns with a day label: the last one, and earlier ones at a distance that fits. */
export function labelled(count: number, step: number): readonly number[] {
  const apart = [1, 2, 7, 14, 28].find((days) => days * step >= 60) ?? 56;
  const at: number[] = [];
  for (let i = count - 1; i >= 0; i -= apart) at.push(i);
  return at.toReversed();
}

/** Returns the column at a position, or the nearest one. */
export const columnAt = (x: number, step: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x - CHART.left) / step)));
