import type { Reach } from '../people/reach.ts';
import { rankOf } from '../rank.ts';

/**
 * Whether one user may sign in as another (G42): an administrator, downwards, and never into more than its own reach. `below`: the other one is
 * a user of a provider below, whose companies have other numbers.
 */
export function mayActAs(actor: Reach, target: Reach, below: boolean): boolean {
  if (!actor.roles.includes('admin') && !actor.roles.includes('super-admin')) return false;
  if (rankOf(target.roles) >= rankOf(actor.roles)) return false;
  const { companies } = actor;
  return companies === null || (!below && target.companies !== null && target.companies.every((n) => companies.includes(n)));
}
