import type { Role } from '../abilities.ts';
import type { CompanyN } from '../ids.ts';

/** How much a role may: nobody grants one above the own, nor touches a user who has one. */
const RANK: Readonly<Record<Role, number>> = { 'sub-sp': 0, 'read-only': 1, 'operator': 2, 'o365_admin': 3, 'admin': 3, 'super-admin': 4 };
const rankOf = (roles: readonly Role[]): number => Math.max(0, ...roles.map((role) => RANK[role]));

/** Roles, and companies (null: all of the provider's). */
export interface Reach { readonly roles: readonly Role[]; readonly companies: readonly CompanyN[] | null }

/** Whether all of some companies are among those that one sees. */
export const within = (own: readonly CompanyN[] | null, of: readonly CompanyN[] | null): boolean =>
  own === null || (of !== null && of.length > 0 && of.every((n) => own.includes(n)));

/** Whether a user is one of those that somebody keeps: all of its companies are the keeper's. Others do not exist for the keeper. */
export const keeps = (keeper: Reach, user: Pick<Reach, 'companies'>): boolean => within(keeper.companies, user.companies);

/** Whether what a user may do is not above what the keeper may. */
export const above = (keeper: Pick<Reach, 'roles'>, roles: readonly Role[]): boolean => rankOf(roles) > rankOf(keeper.roles);

/** Who can keep all users and companies: there is always one. */
export const isAdministrator = ({ roles, companies }: Reach): boolean => companies === null && roles.includes('admin');
