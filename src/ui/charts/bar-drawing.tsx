import { BarChart } from '@tremor/react';
import { useId } from 'react';
import type { CSSProperties } from 'react';
import { EDGE, getDrawnValues, LEFT, shortCount, UNDER } from './scales.ts';
import './charts.css';

/** Fill of a bar's part. `warning`: lines; `missed`: an outline. */
export type BarMark = 'success' | 'failed' | 'missed' | 'warning';

export interface BarsProps {
  /** The parts of each bar, from the axis up. */
  readonly marks: readonly BarMark[];
  /** For each column, the values of its marks. */
  readonly columns: readonly (readonly number[])[];
  /** The value at the top of the scale. */
  readonly top: number;
  /** CSS pixels from the top of the box to the top of the scale, and the scale's height. */
  readonly y: number;
  readonly height: number;
  /** Lines and labels of the scale: four of each, or a label at its top alone. */
  readonly scale: 'steps' | 'top';
  /** Names below the axis, empty for columns without one; null for no names at all. */
  readonly names: readonly string[] | null;
  /** Width of a bar and distance between two, in CSS pixels. */
  readonly bar: number;
  readonly step: number;
}

export interface LevelsProps extends Pick<BarsProps, 'top' | 'y' | 'height' | 'bar' | 'step'> {
  /** A value for each column; null without one. */
  readonly levels: readonly (number | null)[];
}

/** CSS pixels. */
const LEVEL_PX = 2;

/** The library's color names stand for our marks; charts.css gives them our tokens. */
const COLORS: Readonly<Record<BarMark, string>> = {
  success: 'green',
  failed: 'red',
  missed: 'stone',
  warning: 'amber',
};

/** Stacked bars. Loads the chart library: import it from `lazy-charts.ts` only. */
export function BarDrawing({ marks, columns, top, y, height, scale, names, bar, step }: BarsProps) {
  const ruled = useId();
  return (
    <div
      className={`chart absolute inset-x-0 ${scale === 'top' ? 'chart-top' : ''}`}
      style={
        {
          'top': y - EDGE,
          'height': EDGE + height + (names ? UNDER : 0),
          '--ruled': `url(#${ruled})`,
        } as CSSProperties
      }
    >
      <svg width="0" height="0" className="absolute">
        <pattern id={ruled} width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M0 1H4" stroke="var(--warning-mark)" strokeWidth="2" />
        </pattern>
      </svg>
      <BarChart
        className="size-full"
        data={columns.map((values, i) => {
          const drawn = getDrawnValues(values, top, height);
          return {
            name: names?.[i] ?? '',
            ...Object.fromEntries(marks.map((mark, n) => [mark, drawn[n] ?? 0])),
          };
        })}
        index="name"
        categories={[...marks]}
        colors={marks.map((mark) => COLORS[mark])}
        stack
        minValue={0}
        maxValue={top}
        valueFormatter={(value) =>
          value === 0 || (scale === 'top' && value !== top) ? '' : shortCount(value)
        }
        yAxisWidth={LEFT}
        showXAxis={names !== null}
        barCategoryGap={(step - bar) / 2}
        {...PLAIN}
      />
    </div>
  );
}

/** A short line for each column, such as what it was before. Lies over the bars. */
export function LevelDrawing({ levels, top, y, height, bar, step }: LevelsProps) {
  const thick = (LEVEL_PX * top) / height;
  return (
    <div
      className="chart absolute right-0"
      style={{ left: LEFT, top: y - EDGE, height: EDGE + height }}
    >
      <BarChart
        className="size-full"
        data={levels.map((level) =>
          level === null
            ? { name: '', under: 0, level: 0 }
            : { name: '', under: Math.max(0, level - thick), level: thick },
        )}
        index="name"
        categories={LEVELS}
        colors={LEVEL_COLORS}
        stack
        minValue={0}
        maxValue={top}
        showXAxis={false}
        showYAxis={false}
        showGridLines={false}
        barCategoryGap={(step - bar) / 2}
        {...PLAIN}
      />
    </div>
  );
}
const LEVELS = ['under', 'level'];
const LEVEL_COLORS = ['zinc', 'slate'];

/**
 * The last name ends at the chart's edge, and none is left out, because the caller has chosen those
 * that fit.
 */
const PLAIN = {
  showLegend: false,
  showTooltip: false,
  intervalType: 'preserveStartEnd',
  tickGap: -10_000,
  padding: { left: 0, right: 0 },
  rotateLabelX: { angle: 0, verticalShift: 0, xAxisHeight: UNDER },
} as const;
