import { writeStored, readStored } from '../session/browser-storage.ts';
import { isResetPage } from './route-guards.ts';

/** Storage key of the path that the user requested before signing in. */
const KEY = 'urlToRedirectAfterLogin';
const CHARS = 2_000;

/**
 * True during a deliberate sign-out, so that the next user is not redirected to the page that was
 * left, or to one that was never reached.
 */
let paused = false;
/** The last target that was taken. Later calls during the same redirect return it again. */
let taken: string | null = null;
export function pauseRedirectTarget(pause: boolean): void {
  paused = pause;
  if (pause) put(null);
}

export function storeRedirectTarget(path: string): void {
  if (!paused && !isResetPage(path)) put(localPath(path));
}

/**
 * Removes and returns the target. Another script can write to the storage, so only a path of this
 * site counts.
 */
export function takeRedirectTarget(): string | null {
  const path = localPath(readStored(KEY) ?? '') ?? taken;
  put(null);
  return (taken = path);
}

function put(path: string | null): void {
  writeStored(KEY, path);
  taken = null;
}

/**
 * Returns the path, query and fragment of `input` if it is an address of this site other than the
 * sign-in page, otherwise null. Rejects `//host`, `/\host`, schemes, control characters and
 * everything that a browser would resolve to another origin.
 */
export function localPath(input: string): string | null {
  if (!input.startsWith('/') || input.length > CHARS || STRANGE.test(input)) return null;
  const base = 'http://this-site.invalid';
  if (!URL.canParse(input, base)) return null;
  const url = new URL(input, base);
  // A path that begins with two slashes would name another host when used as an address.
  if (url.origin !== base || url.pathname.startsWith('//') || url.pathname === '/login')
    return null;
  return url.pathname + url.search + url.hash;
}

// Browsers treat backslashes as slashes and drop tabs and line ends at any position.
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const STRANGE = /[\\\u0000-\u0020\u007f-\u009f]/;
