import type { Ms } from '#contract/ids.ts';

/**
 * What a person waits for, by the User Timing API. Each ends when the frame with the rows in it has
 * been painted.
 *
 * daybook:open navigation to first rows, once a page load daybook:filter input to painted rows
 * daybook:change server commit to painted row
 */
let opened = false;
let filterFrom: number | null = null;

/** Call when the first rows have been rendered. */
export function openPainted(): void {
  if (opened) return;
  opened = true;
  afterPaint((end) => performance.measure('daybook:open', { start: 0, end }));
}

/**
 * Call when a person changes what shapes the list; `at` is the event's `timeStamp` where there is
 * one.
 */
export function filterBegan(at: number = performance.now()): void {
  filterFrom ??= at;
}

/**
 * Call when rows that answer the filter have been rendered. Without a `filterBegan` before it
 * nothing is noted.
 */
export function filterPainted(): void {
  if (filterFrom === null) return;
  const start = filterFrom;
  filterFrom = null;
  afterPaint((end) => performance.measure('daybook:filter', { start, end }));
}

/**
 * Call when rows with a change have been rendered; `committedAt` is the server's time of the
 * commit.
 */
export function changePainted(committedAt: Ms): void {
  const start = Math.max(0, committedAt - performance.timeOrigin);
  afterPaint((end) => {
    if (end >= start) performance.measure('daybook:change', { start, end });
  });
}

/**
 * The task after the next frame: its paint is done by then. A hidden page paints nothing and is not
 * measured.
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
