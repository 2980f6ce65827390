/**
 * Who may make a call, from the specification: its section 6 says what each role may do, its pages and
 * calls say what for. Calls that are ours are those of the page that makes them.
 */
import type { Role } from '#contract/abilities.ts';

/** `anyone`: also without a sign-in. `everyone`: whoever is signed in. `key`: programs with a key. */
export type Callers = 'anyone' | 'everyone' | 'key' | readonly Role[];

/** "read-only: …, overview, tickets, repositories, …, rankings, dashboard, daily checks"; "operator: the read-only set". */
const READERS = ['read-only', 'operator'] as const;
/** "operator: plus rules, job actions"; nobody else has them. */
const OPERATOR = ['operator'] as const;
/** "admin: … companies, …, hints"; nobody else has them. */
const ADMIN = ['admin'] as const;
/** "admin: … user logs, licensing (with export), invoices"; "super-admin: … licensing, user logs, invoices". */
const OFFICE = ['admin', 'super-admin'] as const;
/** "reporting, report-settings": the only ones that all four have. */
const REPORTS = ['admin', 'read-only', 'operator', 'super-admin'] as const;
/** "super-admin: admin dashboard, o365 subscriptions (with export)". */
const SUPER = ['super-admin'] as const;
/** "o365_admin is required for all cloud-suite pages". */
const SUITE = ['o365_admin'] as const;

/**
 * By the beginning of the address, in whole segments; the longest counts. With a method before it, it
 * counts for this method alone, and more than one without.
 */
const CALLERS: Readonly<Record<string, Callers>> = {
  // Before the sign-in.
  'service-providers/branding': 'anyone',
  'auth/login': 'anyone',
  'auth/refresh': 'anyone',
  'auth/validate': 'anyone',
  'auth/confirm-email': 'anyone',
  'auth/login-token': 'anyone',
  'auth/oidc': 'anyone',
  'auth/invitation': 'anyone',
  'app/get_ip_location': 'anyone',
  'profile/unlock': 'anyone',
  'profile/reset-password': 'anyone',
  'profile/forgot-password': 'anyone',
  // "sign-up and checkout … public"; the payments' own notices are signed.
  'o365/provisioning': 'anyone',
  'o365/billing/stripe': 'anyone',
  // Restore operators may be no users of the portal.
  'o365/operators/devicecode': 'anyone',
  'o365/operators/token': 'anyone',
  'o365/operators/start': 'anyone',
  'o365/operators/callback': 'anyone',

  // "profile, subscriptions, change-password, reset-password, security-questions, forbidden, support: none".
  'auth/logout': 'everyone',
  'auth/reauth': 'everyone',
  'auth/validate-sso': 'everyone',
  'profile/{id}': 'everyone',
  'api-key': 'everyone',
  'notifications': 'everyone',
  'monitoring/backoffice/support': 'everyone',
  'service-providers/hs-token': 'everyone',
  'service-providers/validate-vacid': 'everyone',
  'o365/operators/me': 'everyone',
  // What a device has and finds is what its user may read.
  'sync': 'everyone',
  'monitoring/search': 'everyone',
  // Each user's own notices.
  'monitoring/notify': 'everyone',
  // Whom the user may become is decided by the user's and the other's permissions (USER-3).
  'auth/login-as': 'everyone',
  // "A user with the role sub-sp gets a registration link to invite users": the providers decide it.
  'service-providers/{id}/invitations': 'everyone',
  // Asked for by jobs of the cloud suite and by alarms alike, within the user's companies.
  'companies/{veeamId}/users-to-notify': 'everyone',
  // "subscriptions: none", and the card of the user's own company.
  'monitoring/reporting/licensing/own': 'everyone',
  'o365/service-levels': 'everyone',
  'o365/checkout': 'everyone',
  'GET o365/subscriptions/{userId}': 'everyone',
  'o365/subscriptions/preview': 'everyone',
  'o365/subscriptions/cancel': 'everyone',
  'o365/subscriptions/change-level': 'everyone',
  'o365/subscriptions/rollback': 'everyone',

  'ingest': 'key',

  // Daily checks.
  'GET monitoring/backoffice/jobExecutions': READERS,
  'monitoring/reporting/jobs': READERS,
  'monitoring/reporting/jobs-name': READERS,
  'monitoring/reporting/discovery': READERS,
  'monitoring/reporting/export': READERS,
  'monitoring/reporting/evidence': READERS,
  'monitoring/views': READERS,
  'monitoring/backoffice/hints/at-hand': READERS,
  'monitoring/reporting/repositories': READERS,
  'GET monitoring/backoffice/tickets': READERS,
  'monitoring/reporting/tickets': READERS,
  // "operator: plus … job actions".
  'monitoring/backoffice/jobExecutions': OPERATOR,
  'monitoring/backoffice/jobs': OPERATOR,
  'monitoring/backoffice/computers': OPERATOR,
  'monitoring/backoffice/tickets': OPERATOR,
  'monitoring/hand-overs': OPERATOR,
  'monitoring/backoffice/hints/{id}/helped': OPERATOR,
  'monitoring/reporting/save-sla-alarm': OPERATOR,
  'monitoring/reporting/remove-sla-alarm': OPERATOR,
  'monitoring/backoffice/rules': OPERATOR,
  // "analytics/trends: monitoring.trends".
  'monitoring/reporting/jobs/analytics': ['admin', 'operator', 'super-admin'],
  'monitoring/reporting/get-sla-alarm': REPORTS,
  'monitoring/reporting/get-all-sla-alarm': REPORTS,
  'monitoring/reporting/sla-report': REPORTS,
  'monitoring/reporting/reports': REPORTS,

  'monitoring/backoffice/hints': ADMIN,
  'companies': ADMIN,
  'monitoring/reporting/companies': ADMIN,
  // Which company is which one elsewhere is part of the companies.
  'GET monitoring/backoffice/tickets/connectwise/companies': ADMIN,
  'GET monitoring/backoffice/tickets/autotask/accounts': ADMIN,
  'monitoring/backoffice/ticketing': ADMIN,
  'o365/quickbooks/connection': ADMIN,
  'o365/quickbooks/customers': ADMIN,

  'monitoring/reporting/licensing': OFFICE,
  'monitoring/reporting/service-providers': OFFICE,
  'monitoring/reporting/users/logs': OFFICE,
  'o365/quickbooks/invoices': OFFICE,
  'o365/quickbooks/invoices-csv': OFFICE,
  // Ours: connecting a source is an administrator's task.
  'monitoring/sources': OFFICE,
  'monitoring/webhooks': OFFICE,
  'monitoring/connections': OFFICE,

  // "admin: … users"; "o365_admin: monitoring users".
  'users': ['admin', 'o365_admin'],
  'monitoring/reporting/users': ['admin', 'o365_admin'],

  'admin': SUPER,
  'service-providers': SUPER,
  'notifications/publish': SUPER,
  'notifications/published': SUPER,
  'DELETE notifications/{id}': SUPER,
  // "Back-office functions suggest an administrator level": of subscriptions, so who has those.
  'o365/subscriptions': SUPER,
  'o365/billing': SUPER,
  'o365/deleted-companies': SUPER,
  'o365/quickbooks': SUPER,
  'o365/solarwinds': SUPER,

  'o365/organizations': SUITE,
  'o365/version': SUITE,
  'o365/jobs': SUITE,
  'o365/repositories': SUITE,
  'o365/proxies': SUITE,
  'o365/dashboard': SUITE,
  'o365/licensing': SUITE,
  'o365/consumption': SUITE,
  'o365/restore': SUITE,
  // "license-consumption export": both have it.
  'o365/licensing/export': ['super-admin', 'o365_admin'],
  'o365/consumption/export': ['super-admin', 'o365_admin'],
};

/** Returns null for a call that the table doesn't have. */
export function getCallers(method: string, path: string): Callers | null {
  const segments = path.split('/');
  for (let length = segments.length; length > 0; length -= 1) {
    const begin = segments.slice(0, length).join('/');
    const found = CALLERS[`${method} ${begin}`] ?? CALLERS[begin];
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns the entries that no call begins with. */
export const listUnused = (calls: readonly { readonly method: string; readonly path: string }[]) =>
  Object.keys(CALLERS).filter(
    (entry) =>
      !calls.some(({ method, path }) =>
        [`${path}/`, `${method} ${path}/`].some((one) => one.startsWith(`${entry}/`)),
      ),
  );
