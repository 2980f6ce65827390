import { useBranding, useMe } from '../session.ts';

/** What the signed-in user has to do before anything else, as the guards have it: a page without a way round it. */
export function useForced(): 'password' | 'questions' | null {
  const me = useMe(), auth = useBranding()?.authType;
  if (me === null || me.acting !== null) return null;
  if (me.passwordReset) return 'password';
  return auth === 'ad' && me.forceSecurityQuestions ? 'questions' : null;
}
