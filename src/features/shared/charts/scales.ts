import { formatCount } from '#src/ui/format.ts';
import type { Column } from './day-columns.ts';
import { badOf, goodOf } from './day-columns.ts';

/**
 * Measures of the chart in px: the left margin holds the labels, the upper storey the good runs,
 * the lower what went wrong.
 */
export const CHART = { left: 32, upper: 34, gap: 24, lower: 186, under: 20 } as const;
export const CHART_TALL = CHART.upper + CHART.gap + CHART.lower + CHART.under;

/**
 * The top of a scale that begins at 0: the least of 4, 8, 12, 20, 40, 60, 80, 100 and those times
 * ten that holds the most, so that its four steps are whole.
 */
export const topOf = (most: number): number => least(most, STEPS);

/** The top of a scale without steps: a round number that the most nearly reaches. */
export const roomFor = (most: number): number => least(most, ROUND);

function least(most: number, steps: readonly number[]): number {
  for (let unit = 1; ; unit *= 10) {
    const top = steps.map((step) => step * unit).find((one) => one >= most);
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

/**
 * One column as it is drawn, in px from the chart's upper left corner. Null: nothing of the kind.
 */
export interface DrawnColumn {
  readonly good: Box | null;
  readonly failed: Box | null;
  readonly missed: Box | null;
  readonly warning: Box | null;
}

export interface Drawn {
  readonly columns: readonly DrawnColumn[];
  /** Lines and labels of the lower storey, and the label of the upper. */
  readonly lines: readonly { readonly y: number; readonly label: string }[];
  readonly upperLabel: string;
  /** From one column to the next. */
  readonly step: number;
}

/**
 * Failed stands on the axis, then what did not run, then warnings; whatever there is one of can be
 * seen.
 */
export function draw(columns: readonly Column[], width: number): Drawn {
  const step = Math.max(1, (width - CHART.left) / Math.max(1, columns.length));
  const bar = Math.max(1, step * 0.72);
  const inset = (step - bar) / 2;
  const upperTop = roomFor(Math.max(0, ...columns.map(goodOf)));
  const lowerTop = topOf(Math.max(0, ...columns.map(badOf)));
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
      const good = goodOf(column);
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

/**
 * Which columns have their day under them: the last, and back from it as many apart as there is
 * room for.
 */
export function labelled(count: number, step: number): readonly number[] {
  const apart = [1, 2, 7, 14, 28].find((days) => days * step >= 60) ?? 56;
  const at: number[] = [];
  for (let i = count - 1; i >= 0; i -= apart) at.push(i);
  return at.toReversed();
}

/** The column at a place of the chart; the nearest where it is beside them all. */
export const columnAt = (x: number, step: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x - CHART.left) / step)));
