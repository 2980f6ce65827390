import type { Ms } from '#contract/ids.ts';
import { client, reportWorkerFailure } from './worker-client.ts';
import { SERVICE_WORKER, trusted } from './start-worker.ts';

/**
 * Makes the page available offline: requests persistent storage and registers the service worker,
 * which caches the build. Syncs when the tab becomes visible, which ends a wait for the server (OFF-9).
 * Runs once per page load, after the data has loaded.
 */
export function stay(): Promise<void> {
  staying ??= begin();
  return staying;
}

async function begin(): Promise<void> {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') client().syncNow().catch(reportWorkerFailure);
  });
  // If the browser refuses or lacks it, the sync status shows that.
  if ('storage' in navigator) navigator.storage.persist().catch(() => {});
  // In development, files change without changing their names.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  await caughtUp();
  const registration = await navigator.serviceWorker.register(trusted(SERVICE_WORKER), {
    updateViaCache: 'none',
  });
  // The browser checks for a newer build on navigation only, so a tab that stays open for days
  // checks on a timer.
  setInterval(() => {
    registration.update().catch(() => {});
  }, LOOK_MS);
}

/**
 * Resolves when the initial sync is complete or takes too long, so that caching the build does not
 * delay it.
 */
async function caughtUp(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LONG_MS);
  const watch = await client().watch('status', {}, ({ kind }) => {
    if (kind !== 'catching-up') resolve();
  });
  await promise;
  clearTimeout(timer);
  watch.close();
}

let staying: Promise<void> | null = null;
const LONG_MS: Ms = 15_000;
const LOOK_MS: Ms = 3_600_000;
