import type { Role } from '#contract/abilities.ts';
import type { Branding, Features } from '#contract/branding/branding.ts';
import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import type { Page } from '#contract/pages.ts';
import type { Who } from '#workers/api.ts';
import { localPath } from './redirect-target.ts';
import type { IconName } from '../../ui/icon.tsx';
import { menuMessages as t } from './menu.messages.en.ts';

/**
 * `app`: the only app that shows the entry when its group is in every app. `cards`: shown only if
 * subscriptions are paid by card.
 */
export interface Entry {
  readonly to: PagePath;
  readonly word: string;
  readonly icon: IconName;
  readonly app?: 'o365';
  readonly cards?: true;
}
/** A link to an external page, shown after the entries. */
export interface Outside {
  readonly href: string;
  readonly word: string;
}
/**
 * `page`: the page whose access decides whether the group is visible. Entries are also checked one
 * by one.
 * `app`: the only app that shows the group; without it, every app does.
 */
export interface Group {
  readonly heading: string | null;
  readonly app?: 'monitoring' | 'o365';
  readonly page?: Page;
  readonly entries: readonly Entry[];
  readonly outside?: (features: Features | null) => Outside | null;
}

/** SUPPORT-1: the FAQ link, if the provider has enabled one. */
function faqOf(features: Features | null): Outside | null {
  const faq = features?.supportSection.enabled === true ? features.supportSection.links.faq : null;
  return faq?.enabled === true && faq.url !== null ? { href: faq.url, word: t.faq } : null;
}

/** The sidebar groups in display order. Pages and their entries share the same access check. */
export const MENU: readonly Group[] = [
  {
    heading: null,
    app: 'monitoring',
    entries: [
      { to: '/monitoring/dashboard', word: t.dashboard, icon: 'dashboard' },
      { to: '/monitoring/calendar-report', word: t.calendarView, icon: 'calendar' },
      { to: '/monitoring/daily-checks', word: t.dailyChecks, icon: 'daily-checks' },
      { to: '/monitoring/evidence', word: t.evidence, icon: 'log' },
      { to: '/monitoring/repositories', word: t.repositories, icon: 'repository' },
      { to: '/monitoring/computers', word: t.computers, icon: 'computer' },
      { to: '/monitoring/rankings', word: t.rankings, icon: 'ranking' },
      { to: '/monitoring/spreadsheet', word: t.spreadsheetReport, icon: 'sheet' },
      { to: '/monitoring/tickets', word: t.tickets, icon: 'ticket' },
      { to: '/monitoring/rules', word: t.rules, icon: 'rules' },
      { to: '/monitoring/hints', word: t.hints, icon: 'hint' },
      { to: '/monitoring/users', word: t.users, icon: 'users' },
      { to: '/monitoring/companies', word: t.companies, icon: 'companies' },
    ],
  },
  {
    heading: t.reports,
    app: 'monitoring',
    page: { ability: 'monitoring.reporting', when: ({ reporting }) => reporting.enabled },
    entries: [
      { to: '/monitoring/sla', word: t.sla, icon: 'clock' },
      { to: '/monitoring/users-logs', word: t.usersLogs, icon: 'log' },
      { to: '/monitoring/licensing', word: t.licensing, icon: 'licensing' },
      { to: '/monitoring/report-settings', word: t.scheduled, icon: 'scheduled' },
      { to: '/monitoring/analytics/trends', word: t.analyticsTrends, icon: 'trends' },
    ],
  },
  {
    heading: t.microsoft365,
    app: 'o365',
    entries: [{ to: '/o365/dashboard', word: t.overview, icon: 'dashboard' }],
  },
  {
    heading: t.support,
    outside: faqOf,
    entries: [
      { to: '/monitoring/support/request', word: t.request, icon: 'request' },
      { to: '/monitoring/support/live', word: t.live, icon: 'note' },
      { to: '/monitoring/downloads', word: t.downloads, icon: 'download' },
    ],
  },
  {
    heading: t.payments,
    entries: [
      { to: '/monitoring/invoices', word: t.invoices, icon: 'invoice' },
      { to: '/monitoring/billing', word: t.billing, icon: 'card' },
    ],
  },
  {
    heading: t.sources,
    app: 'monitoring',
    entries: [
      { to: '/monitoring/sources', word: t.connectSource, icon: 'source' },
      { to: '/monitoring/connections', word: t.connections, icon: 'cloud' },
      { to: '/monitoring/webhooks', word: t.webhooks, icon: 'external' },
      { to: '/monitoring/ticketing', word: t.ticketing, icon: 'ticket' },
    ],
  },
  {
    heading: t.administration,
    app: 'monitoring',
    entries: [
      { to: '/admin/dashboard', word: t.overview, icon: 'trends' },
      { to: '/admin/events', word: t.events, icon: 'note' },
      { to: '/admin/providers', word: t.providers, icon: 'repository' },
      { to: '/admin/branding', word: t.branding, icon: 'eye' },
      { to: '/admin/settings', word: t.providerSettings, icon: 'settings' },
      { to: '/admin/notices', word: t.notices, icon: 'hint' },
    ],
  },
  {
    heading: t.settings,
    entries: [
      { to: '/monitoring/profile', word: t.profile, icon: 'person' },
      {
        to: '/o365/subscriptions',
        word: t.subscriptions,
        icon: 'licensing',
        app: 'o365',
        cards: true,
      },
      { to: '/monitoring/notifications', word: t.notifications, icon: 'mail' },
      { to: '/monitoring/security', word: t.security, icon: 'lock' },
      { to: '/monitoring/change-password', word: t.changePassword, icon: 'key' },
      { to: '/monitoring/api-keys', word: t.apiKeys, icon: 'source' },
      { to: '/monitoring/api', word: t.api, icon: 'sheet' },
    ],
  },
];

/** Returns the menu groups and entries that these roles can open, without empty groups. */
export const menuOf = (
  roles: readonly Role[],
  features: Features | null = null,
  menu: readonly Group[] = MENU,
  hasCards = false,
): readonly Group[] =>
  menu
    .filter(({ page }) => page === undefined || mayOpen(page, roles, features))
    .map((group) => ({
      ...group,
      entries: group.entries.filter(
        ({ to, cards }) => (cards !== true || hasCards) && mayOpen(PAGES[to], roles, features),
      ),
    }))
    .filter(({ entries, outside }) => entries.length > 0 || (outside?.(features) ?? null) !== null);

/** Returns the sidebar groups of one app. */
export const getAppMenu = (
  app: 'monitoring' | 'o365',
  roles: readonly Role[],
  branding: Branding | null,
): readonly Group[] =>
  menuOf(roles, branding?.features ?? null, MENU, branding?.isStripeEnabled ?? false)
    .filter((group) => (group.app ?? app) === app)
    .map((group) => ({
      ...group,
      entries: group.entries.filter((entry) => (entry.app ?? app) === app),
    }));

/**
 * Returns the start page of these roles: an overview, or the first page that requires an ability.
 * Help and payments are open to everyone, so they are never a start page. The fallback is the
 * profile, which every user has.
 */
export const homeOf = (roles: readonly Role[], features: Features | null = null): string =>
  OVERVIEWS.find((to) => mayOpen(PAGES[to], roles, features)) ??
  menuOf(roles, features)
    .flatMap(({ entries }) => entries)
    .find(({ to }) => PAGES[to].ability !== null)?.to ??
  '/monitoring/profile';

/**
 * Returns where a user starts from the address of an app. The user's landing page takes precedence
 * over the first page of the roles and over the cloud suite's dashboard. `/monitoring` always opens
 * the monitoring app itself.
 */
export function beginOf(who: Who, from: string): string {
  const { me, branding } = who.is === 'in' ? who : { me: null, branding: null };
  const roles = me?.roles ?? [];
  const features = branding?.features ?? null;
  const landing =
    from === '/monitoring' ? null : getLandingPage(me?.landingPage ?? '', roles, features);
  return landing ?? (from === '/o365' ? '/o365/dashboard' : homeOf(roles, features));
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

const isPagePath = (path: string): path is PagePath => Object.hasOwn(PAGES, path);
const OVERVIEWS: readonly PagePath[] = ['/monitoring/dashboard', '/admin/dashboard'];
