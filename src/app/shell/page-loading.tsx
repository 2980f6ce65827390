'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { startMessages as t } from './start.messages.en.ts';

/** Placeholder bars during the first load. Shown only after 100 ms. */
export function PageLoading() {
  return (
    <div className="h-full bg-sheet" aria-busy="true">
      <span className="sr-only">{t.loading}</span>
      {WIDTHS.map((width) => (
        <div
          key={width}
          className="flex h-9 items-center gap-8 border-b border-hair px-5"
          aria-hidden
        >
          <i className="h-[9px] w-16 rounded-[2px] bg-hair" />
          <i className="h-[9px] rounded-[2px] bg-hair" style={{ width }} />
        </div>
      ))}
    </div>
  );
}

const WIDTHS = [107, 148, 128, 164, 113, 152, 121, 139, 104] as const;
