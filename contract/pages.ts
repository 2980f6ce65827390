import { can } from './abilities.ts';
import type { Ability, Role } from './abilities.ts';
import type { Features } from './branding/branding.ts';
import type { PagePath } from './page-paths.ts';

/**
 * Access to a page. Users need the ability (null: any signed-in user), and `when` must return true
 * for the portal's features and the user's roles. `needsRole`: users with any role; restore operators
 * who signed in with Microsoft have none.
 */
export interface PageAccess {
  readonly ability: Ability | null;
  readonly needsRole?: true;
  readonly when?: (features: Features, roles: readonly Role[]) => boolean;
}

/** SUPPORT-1. */
const hasLink = (
  { enabled, links }: Features['supportSection'],
  link: 'request' | 'live' | 'downloads',
): boolean => enabled && links[link];
const support = (link: 'request' | 'live' | 'downloads'): PageAccess => ({
  ability: null,
  when: ({ supportSection }) => hasLink(supportSection, link),
});

/** A page of the cloud suite that needs its role besides the ability of its data. */
const inSuite = (
  ability: Ability | null,
  when: (features: Features) => boolean = () => true,
): PageAccess => ({
  ability,
  when: (features, roles) => roles.includes('o365_admin') && when(features),
});

/**
 * Every page of the signed-in portal by its path. A path without a row or without a screen doesn't
 * compile.
 */
export const PAGES: Readonly<Record<PagePath, PageAccess>> = {
  '/monitoring/dashboard': { ability: 'monitoring.dashboard' },
  '/monitoring/calendar-report': { ability: 'monitoring.calendar-report' },
  '/monitoring/daily-checks': { ability: 'monitoring.daily-checks' },
  '/monitoring/daily-checks/disabled-jobs': { ability: 'monitoring.daily-checks' },
  '/monitoring/daily-checks/computers': { ability: 'monitoring.daily-checks' },
  '/monitoring/rules': { ability: 'monitoring.rules', when: ({ rules }) => rules },
  '/monitoring/hints': { ability: 'monitoring.hints', when: ({ hints }) => hints },
  '/monitoring/tickets': { ability: 'monitoring.tickets' },
  '/monitoring/webhooks': { ability: 'monitoring.sources' },
  '/monitoring/ticketing': { ability: 'common.companies' },
  '/monitoring/users': { ability: 'monitoring.users' },
  '/monitoring/companies': { ability: 'common.companies' },
  '/monitoring/users-logs': { ability: 'monitoring.userLogs' },
  '/monitoring/licensing': {
    ability: 'monitoring.licensing',
    when: ({ reporting }) => reporting.enabled,
  },
  '/monitoring/invoices': {
    ability: 'monitoring.invoices',
    when: ({ invoice_automation: on }) => on,
  },
  '/monitoring/invoices/quickbooks': {
    ability: 'common.companies',
    when: ({ invoice_automation: on }) => on,
  },
  '/monitoring/billing': {
    ability: null,
    needsRole: true,
    when: ({ billing }) => billing.ccCollection,
  },
  '/monitoring/sla': {
    ability: 'monitoring.reporting',
    when: ({ reporting }) => reporting.enabled,
  },
  '/monitoring/report-settings': {
    ability: 'monitoring.report-settings',
    when: ({ reporting: { visibleFor } }, roles) =>
      visibleFor.some((one) => one === 'all' || roles.includes(one)),
  },
  '/monitoring/evidence': { ability: 'monitoring.daily-checks' },
  '/monitoring/repositories': { ability: 'monitoring.repositories' },
  '/monitoring/computers': { ability: 'monitoring.daily-checks' },
  '/monitoring/rankings': { ability: 'monitoring.rankings' },
  '/monitoring/spreadsheet': { ability: 'monitoring.spreadsheet-report' },
  '/monitoring/analytics/trends': { ability: 'monitoring.trends' },
  '/monitoring/sources': { ability: 'monitoring.sources' },
  '/monitoring/connections': { ability: 'monitoring.sources' },
  '/monitoring/support/request': support('request'),
  '/monitoring/support/live': support('live'),
  '/monitoring/downloads': support('downloads'),
  '/monitoring/profile': { ability: null },
  '/monitoring/subscriptions': { ability: null },
  '/monitoring/notifications': { ability: null },
  '/monitoring/security': { ability: null },
  '/monitoring/api-keys': { ability: null, needsRole: true },
  '/monitoring/api': { ability: null, needsRole: true },
  '/monitoring/change-password': { ability: null },
  '/monitoring/reset-password': { ability: null },
  '/monitoring/security-questions': { ability: null },
  '/monitoring/forbidden': { ability: null },
  '/o365/dashboard': { ability: 'o365.dashboard' },
  '/o365/organizations': { ability: 'o365.organizations' },
  '/o365/jobs': { ability: 'o365.jobs' },
  '/o365/repositories': { ability: 'o365.repositories' },
  '/o365/users': { ability: 'o365.users' },
  '/o365/users-logs': inSuite('monitoring.userLogs'),
  '/o365/licensing': { ability: 'o365.licensing' },
  '/o365/license-consumption': { ability: 'o365.consumption' },
  '/o365/billing': inSuite('o365.subscriptions'),
  '/o365/service-level': { ability: 'o365.service-level' },
  '/o365/restore/outlook': {
    ability: 'o365.restoreOutlook',
    when: ({ office365 }) => office365.restorePortal.outlook,
  },
  '/o365/restore/onedrive': {
    ability: 'o365.restoreOnedrive',
    when: ({ office365 }) => office365.restorePortal.onedrive,
  },
  '/o365/restore/downloads': {
    ability: 'o365.restorePortal',
    when: ({ office365: { restorePortal } }) => Object.values(restorePortal).includes(true),
  },
  '/o365/restore/sharepoint': {
    ability: 'o365.restoreSharepoint',
    when: ({ office365 }) => office365.restorePortal.sharepoint,
  },
  '/o365/restore/teams': {
    ability: 'o365.restoreTeams',
    when: ({ office365 }) => office365.restorePortal.teams,
  },
  '/o365/restore/audit': inSuite('o365.restorePortal'),
  '/o365/restore-operator-roles': inSuite('o365.organizations'),
  '/o365/invoices': inSuite('monitoring.invoices', ({ invoice_automation: on }) => on),
  '/o365/profile': inSuite(null),
  '/o365/subscriptions': inSuite(null),
  '/o365/change-password': inSuite(null),
  '/o365/reset-password': inSuite(null),
  '/o365/security-questions': inSuite(null),
  '/o365/support/request': inSuite(null, ({ supportSection }) =>
    hasLink(supportSection, 'request'),
  ),
  '/o365/support/live': inSuite(null, ({ supportSection }) => hasLink(supportSection, 'live')),
  '/o365/forbidden': { ability: null },
  '/admin/dashboard': { ability: 'admin.dashboard' },
  '/admin/events': { ability: 'admin.dashboard' },
  '/admin/providers': { ability: 'admin.dashboard' },
  '/admin/branding': { ability: 'admin.dashboard' },
  '/admin/settings': { ability: 'admin.dashboard' },
  '/admin/billing': { ability: 'o365.subscriptions' },
  '/admin/subscriptions': { ability: 'o365.subscriptions' },
  '/admin/notices': { ability: 'admin.dashboard' },
  '/admin/profile': { ability: null },
  '/admin/change-password': { ability: null },
  '/admin/reset-password': { ability: null },
  '/admin/security-questions': { ability: null },
  '/admin/forbidden': { ability: null },
};

/**
 * Returns whether a user with these roles may open the page. `features` null: not known yet, so
 * features that must be switched on count as off.
 */
export const mayOpen = (
  { ability, needsRole, when }: PageAccess,
  roles: readonly Role[],
  features: Features | null,
): boolean =>
  (ability === null || can(roles, ability)) &&
  (needsRole !== true || roles.length > 0) &&
  (when === undefined || (features !== null && when(features, roles)));
