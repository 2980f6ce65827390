/**
 * Brings parts that are only needed later while the page is idle: what is asked for with no network
 * must be here already. A part that cannot be had now is asked for again when it is needed.
 */
export function prefetch(...parts: readonly (() => Promise<unknown>)[]): void {
  const bring = (): void => {
    for (const part of parts) part().catch(() => {});
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(bring, { timeout: 3_000 });
  else setTimeout(bring, 1_000);
}
