import type { Role } from '#contract/abilities.ts';
import type { CompanyN } from '#contract/ids.ts';

/**
 * The roles and their abilities as section 6 of the specification has them; `sources` (connecting a
 * source) is the portal's own ability.
 */
const TABLE: Readonly<Record<Role, string>> = {
  'admin':
    'dashboard users companies reporting report-settings userLogs trends licensing licensing-export hints invoices sources',
  'read-only':
    'spreadsheet-report overview tickets repositories companies-filter rankings dashboard daily-checks calendar-report reporting report-settings',
  'operator':
    'spreadsheet-report overview tickets repositories companies-filter rankings dashboard daily-checks calendar-report reporting report-settings rules job-actions trends',
  'super-admin':
    'reporting report-settings licensing userLogs trends admin.dashboard o365.subscriptions o365.subscriptions-export licensing-export invoices o365.consumption-export sources',
  'o365_admin':
    'users o365.users o365.jobs o365.organizations o365.reporting o365.licensing o365.repositories o365.dashboard o365.restorePortal o365.restoreOutlook o365.restoreOnedrive ' +
    'o365.restoreSharepoint o365.restoreTeams o365.consumption o365.service-level o365.consumption-export',
  'sub-sp': '',
};
const WORDS: Readonly<Record<string, string>> = { companies: 'common.companies' };

export const SPEC_ROLES: readonly Role[] = [
  'admin',
  'read-only',
  'operator',
  'super-admin',
  'o365_admin',
  'sub-sp',
];
export const specAbilities = (role: Role): readonly string[] =>
  TABLE[role]
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => WORDS[word] ?? (word.includes('.') ? word : `monitoring.${word}`));

/**
 * What a role may hand on, by docs/decisions.md: an administrator its own abilities and those of operators
 * and read-only users, a super administrator every ability, a sub-provider what read-only users
 * have (its invitations make them), all others only their own.
 */
const HANDED_ON: Readonly<Record<Role, readonly Role[]>> = {
  'admin': ['admin', 'operator', 'read-only'],
  'super-admin': SPEC_ROLES,
  'sub-sp': ['read-only'],
  'operator': ['operator'],
  'read-only': ['read-only'],
  'o365_admin': ['o365_admin'],
};

const has = (roles: readonly Role[]): Set<string> => new Set(roles.flatMap(specAbilities));
const handsOn = (roles: readonly Role[]): Set<string> =>
  has(roles.flatMap((role) => HANDED_ON[role]));
const isWithin = (some: Iterable<string>, all: ReadonlySet<string>): boolean => {
  for (const one of some) if (!all.has(one)) return false;
  return true;
};

export const administersUsers = (roles: readonly Role[]): boolean =>
  has(roles).has('monitoring.users');
export const expectCovers = (actor: readonly Role[], target: readonly Role[]): boolean =>
  isWithin(has(target), handsOn(actor)) && isWithin(handsOn(target), handsOn(actor));
export const expectActsAs = (actor: readonly Role[], target: readonly Role[]): boolean =>
  (actor.includes('admin') || actor.includes('super-admin')) &&
  expectCovers(actor, target) &&
  !administersUsers(target) &&
  !isWithin(handsOn(actor), handsOn(target));
export const expectCoversCompanies = (
  actor: readonly CompanyN[] | null,
  target: readonly CompanyN[] | null,
): boolean => {
  if (actor === null) return true;
  return (
    target !== null && target.length > 0 && target.filter((n) => !actor.includes(n)).length === 0
  );
};

/** Every set of roles of at least `min` and at most `max` roles. */
export function roleSets(min: number, max: number): readonly (readonly Role[])[] {
  return Array.from({ length: 2 ** SPEC_ROLES.length }, (_, bits) =>
    SPEC_ROLES.filter((_role, at) => Math.floor(bits / 2 ** at) % 2 === 1),
  ).filter(({ length }) => length >= min && length <= max);
}
