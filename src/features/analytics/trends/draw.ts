import { CHART, shortCount, roundUpScale } from '../../shared/charts/scales.ts';
import type { Box } from '../../shared/charts/scales.ts';
import type { Bucket } from './buckets.ts';

/** Chart sizes in px. The day labels are below the axis. */
export const TALL = 224;
export const FLOOR = TALL - CHART.under;
const ROOM = FLOOR - 12;

interface DrawnBucket {
  readonly failed: Box | null;
  readonly warning: Box | null;
  /** Position of the previous period's marker. */
  readonly before: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
  } | null;
}
export interface Drawn {
  readonly buckets: readonly DrawnBucket[];
  readonly lines: readonly { readonly y: number; readonly label: string }[];
  readonly step: number;
}

/**
 * Returns the chart's geometry. Warnings are stacked on failures; a horizontal line marks the
 * previous period.
 */
export function draw(buckets: readonly Bucket[], width: number): Drawn {
  const step = Math.max(1, (width - CHART.left) / Math.max(1, buckets.length));
  const bar = Math.min(56, Math.max(1, step * 0.66));
  const inset = (step - bar) / 2;
  const top = roundUpScale(
    Math.max(
      0,
      ...buckets.flatMap(({ failures, warnings, before }) => [
        failures + warnings,
        before === null ? 0 : before.failures + before.warnings,
      ]),
    ),
  );
  return {
    step,
    lines: [1, 2, 3, 4].map((n) => ({
      y: FLOOR - (ROOM * n) / 4,
      label: shortCount((top * n) / 4),
    })),
    buckets: buckets.map(({ failures, warnings, before }, i) => {
      const x = CHART.left + i * step + inset;
      let y = FLOOR;
      const stand = (count: number): Box | null => {
        if (count === 0) return null;
        const height = Math.max(2, (ROOM * count) / top);
        y -= height;
        return { x, y, width: bar, height };
      };
      const failed = stand(failures);
      const warning = stand(warnings);
      return {
        failed,
        warning,
        before: before && {
          x: x - Math.min(4, inset),
          y: FLOOR - (ROOM * (before.failures + before.warnings)) / top,
          width: bar + 2 * Math.min(4, inset),
        },
      };
    }),
  };
}
