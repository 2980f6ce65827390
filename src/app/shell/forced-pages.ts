import { useState } from 'react';
import { useBranding, useMe } from '../session/session.ts';

/**
 * Returns the step that the signed-in user must complete before anything else. Uses the same check
 * as the route guards.
 */
export function useForced(): 'password' | 'questions' | null {
  const me = useMe();
  const auth = useBranding()?.authType;
  if (me === null || me.impersonator !== null) return null;
  if (me.passwordReset) return 'password';
  return auth === 'ad' && me.forceSecurityQuestions ? 'questions' : null;
}

/**
 * The step that the page was opened for. It stays set until the user is redirected, even if the
 * page is mounted again or the guards run again meanwhile.
 */
let opened: 'password' | 'questions' | null = null;
export const openedFor = (): typeof opened => opened;
export const setOpenedFor = (what: typeof opened): void => {
  opened = what;
};

/**
 * Returns whether the page is shown without the sidebar: while a step is required, and until its
 * page has redirected. Otherwise the layout would change before the redirect.
 */
export function useAlone(path: string): boolean {
  const forced = useForced() !== null;
  const [at, setAt] = useState<string | null>(null);
  const next = forced ? path : at === path ? at : null;
  if (next !== at) setAt(next);
  return next !== null;
}
