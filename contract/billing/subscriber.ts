import { can, type Role } from '../abilities.ts';

/**
 * Whether a user sees subscriptions at all (BILL-14): super-admins those of each company that they see,
 * anyone else only those of the companies that are listed for the user. `companies` null: all companies
 * of the provider; the user works for the provider, and subscribes to nothing. `isBilling`: whether the
 * user bills, which an API key may not.
 */
export const seesSubscriptions = (
  {
    roles,
    companies,
  }: {
    readonly roles: readonly Role[];
    readonly companies: readonly unknown[] | null;
  },
  isBilling = can(roles, 'o365.subscriptions'),
): boolean => companies !== null || isBilling;
