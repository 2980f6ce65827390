import { lazy, Suspense } from 'react';
import { withChunkTimeout } from './chunk-load.ts';
import type { SparkProps } from './spark-line.tsx';

const part = () => import('./spark-line.tsx');
const SparkLine = lazy(async () => ({ default: (await withChunkTimeout(part())).SparkLine }));

/** Brings the chart library while the page is idle. */
export const bringSpark = part;

/**
 * A line without axes, for eyes only: the words stand beside it. Its place is kept while the chart
 * library comes; where there is less it is narrower.
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
