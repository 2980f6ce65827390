import type { Role } from '../abilities.ts';
import type { CompanyN } from '../ids.ts';

/** How much a role may: nobody signs in as a user of an equal or a higher one. */
const RANK: Readonly<Record<Role, number>> = { 'sub-sp': 0, 'read-only': 1, 'operator': 2, 'o365_admin': 3, 'admin': 3, 'super-admin': 4 };
const rankOf = (roles: readonly Role[]): number => Math.max(0, ...roles.map((role) => RANK[role]));

/** Roles, and companies (null: all of the provider's). */
export interface Reach { readonly roles: readonly Role[]; readonly companies: readonly CompanyN[] | null }

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
