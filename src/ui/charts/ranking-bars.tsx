import { Suspense } from 'react';
import { lazyPart } from '../lazy-part.ts';
import type { RankingBarsProps } from './ranking-drawing.tsx';

const RankingDrawing = lazyPart(async () => (await import('./ranking-drawing.tsx')).RankingDrawing);

/**
 * The bars of a ranking, in the color of their tone. They fill a positioned box, are no target of the
 * pointer, and are hidden from screen readers because the entries have their values.
 */
export function RankingBars(props: RankingBarsProps) {
  return (
    <div aria-hidden inert className="absolute inset-0">
      <Suspense>
        <RankingDrawing {...props} />
      </Suspense>
    </div>
  );
}
