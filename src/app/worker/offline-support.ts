import type { Ms } from '#contract/ids.ts';
import { client } from './worker-client.ts';
import { SERVICE_WORKER, trusted } from './start-worker.ts';

/**
 * What lets a signed-in person open the page with no network: the browser's promise not to throw
 * the data away, and the service worker that keeps the build. Once a page load, and behind the
 * data: what a person came for is had first.
 */
export function stay(): Promise<void> {
  staying ??= begin();
  return staying;
}

async function begin(): Promise<void> {
  // Refused or not at hand: the sync status says so.
  if ('storage' in navigator) navigator.storage.persist().catch(() => {});
  // While the page is being developed its files change under their names.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  await caughtUp();
  const registration = await navigator.serviceWorker.register(trusted(SERVICE_WORKER), {
    updateViaCache: 'none',
  });
  // The browser looks for a newer build when a person opens the page; a tab that stays open for
  // days looks by itself.
  setInterval(() => {
    registration.update().catch(() => {});
  }, LOOK_MS);
}

/** Everything is here, or it takes long: then the build is kept beside it. */
async function caughtUp(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LONG_MS);
  const watch = await client().watch('status', {}, ({ is }) => {
    if (is !== 'catching-up') resolve();
  });
  await promise;
  clearTimeout(timer);
  watch.close();
}

let staying: Promise<void> | null = null;
const LONG_MS: Ms = 15_000;
const LOOK_MS: Ms = 3_600_000;
