/**
 * The path of every page of the signed-in portal, in the order of its table. A file of its own,
 * because the first page needs nothing else of that table.
 */
export const PAGE_PATHS = [
  '/monitoring/dashboard',
  '/monitoring/calendar-report',
  '/monitoring/daily-checks',
  '/monitoring/daily-checks/disabled-jobs',
  '/monitoring/daily-checks/computers',
  '/monitoring/rules',
  '/monitoring/hints',
  '/monitoring/tickets',
  '/monitoring/ticketing',
  '/monitoring/users',
  '/monitoring/companies',
  '/monitoring/users-logs',
  '/monitoring/licensing',
  '/monitoring/invoices',
  '/monitoring/invoices/quickbooks',
  '/monitoring/billing',
  '/monitoring/sla',
  '/monitoring/report-settings',
  '/monitoring/evidence',
  '/monitoring/repositories',
  '/monitoring/computers',
  '/monitoring/rankings',
  '/monitoring/spreadsheet',
  '/monitoring/analytics/trends',
  '/monitoring/sources',
  '/monitoring/connections',
  '/monitoring/webhooks',
  '/monitoring/support/request',
  '/monitoring/support/live',
  '/monitoring/downloads',
  '/monitoring/profile',
  '/monitoring/subscriptions',
  '/monitoring/notifications',
  '/monitoring/security',
  '/monitoring/api-keys',
  '/monitoring/api',
  '/monitoring/change-password',
  '/monitoring/reset-password',
  '/monitoring/security-questions',
  '/monitoring/forbidden',
  '/o365/dashboard',
  '/o365/organizations',
  '/o365/jobs',
  '/o365/repositories',
  '/o365/users',
  '/o365/users-logs',
  '/o365/licensing',
  '/o365/license-consumption',
  '/o365/billing',
  '/o365/service-level',
  '/o365/restore/outlook',
  '/o365/restore/onedrive',
  '/o365/restore/downloads',
  '/o365/restore/sharepoint',
  '/o365/restore/teams',
  '/o365/restore/audit',
  '/o365/restore-operator-roles',
  '/o365/invoices',
  '/o365/profile',
  '/o365/subscriptions',
  '/o365/change-password',
  '/o365/reset-password',
  '/o365/security-questions',
  '/o365/support/request',
  '/o365/support/live',
  '/o365/forbidden',
  '/admin/dashboard',
  '/admin/events',
  '/admin/providers',
  '/admin/branding',
  '/admin/settings',
  '/admin/billing',
  '/admin/subscriptions',
  '/admin/notices',
  '/admin/profile',
  '/admin/change-password',
  '/admin/reset-password',
  '/admin/security-questions',
  '/admin/forbidden',
] as const;
export type PagePath = (typeof PAGE_PATHS)[number];

const PATHS: ReadonlySet<string> = new Set(PAGE_PATHS);
export const isPagePath = (path: string): path is PagePath => PATHS.has(path);

/** The apps of the portal, as the first part of a page's path. */
export const AREAS = ['monitoring', 'o365', 'admin'] as const;
export type Area = (typeof AREAS)[number];

/** Returns the app that a page belongs to: for pages after a payment, Microsoft 365. */
export const getArea = (path: string): Area =>
  AREAS.find((area) => path === `/${area}` || path.startsWith(`/${area}/`)) ??
  (path.startsWith('/subscriptions/') ? 'o365' : 'monitoring');

/** Returns the same page in another area; the given path if that area doesn't have it. */
export function getPageIn(area: Area, path: PagePath): PagePath {
  const own = path.replace(/^\/[^/]+/, `/${area}`);
  return isPagePath(own) ? own : path;
}
