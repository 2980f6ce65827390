import { BASE } from '#contract/messages/base.messages.en.ts';

/** The specification's chunk load time-out. */
export const CHUNK_TIMEOUT_MS = 120_000;

/**
 * LOAD-1: a part of the page, or a failure once the time-out has passed, so that nobody waits
 * without end.
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

/**
 * Whether a part did not load: late, or gone with the build that a deployment replaced. Browsers
 * have no error type for it, only words of their own (Chromium and Firefox, Safari, and the
 * bundler's for a style sheet).
 */
export const isChunkFault = (fault: unknown): boolean =>
  fault instanceof Error && (fault.message === BASE.chunk || MISSING.test(fault.message));

const MISSING = /dynamically imported module|^Importing a module script|^Unable to preload CSS/;
