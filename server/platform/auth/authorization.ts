import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import type { ActingUser } from '#contract/users/authority.ts';

/**
 * Returns whether the principal has the ability now: one of its roles grants it and, with an API
 * key, so does the key (KEY-2).
 */
export const hasAbility = (
  { roles, key }: Pick<ActingUser, 'roles' | 'key'>,
  ability: Ability,
): boolean => can(roles, ability) && (key === undefined || key.abilities.includes(ability));
