import type { Role } from './abilities.ts';

/** How much a role may: nobody grants one above the own, touches a user who has one, or signs in as a user of an equal one. */
const RANK: Readonly<Record<Role, number>> = { 'sub-sp': 0, 'read-only': 1, 'operator': 2, 'o365_admin': 3, 'admin': 3, 'super-admin': 4 };

/** Of several roles the highest counts. */
export const rankOf = (roles: readonly Role[]): number => Math.max(0, ...roles.map((role) => RANK[role]));
