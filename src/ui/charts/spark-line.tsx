import { SparkLineChart } from '@tremor/react';
import { SPARK_EDGE } from './scales.ts';
import './charts.css';

export interface SparkProps {
  /** Oldest first; null without a value. */
  readonly values: readonly (number | null)[];
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** A dot at the last value that shows the trend. */
  readonly end?: 'good' | 'bad' | null;
  /** Ends of the scale; by default those of the values. */
  readonly scale?: readonly [from: number, to: number];
  /** A value that is not known interrupts the line. */
  readonly hasGaps?: boolean;
}

/** Loads the chart library: import it from `lazy-charts.ts` only. */
export function SparkLine({ values, height, end = null, scale, hasGaps = false }: SparkProps) {
  const known = values.filter((value) => value !== null);
  const last = values.at(-1);
  if (known.length < 2) return null;
  const min = Math.min(...known);
  const max = Math.max(...known);
  const flat = min === max;
  // A constant line is vertically centered.
  const [from, to] = scale ?? (flat ? [min - 1, max + 1] : [min, max]);
  const tall = height - 2 * SPARK_EDGE;
  return (
    <span inert className="spark relative block size-full">
      <SparkLineChart
        data={values.map((value, at) => ({ at, value }))}
        categories={CATEGORIES}
        index="at"
        minValue={from}
        maxValue={to}
        connectNulls={!hasGaps}
        className="size-full"
      />
      {end !== null && typeof last === 'number' && (
        <i
          className={`spark-end ${end === 'good' ? 'bg-success' : 'bg-failed'}`}
          style={{
            top: SPARK_EDGE + tall - ((last - from) / (to - from)) * tall,
            left: `calc(100% - ${SPARK_EDGE}px)`,
          }}
        />
      )}
    </span>
  );
}

const CATEGORIES = ['value'];
