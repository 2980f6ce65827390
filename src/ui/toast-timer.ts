/** Minimum remaining time of a toast after pointer and focus have left it, in milliseconds. */
const MIN_MS = 1_000;

/**
 * Ends a toast after its duration, which pauses while the toast is hovered or focused. A duration
 * of 0 never ends.
 */
export interface ToastTimer {
  readonly hold: () => void;
  readonly release: () => void;
  readonly stop: () => void;
}

export function startToastTimer(lastsMs: number, end: () => void): ToastTimer {
  let leftMs = lastsMs;
  let since = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const go = (): void => {
    if (lastsMs === 0 || timer !== null) return;
    since = performance.now();
    timer = setTimeout(end, leftMs);
  };
  go();
  return {
    stop,
    release: go,
    hold() {
      if (timer === null) return;
      stop();
      leftMs = Math.max(MIN_MS, leftMs - (performance.now() - since));
    },
  };
}
