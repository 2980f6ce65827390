import { Suspense } from 'react';
import { lazyPart } from './lazy-part.ts';
import type { SparkProps } from './spark-line.tsx';

const part = () => import('./spark-line.tsx');
const SparkLine = lazyPart(async () => (await part()).SparkLine);

/** Loads the chart library while the page is idle. */
export const bringSpark = part;

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
