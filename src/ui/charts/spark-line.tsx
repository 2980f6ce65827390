import { SparkLineChart } from '@tremor/react';
import './charts.css';

export interface SparkProps {
  /** Oldest first; null without a value. */
  readonly values: readonly (number | null)[];
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** A dot at the last value that shows the trend. */
  readonly end?: 'good' | 'bad' | null;
}

/** The chart library's margin around the drawing, in px. */
const EDGE = 1;

/** Loads the chart library: import it from `lazy-charts.ts` only. */
export function SparkLine({ values, height, end = null }: SparkProps) {
  const known = values.filter((value) => value !== null);
  const last = values.at(-1);
  if (known.length < 2) return null;
  const min = Math.min(...known);
  const max = Math.max(...known);
  const flat = min === max;
  // A constant line is vertically centered.
  const [from, to] = flat ? [min - 1, max + 1] : [min, max];
  const tall = height - 2 * EDGE;
  return (
    <span inert className="spark relative block size-full">
      <SparkLineChart
        data={values.map((value, at) => ({ at, value }))}
        categories={CATEGORIES}
        index="at"
        minValue={from}
        maxValue={to}
        connectNulls
        className="size-full"
      />
      {end !== null && typeof last === 'number' && (
        <i
          className={`spark-end ${end === 'good' ? 'bg-success' : 'bg-failed'}`}
          style={{
            top: EDGE + tall - ((last - from) / (to - from)) * tall,
            left: `calc(100% - ${EDGE}px)`,
          }}
        />
      )}
    </span>
  );
}

const CATEGORIES = ['value'];
