import { BASE } from '#contract/messages/base.messages.en.ts';

/** The chunk load time-out of the specification, in milliseconds. */
export const CHUNK_TIMEOUT_MS = 120_000;

/**
 * LOAD-1: resolves with a part of the page.
 * @throws after the time-out, so that users don't wait forever
 */
export async function withChunkTimeout<T>(part: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(BASE.chunk));
  }, CHUNK_TIMEOUT_MS);
  try {
    return await Promise.race([part, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A network that has just returned may fail again. */
const RETRY_MS = 3_000;

/** How often it tries again while the server can't be reached. */
const AWAY_RETRY_MS = 10_000;

/** Any answer counts. The service worker answers no HEAD requests. */
const isServerThere = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD' }).then(
    () => true,
    () => false,
  );

/**
 * Resolves with a part of the page. Without a network or a server, a part that isn't on this device
 * loads after reconnecting; `onOffline` is called when that wait begins.
 * @throws if the server is there and the part fails twice, or if it has an error of its own
 */
export async function loadPart<T>(load: () => Promise<T>, onOffline?: () => void): Promise<T> {
  for (let isRetry = false, isAway = false; ;) {
    const wasOnline = navigator.onLine;
    try {
      return await withChunkTimeout(load());
    } catch (error) {
      if (!isChunkError(error)) throw error;
      if (!navigator.onLine || (isRetry && !(await isServerThere()))) {
        if (!isAway) onOffline?.();
        isRetry = isAway = navigator.onLine;
        const wait = new AbortController();
        await new Promise<unknown>((reconnect) => {
          addEventListener('online', reconnect, wait);
          if (isAway) setTimeout(reconnect, AWAY_RETRY_MS);
        });
        wait.abort();
      } else if (isRetry) throw error;
      else {
        isRetry = wasOnline;
        await new Promise((done) => {
          setTimeout(done, RETRY_MS);
        });
      }
    }
  }
}

/**
 * Returns whether a part failed to load: timed out, or removed by a deployment. Browsers have no
 * error type for it, so this compares their messages (Chromium and Firefox, Safari, and the
 * bundler's for a style sheet).
 */
export const isChunkError = (error: unknown): boolean =>
  error instanceof Error && (error.message === BASE.chunk || MISSING.test(error.message));

const MISSING = /dynamically imported module|^Importing a module script|^Unable to preload CSS/;
