import { writeStored, readStored } from '../session/browser-storage.ts';

/** Where a person wanted to go before it had to sign in. */
const KEY = 'urlToRedirectAfterLogin';
const CHARS = 2_000;
/** Nobody wants to go there: it comes before where one wants to. */
const FORCED = '/monitoring/reset-password';

/**
 * While a person signs out on purpose, the page it leaves is not one that the next one wants; nor
 * is one that it never came to.
 */
let paused = false;
/** Taken, and led to: whoever asks again on the way there is led to the same. */
let taken: string | null = null;
export function pauseRedirectTarget(pause: boolean): void {
  paused = pause;
  if (pause) put(null);
}

export function storeRedirectTarget(path: string): void {
  if (!paused && !path.startsWith(FORCED)) put(localPath(path));
}

/** What another script wrote there counts for nothing unless it is a path of this site. */
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
 * The path, query and fragment where `input` names a place of this site other than the sign-in
 * page; null for everything else. `//host`, `/\host`, schemes, control characters and whatever a
 * browser would read as another origin are refused.
 */
export function localPath(input: string): string | null {
  if (!input.startsWith('/') || input.length > CHARS || STRANGE.test(input)) return null;
  const base = 'http://this-site.invalid';
  if (!URL.canParse(input, base)) return null;
  const url = new URL(input, base);
  // A path of two slashes at its head would name another host as soon as it is used as an address.
  if (url.origin !== base || url.pathname.startsWith('//') || url.pathname === '/login')
    return null;
  return url.pathname + url.search + url.hash;
}

// Backslashes are slashes to a browser; tabs and line ends are dropped by it, wherever they stand.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STRANGE = /[\\\u0000-\u0020\u007f-\u009f]/;
