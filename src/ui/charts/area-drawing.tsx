import { AreaChart } from '@tremor/react';
import { EDGE, UNDER } from './scales.ts';
import './charts.css';

/** `trace`: a line above a filled area; `limit`: a dashed line. */
export type AreaMark = 'trace' | 'limit';

export interface AreasProps {
  readonly marks: readonly AreaMark[];
  /** For each place from left to right, a name and the values of the marks; null: not known. */
  readonly places: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
  }[];
  /** The value at the top of the scale. */
  readonly top: number;
  readonly format: (value: number) => string;
  /** CSS pixels: above the scale, at its left for the labels of the scale, and between two places. */
  readonly y: number;
  readonly left: number;
  readonly step: number;
}

const COLORS: Readonly<Record<AreaMark, string>> = { trace: 'gray', limit: 'slate' };

/** Lines over days. Loads the chart library: import it from `lazy-charts.ts` only. */
export function AreaDrawing({ marks, places, top, format, y, left, step }: AreasProps) {
  return (
    <div className="chart absolute inset-0" style={{ top: y - EDGE }}>
      <AreaChart
        className="size-full"
        data={places.map(({ name, values }) => ({
          name,
          ...Object.fromEntries(marks.map((mark, n) => [mark, values[n] ?? null])),
        }))}
        index="name"
        categories={[...marks]}
        colors={marks.map((mark) => COLORS[mark])}
        minValue={0}
        maxValue={top}
        valueFormatter={(value) => (value === 0 ? '' : format(value))}
        yAxisWidth={left}
        startEndOnly
        connectNulls
        showGradient={false}
        showLegend={false}
        showTooltip={false}
        padding={{ left: step / 2, right: step / 2 }}
        rotateLabelX={NAMES}
      />
    </div>
  );
}
const NAMES = { angle: 0, verticalShift: 0, xAxisHeight: UNDER };
