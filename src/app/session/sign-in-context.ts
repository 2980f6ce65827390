import { useSyncExternalStore } from 'react';

/**
 * What somebody on the way in brings along, in the memory of this page alone: what stood behind the
 * `#` of the address that led here (a token, the hash of a link), a sentence for the sign-in page,
 * and whether a page still has to be read before the way leads on.
 */
interface WayIn {
  readonly fragment: string;
  readonly sentence: string | null;
  readonly held: boolean;
}
let way: WayIn = { fragment: '', sentence: null, held: false };
const listeners = new Set<() => void>();

/**
 * Takes the fragment out of the address before anything reads it: it stands in no history, and
 * nobody copies it along (G39).
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

/** Says at the sign-in page why somebody is led back to it. */
export const sayAtSignIn = (sentence: string | null): void => {
  change({ sentence });
};

/**
 * While it is held, a page for strangers stays, though its person is in: what is shown there is
 * shown once.
 */
export const holdPage = (held: boolean): void => {
  change({ held });
};

/**
 * In with what the fragment brought, whoever was in before; or still reading: the guard lets them
 * pass.
 */
export const isEntering = (): boolean => way.held || ENTERS.test(way.fragment);

const TAKES = /^\/(login|reset-password-db|confirm-email|o365\/register(\/[^/]*){0,2})\/?$/;
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
