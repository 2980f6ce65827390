'use no memo'; // drawn once or seldom: the compiler's memory would cost more code on the first load
/** While the first thing is being had: bars where words will be. Shown after 100 ms only. */
export function PageLoading() {
  return (
    <div className="h-full bg-sheet" aria-busy="true">
      <span className="sr-only">Loading</span>
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
