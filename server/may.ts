import { can } from '#contract/abilities.ts';
import type { Ability } from '#contract/abilities.ts';
import type { Signed } from './http/handler.ts';

/** Whether who asks has the ability at this moment: one of its roles grants it and, of a program with an API key, the key was given it too (KEY-2). */
export const may = ({ roles, key }: Pick<Signed, 'roles' | 'key'>, ability: Ability): boolean => can(roles, ability) && (key === undefined || key.abilities.includes(ability));
