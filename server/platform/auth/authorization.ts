import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import type { Actor } from '#contract/users/authority.ts';

/**
 * Whether who asks has the ability at this moment: one of its roles grants it and, of a program
 * with an API key, the key was given it too (KEY-2).
 */
export const hasAbility = (
  { roles, key }: Pick<Actor, 'roles' | 'key'>,
  ability: Ability,
): boolean => can(roles, ability) && (key === undefined || key.abilities.includes(ability));
