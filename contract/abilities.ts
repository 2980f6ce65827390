export const ROLES = [
  'admin',
  'read-only',
  'operator',
  'super-admin',
  'o365_admin',
  'sub-sp',
] as const;
export type Role = (typeof ROLES)[number];

const READ = [
  'monitoring.spreadsheet-report',
  'monitoring.overview',
  'monitoring.tickets',
  'monitoring.repositories',
  'monitoring.companies-filter',
  'monitoring.rankings',
  'monitoring.dashboard',
  'monitoring.daily-checks',
  'monitoring.calendar-report',
  'monitoring.reporting',
  'monitoring.report-settings',
] as const;

/**
 * The abilities of each role, from section 6 of the specification. `monitoring.sources` is our own
 * addition: connecting a source is an administrator's task.
 */
const GRANTS = {
  'admin': [
    'monitoring.dashboard',
    'monitoring.users',
    'common.companies',
    'monitoring.reporting',
    'monitoring.report-settings',
    'monitoring.userLogs',
    'monitoring.trends',
    'monitoring.licensing',
    'monitoring.licensing-export',
    'monitoring.hints',
    'monitoring.invoices',
    'monitoring.sources',
  ],
  'read-only': READ,
  'operator': [...READ, 'monitoring.rules', 'monitoring.job-actions', 'monitoring.trends'],
  'super-admin': [
    'monitoring.reporting',
    'monitoring.report-settings',
    'monitoring.licensing',
    'monitoring.userLogs',
    'monitoring.trends',
    'admin.dashboard',
    'o365.subscriptions',
    'o365.subscriptions-export',
    'monitoring.licensing-export',
    'monitoring.invoices',
    'o365.consumption-export',
    'monitoring.sources',
  ],
  'o365_admin': [
    'monitoring.users',
    'o365.users',
    'o365.jobs',
    'o365.organizations',
    'o365.reporting',
    'o365.licensing',
    'o365.repositories',
    'o365.dashboard',
    'o365.restorePortal',
    'o365.restoreOutlook',
    'o365.restoreOnedrive',
    'o365.restoreSharepoint',
    'o365.restoreTeams',
    'o365.consumption',
    'o365.service-level',
    'o365.consumption-export',
  ],
  'sub-sp': [],
} as const satisfies Record<Role, readonly string[]>;

export type Ability = (typeof GRANTS)[Role][number];

export const ABILITIES: readonly Ability[] = [...new Set(Object.values(GRANTS).flat())].sort();

/** Returns every ability that at least one of these roles grants. */
export const getAbilities = (roles: readonly Role[]): ReadonlySet<Ability> =>
  new Set(roles.flatMap((role): readonly Ability[] => GRANTS[role]));

/** Returns whether any of the user's roles grants the ability. */
export const can = (roles: readonly Role[], ability: Ability): boolean =>
  roles.some((role) => (GRANTS[role] as readonly string[]).includes(ability));
