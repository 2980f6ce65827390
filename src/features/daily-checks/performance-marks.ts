import type { Ms } from '#contract/ids.ts';

/**
 * Performance measures by the User Timing API. Each ends when the frame with the rows has been
 * painted.
 *
 * - `daybook:open`: navigation to first rows, once per page load
 * - `daybook:filter`: input to painted rows
 * - `daybook:change`: server commit to painted row
 */
let opened = false;
let filterFrom: number | null = null;

/** Call it when the first rows have been rendered. */
export function openPainted(): void {
  if (opened) return;
  opened = true;
  afterPaint((end) => performance.measure('daybook:open', { start: 0, end }));
}

/** Call it when the user changes the list. `at`: the event's `timeStamp`, if there is one. */
export function filterBegan(at: number = performance.now()): void {
  filterFrom ??= at;
}

/**
 * Call it when the filtered rows have been rendered. Without an earlier `filterBegan` it does
 * nothing.
 */
export function filterPainted(): void {
  if (filterFrom === null) return;
  const start = filterFrom;
  filterFrom = null;
  afterPaint((end) => performance.measure('daybook:filter', { start, end }));
}

/** Call it when changed rows have been rendered. `committedAt`: the server's time of the commit. */
export function changePainted(committedAt: Ms): void {
  const start = Math.max(0, committedAt - performance.timeOrigin);
  afterPaint((end) => {
    if (end >= start) performance.measure('daybook:change', { start, end });
  });
}

/**
 * Runs `then` in the task after the next frame, when its paint is done. A hidden page does not
 * paint and is not measured.
 */
function afterPaint(then: (end: number) => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      then(performance.now());
    });
    port1.start();
    port2.postMessage(null);
  });
}
