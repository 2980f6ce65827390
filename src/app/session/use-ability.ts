import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import { useMe } from './session.ts';

/**
 * Whether who is signed in may. Beside `session.ts`, so that the pages of signing in need not bring
 * the table of abilities.
 */
export function useAbility(ability: Ability): boolean {
  const me = useMe();
  return me !== null && can(me.roles, ability);
}
