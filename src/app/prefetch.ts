import { loadPart } from '../ui/chunk-load.ts';

/**
 * Loads lazy parts while the page is idle, so that they are available offline. A part that fails to
 * load is requested again after reconnecting, or when it is first used.
 */
export function prefetch(...parts: readonly (() => Promise<unknown>)[]): void {
  whenIdle(() => {
    for (const part of parts) loadPart(part).catch(() => {});
  });
}

/** Runs `work` while the page is idle, after three seconds at the latest. */
export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 3_000 });
  else setTimeout(work, 1_000);
}
