import { useSyncExternalStore } from 'react';

/**
 * State of a sign-in in progress, kept only in this page's memory: the fragment of the address that
 * was opened (a token or the hash of a link), a message for the sign-in page, and whether a page
 * must stay open until it is read.
 */
interface WayIn {
  readonly fragment: string;
  readonly sentence: string | null;
  readonly staysOpen: boolean;
}
let way: WayIn = { fragment: '', sentence: null, staysOpen: false };
const listeners = new Set<() => void>();

/**
 * Removes the fragment from the address before anything else reads it, so that it is not stored in
 * the history or copied with the link (G39).
 */
export function takeFragment(): void {
  const { pathname, search, hash } = location;
  if (hash === '' || !TAKES.test(pathname)) return;
  change({ fragment: hash });
  history.replaceState(history.state, '', pathname + search);
}

export const dropFragment = (): void => {
  change({ fragment: '' });
};
export const wayIn = (): WayIn => way;
export const useWayIn = (): WayIn => useSyncExternalStore(subscribe, wayIn);

/** Sets the message on the sign-in page that explains why the user was sent back to it. */
export const sayAtSignIn = (sentence: string | null): void => {
  change({ sentence });
};

/**
 * While true, a page for signed-out visitors stays open after the sign-in, because it shows
 * something only once.
 */
export const holdPage = (staysOpen: boolean): void => {
  change({ staysOpen });
};

/**
 * Returns true while the fragment signs in a user, even over an existing session, or while a page
 * is held. The guard then lets the user pass.
 */
export const isEntering = (): boolean => way.staysOpen || ENTERS.test(way.fragment);

const TAKES = /^\/(login|restore|reset-password-db|confirm-email|o365\/register(\/[^/]*){0,2})\/?$/;
const ENTERS = /^#(token=|signed-in$|step$)/;

function change(part: Partial<WayIn>): void {
  way = { ...way, ...part };
  listeners.forEach((listener) => listener());
}
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
