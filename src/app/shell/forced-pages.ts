import { useState } from 'react';
import { useBranding, useMe } from '../session/session.ts';

/**
 * What the signed-in user has to do before anything else, as the guards have it: a page without a
 * way round it.
 */
export function useForced(): 'password' | 'questions' | null {
  const me = useMe();
  const auth = useBranding()?.authType;
  if (me === null || me.acting !== null) return null;
  if (me.passwordReset) return 'password';
  return auth === 'ad' && me.forceSecurityQuestions ? 'questions' : null;
}

/**
 * What a page was opened for first. It holds until the way has led on, also where the page was
 * mounted anew meanwhile, or the guards came back to it.
 */
let opened: 'password' | 'questions' | null = null;
export const openedFor = (): typeof opened => opened;
export const setOpenedFor = (what: typeof opened): void => {
  opened = what;
};

/**
 * Whether the page stands alone: while something has to be done first, and then until the page of
 * it has led on. Else it would be another page by then.
 */
export function useAlone(path: string): boolean {
  const forced = useForced() !== null;
  const [at, setAt] = useState<string | null>(null);
  const next = forced ? path : at === path ? at : null;
  if (next !== at) setAt(next);
  return next !== null;
}
