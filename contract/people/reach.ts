import type { Role } from '../abilities.ts';
import type { CompanyN } from '../ids.ts';
import { rankOf } from '../rank.ts';

/** Roles, and companies (null: all of the provider's). */
export interface Reach { readonly roles: readonly Role[]; readonly companies: readonly CompanyN[] | null }

/** Whether all of some companies are among those that one sees. */
export const within = (own: readonly CompanyN[] | null, of: readonly CompanyN[] | null): boolean =>
  own === null || (of !== null && of.length > 0 && of.every((n) => own.includes(n)));

/** Whether a user is one of those that somebody keeps: all of its companies are the keeper's. Others do not exist for the keeper. */
export const keeps = (keeper: Reach, user: Pick<Reach, 'companies'>): boolean => within(keeper.companies, user.companies);

/** Whether what a user may do is above what the keeper may: nobody grants that, or touches such a user. */
export const above = (keeper: Pick<Reach, 'roles'>, roles: readonly Role[]): boolean => rankOf(roles) > rankOf(keeper.roles);

/** Who can keep all users and companies: there is always one. */
export const isAdministrator = ({ roles, companies }: Reach): boolean => companies === null && roles.includes('admin');
