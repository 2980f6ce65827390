/**
 * Loads lazy parts while the page is idle, so that they are available offline. A part that fails to
 * load is requested again when it is first used.
 */
export function prefetch(...parts: readonly (() => Promise<unknown>)[]): void {
  const bring = (): void => {
    for (const part of parts) part().catch(() => {});
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(bring, { timeout: 3_000 });
  else setTimeout(bring, 1_000);
}
