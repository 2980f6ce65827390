import type { Role } from '#contract/abilities.ts';
import type { Branding, Features } from '#contract/branding/branding.ts';
import { getPageIn, isPagePath, type PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import type { PageAccess } from '#contract/pages.ts';
import type { ClientSessionState } from '#workers/api.ts';
import { localPath } from './redirect-target.ts';
import type { IconName } from '../../ui/icon.tsx';
import type { TextKey } from '#contract/i18n/labels.ts';
import { menuMessages as t } from './menu.messages.en.ts';

/**
 * `app`: the only app that shows the entry when its group is in every app. `cards`: shown only if
 * subscriptions are paid by card. `own`: shown only to users who see subscriptions (BILL-14). `tip`:
 * what the page is for.
 */
export interface Entry {
  readonly to: PagePath;
  readonly word: string;
  readonly icon: IconName;
  readonly app?: 'monitoring' | 'o365';
  readonly cards?: true;
  readonly own?: true;
  readonly tip?: string | undefined;
}
/** A link to an external page, shown after the entries. `tip`: what it is for. */
export interface Outside {
  readonly href: string;
  readonly word: string;
  readonly tip?: string;
}
/**
 * `page`: the page whose access decides whether the group is visible. Entries are also checked one
 * by one.
 * `app`: the only app that shows the group; without it, every app does.
 */
export interface MenuGroup {
  readonly heading: string | null;
  readonly app?: 'monitoring' | 'o365';
  readonly page?: PageAccess;
  readonly entries: readonly Entry[];
  readonly outside?: (features: Features | null, app: 'monitoring' | 'o365') => readonly Outside[];
}

/**
 * SUPPORT-1: the FAQ link, if the provider has enabled one. In the cloud suite also the portal in
 * which end users restore their own data.
 */
function supportLinks(features: Features | null, app: 'monitoring' | 'o365'): readonly Outside[] {
  const faq = features?.supportSection.enabled === true ? features.supportSection.links.faq : null;
  const office365 = app === 'o365' ? features?.office365 : undefined;
  const hasPortal = Object.values(office365?.restorePortal ?? {}).includes(true);
  const restoreUrl = office365?.restoreUrl ?? (hasPortal ? '/restore' : null);
  return [
    ...(faq?.enabled === true && faq.url !== null ? [{ href: faq.url, word: t.faq }] : []),
    ...(restoreUrl === null
      ? []
      : [{ href: restoreUrl, word: t.endUserRestore, tip: t.endUserRestoreTip }]),
  ];
}

/** Returns an entry whose word follows the language, which is set after this file is loaded. */
const entry = (
  to: PagePath,
  word: TextKey<typeof t>,
  icon: IconName,
  {
    tip,
    ...more
  }: Pick<Entry, 'app' | 'cards' | 'own'> & { readonly tip?: TextKey<typeof t> } = {},
): Entry => ({
  to,
  get word() {
    return t[word];
  },
  icon,
  get tip() {
    return tip === undefined ? undefined : t[tip];
  },
  ...more,
});

/** Returns a group whose heading follows the language. */
const group = (heading: TextKey<typeof t>, rest: Omit<MenuGroup, 'heading'>): MenuGroup => ({
  get heading() {
    return t[heading];
  },
  ...rest,
});

/** The sidebar groups in display order. Pages and their entries share the same access check. */
export const MENU: readonly MenuGroup[] = [
  {
    heading: null,
    app: 'monitoring',
    entries: [
      entry('/monitoring/dashboard', 'dashboard', 'dashboard'),
      entry('/monitoring/calendar-report', 'calendarView', 'calendar'),
      entry('/monitoring/daily-checks', 'dailyChecks', 'daily-checks'),
      entry('/monitoring/evidence', 'evidence', 'log'),
      entry('/monitoring/repositories', 'repositories', 'repository'),
      entry('/monitoring/computers', 'computers', 'computer'),
      entry('/monitoring/rankings', 'rankings', 'ranking'),
      entry('/monitoring/spreadsheet', 'spreadsheetReport', 'sheet'),
      entry('/monitoring/tickets', 'tickets', 'ticket'),
      entry('/monitoring/rules', 'rules', 'rules'),
      entry('/monitoring/hints', 'hints', 'hint'),
      entry('/monitoring/users', 'users', 'users'),
      entry('/monitoring/companies', 'companies', 'companies'),
    ],
  },
  group('reports', {
    app: 'monitoring',
    page: { ability: 'monitoring.reporting', when: ({ reporting }) => reporting.enabled },
    entries: [
      entry('/monitoring/sla', 'sla', 'clock'),
      entry('/monitoring/users-logs', 'usersLogs', 'log'),
      entry('/monitoring/licensing', 'licensing', 'licensing'),
      entry('/monitoring/report-settings', 'scheduled', 'scheduled'),
      entry('/monitoring/analytics/trends', 'analyticsTrends', 'trends'),
    ],
  }),
  {
    heading: null,
    app: 'o365',
    entries: [
      entry('/o365/dashboard', 'dashboard', 'dashboard'),
      entry('/o365/jobs', 'jobs', 'scheduled'),
      entry('/o365/organizations', 'organizations', 'companies'),
      entry('/o365/repositories', 'repositories', 'repository'),
    ],
  },
  group('reports', {
    app: 'o365',
    entries: [
      entry('/o365/licensing', 'licensing', 'licensing'),
      entry('/o365/license-consumption', 'licensedUsers', 'users'),
    ],
  }),
  group('restore', {
    app: 'o365',
    entries: [
      entry('/o365/restore/outlook', 'outlook', 'mail'),
      entry('/o365/restore/onedrive', 'oneDrive', 'cloud'),
      entry('/o365/restore/sharepoint', 'sharePoint', 'companies'),
      entry('/o365/restore/teams', 'teams', 'users'),
      entry('/o365/restore/downloads', 'downloads', 'download'),
      entry('/o365/restore/audit', 'audit', 'log'),
    ],
  }),
  group('support', {
    outside: supportLinks,
    entries: [
      entry('/monitoring/support/request', 'request', 'request'),
      entry('/monitoring/support/live', 'live', 'note'),
      entry('/monitoring/downloads', 'downloads', 'download'),
      entry('/o365/restore-operator-roles', 'restoreOperators', 'users', {
        app: 'o365',
        tip: 'restoreOperatorsTip',
      }),
    ],
  }),
  group('payments', {
    entries: [
      entry('/monitoring/invoices', 'invoices', 'invoice'),
      entry('/monitoring/billing', 'billing', 'card', { app: 'monitoring' }),
      entry('/o365/billing', 'billing', 'card', { app: 'o365', cards: true }),
      entry('/o365/service-level', 'serviceLevel', 'licensing', {
        app: 'o365',
        cards: true,
        own: true,
      }),
    ],
  }),
  group('sources', {
    app: 'monitoring',
    entries: [
      entry('/monitoring/sources', 'connectSource', 'source'),
      entry('/monitoring/connections', 'connections', 'cloud'),
      entry('/monitoring/webhooks', 'webhooks', 'external'),
      entry('/monitoring/ticketing', 'ticketing', 'ticket'),
    ],
  }),
  group('administration', {
    app: 'monitoring',
    entries: [
      entry('/admin/dashboard', 'overview', 'trends'),
      entry('/admin/events', 'events', 'note'),
      entry('/admin/providers', 'providers', 'repository'),
      entry('/admin/branding', 'branding', 'eye'),
      entry('/admin/settings', 'providerSettings', 'settings'),
      entry('/admin/subscriptions', 'allSubscriptions', 'licensing'),
      entry('/admin/billing', 'billingSettings', 'card'),
      entry('/admin/notices', 'notices', 'hint'),
    ],
  }),
  group('settings', {
    entries: [
      entry('/monitoring/profile', 'profile', 'person'),
      entry('/o365/subscriptions', 'subscriptions', 'licensing', { app: 'o365', cards: true }),
      entry('/monitoring/notifications', 'notifications', 'mail'),
      entry('/monitoring/security', 'security', 'lock'),
      entry('/monitoring/change-password', 'changePassword', 'key'),
      entry('/monitoring/api-keys', 'apiKeys', 'source'),
      entry('/monitoring/api', 'api', 'sheet'),
    ],
  }),
];

/** Returns the menu groups and entries that these roles can open, without empty groups. */
export const getMenu = (
  roles: readonly Role[],
  features: Features | null = null,
  menu: readonly MenuGroup[] = MENU,
  hasCards = false,
  app: 'monitoring' | 'o365' = 'monitoring',
): readonly MenuGroup[] =>
  menu
    .filter(({ page }) => page === undefined || mayOpen(page, roles, features))
    .map((group) => ({
      ...group,
      entries: group.entries.filter(
        ({ to, cards }) => (cards !== true || hasCards) && mayOpen(PAGES[to], roles, features),
      ),
    }))
    .filter(
      ({ entries, outside }) => entries.length > 0 || (outside?.(features, app).length ?? 0) > 0,
    );

/**
 * Returns the sidebar groups of one app. `seesSubscriptions`: whether the user sees all subscriptions,
 * or has companies that can have one.
 */
export const getAppMenu = (
  app: 'monitoring' | 'o365',
  roles: readonly Role[],
  branding: Branding | null,
  seesSubscriptions = true,
): readonly MenuGroup[] =>
  getMenu(roles, branding?.features ?? null, MENU, branding?.isStripeEnabled ?? false, app)
    .filter((group) => (group.app ?? app) === app)
    .map((group) => ({
      ...group,
      entries: group.entries
        .filter((entry) => (entry.app ?? app) === app && (seesSubscriptions || entry.own !== true))
        .map((entry) => ({ ...entry, to: getOpenPageIn(app, entry.to, roles, branding) })),
    }));

/** Returns the page in an app, or the given one if that app doesn't have it for these roles. */
function getOpenPageIn(
  app: 'monitoring' | 'o365',
  path: PagePath,
  roles: readonly Role[],
  branding: Branding | null,
): PagePath {
  const own = path.startsWith('/monitoring/') ? getPageIn(app, path) : path;
  return mayOpen(PAGES[own], roles, branding?.features ?? null) ? own : path;
}

/**
 * Returns the start page of these roles: an overview, or the first page that requires an ability.
 * Help and payments are open to everyone, so they are never a start page. The fallback is the
 * profile, which every user has.
 */
export const getHomePage = (roles: readonly Role[], features: Features | null = null): string =>
  OVERVIEWS.find((to) => mayOpen(PAGES[to], roles, features)) ??
  getMenu(roles, features)
    .flatMap(({ entries }) => entries)
    .find(({ to }) => PAGES[to].ability !== null)?.to ??
  '/monitoring/profile';

/**
 * Returns where a user starts from the address of an app. The user's landing page takes precedence
 * over the first page of the roles and over the cloud suite's dashboard. `/monitoring` always opens
 * the monitoring app itself.
 */
export function getStartPage(who: ClientSessionState, from: string): string {
  const { me, branding } = who.kind === 'in' ? who : { me: null, branding: null };
  const roles = me?.roles ?? [];
  const features = branding?.features ?? null;
  const landing =
    from === '/monitoring' ? null : getLandingPage(me?.landingPage ?? '', roles, features);
  return landing ?? (from === '/o365' ? '/o365/dashboard' : getHomePage(roles, features));
}

/** Returns the landing page as a path of this site, or null if these roles cannot open it. */
function getLandingPage(
  page: string,
  roles: readonly Role[],
  features: Features | null,
): string | null {
  const local = localPath(page);
  const path = local?.replace(/[?#].*$/, '').replace(/\/+$/, '') ?? '';
  const gate = isPagePath(path)
    ? PAGES[path]
    : path === '/monitoring/wall'
      ? PAGES['/monitoring/daily-checks']
      : null;
  const isOpen =
    gate === null ? path.startsWith('/monitoring/apps/') : mayOpen(gate, roles, features);
  return isOpen && !path.endsWith('/forbidden') ? local : null;
}

const OVERVIEWS: readonly PagePath[] = ['/monitoring/dashboard', '/admin/dashboard'];
