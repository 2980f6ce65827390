import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import { useMe } from './session.ts';

/**
 * Returns whether the signed-in user has `ability`. It is separate from `session.ts` so that the
 * sign-in pages do not load the ability table.
 */
export function useAbility(ability: Ability): boolean {
  const me = useMe();
  return me !== null && can(me.roles, ability);
}
