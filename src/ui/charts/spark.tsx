import { Suspense } from 'react';
import { SparkLine } from './lazy-charts.ts';
import type { SparkProps } from './spark-line.tsx';

/**
 * A line without axes, hidden from screen readers because text beside it says the same. Its space
 * is reserved while the chart library loads; it shrinks if there is less.
 */
export function Spark(props: SparkProps) {
  const { width, height } = props;
  return (
    <span aria-hidden className="block min-w-8 overflow-visible" style={{ width, height }}>
      <Suspense>
        <SparkLine {...props} />
      </Suspense>
    </span>
  );
}
