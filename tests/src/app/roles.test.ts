import { expect, test } from 'vitest';
import { can, ROLES } from '#contract/abilities.ts';
import type { Ability, Role } from '#contract/abilities.ts';
import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { Features } from '#contract/branding/branding.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import { PAGE_PATHS } from '#contract/page-paths.ts';
import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import type { KnownWho } from '#src/app/router/route-guards.ts';
import { getAppMenu, getHomePage, getMenu } from '#src/app/router/menu.ts';
import { guardPage } from '#src/app/router/page-route-guard.ts';
import { getBranding, getMe, getScene } from '#tests/playground/scene.ts';

/**
 * The table of the specification's section 6, as it is written there; `sources` is the portal's
 * own.
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
    'users o365.users o365.jobs o365.organizations o365.reporting o365.licensing o365.repositories o365.dashboard o365.restorePortal o365.restoreOutlook o365.restoreOnedrive o365.restoreSharepoint o365.restoreTeams o365.consumption o365.service-level o365.consumption-export',
  'sub-sp': '',
};
const getAbilities = (role: Role): readonly string[] =>
  TABLE[role]
    .split(' ')
    .filter((word) => word !== '')
    .map((word) =>
      word.includes('.') ? word : word === 'companies' ? 'common.companies' : `monitoring.${word}`,
    );
const ALL = [...new Set(ROLES.flatMap((role) => getAbilities(role)))] as readonly Ability[];

/**
 * The specification's routes below /monitoring that are pages, all of them, by what they need: an
 * ability (null: being signed in), and what the portal has to have switched on. The landing page of
 * single sign-on, /monitoring/apps/{provider}, is a route of its own.
 */
const NAMED: readonly (readonly [
  path: string,
  ability: Ability | null,
  to?: (features: Features, on: boolean, role: Role) => Features,
])[] = [
  ['/monitoring/dashboard', 'monitoring.dashboard'],
  ['/monitoring/users', 'monitoring.users'],
  ['/monitoring/users-logs', 'monitoring.userLogs'],
  ['/monitoring/companies', 'common.companies'],
  ['/monitoring/rules', 'monitoring.rules', (features, on) => ({ ...features, rules: on })],
  ['/monitoring/hints', 'monitoring.hints', (features, on) => ({ ...features, hints: on })],
  ['/monitoring/profile', null],
  ['/monitoring/subscriptions', null],
  ['/monitoring/change-password', null],
  ['/monitoring/reset-password', null],
  ['/monitoring/security-questions', null],
  ['/monitoring/forbidden', null],
  ['/monitoring/daily-checks', 'monitoring.daily-checks'],
  ['/monitoring/calendar-report', 'monitoring.calendar-report'],
  ['/monitoring/analytics/trends', 'monitoring.trends'],
  [
    '/monitoring/licensing',
    'monitoring.licensing',
    (features, on) => ({ ...features, reporting: { ...features.reporting, enabled: on } }),
  ],
  [
    '/monitoring/report-settings',
    'monitoring.report-settings',
    (features, on, role) => ({
      ...features,
      reporting: { enabled: true, visibleFor: ROLES.filter((one) => (one === role) === on) },
    }),
  ],
  ['/monitoring/downloads', null, (features, on) => linked(features, 'downloads', on)],
  ['/monitoring/support/request', null, (features, on) => linked(features, 'request', on)],
  ['/monitoring/support/live', null, (features, on) => linked(features, 'live', on)],
  ['/monitoring/billing', null, (features, on) => ({ ...features, billing: { ccCollection: on } })],
  [
    '/monitoring/invoices',
    'monitoring.invoices',
    (features, on) => ({ ...features, invoice_automation: on }),
  ],
];
const linked = (
  features: Features,
  link: 'downloads' | 'request' | 'live',
  on: boolean,
): Features => ({
  ...features,
  supportSection: { enabled: true, links: { ...features.supportSection.links, [link]: on } },
});
const isPage = (path: string): path is PagePath => PAGE_PATHS.some((one) => one === path);

/** What a page asks of the server when it is opened. */
const REQUESTED: Partial<Record<PagePath, readonly CallName[]>> = {
  '/monitoring/users': ['listUsers', 'exportUsers', 'createUser', 'editUser', 'resetFactors'],
  '/monitoring/companies': ['reportCompanies', 'exportCompanies', 'createCompany'],
  '/monitoring/users-logs': ['listUserLogs', 'exportUserLogs'],
  '/monitoring/evidence': ['listEvidence'],
  '/monitoring/sources': ['listKeys', 'createKey'],
  '/monitoring/daily-checks/computers': ['listComputersNow'],
  '/monitoring/rules': ['listRules', 'createRule', 'testRule'],
  '/admin/dashboard': ['getAdminOverview', 'listProviders'],
  '/admin/events': ['listAdminEvents', 'exportAdminEvents', 'listProviders'],
  '/admin/providers': ['listProviders', 'createProvider', 'setHosts'],
  '/admin/branding': ['getProviderBranding', 'editBranding', 'listProviders'],
  '/admin/settings': ['getProviderSettings', 'setProviderSettings', 'listProviders'],
  '/admin/subscriptions': ['listAllSubscriptions', 'exportAllSubscriptions'],
  '/admin/notices': ['listPublishedNotifications', 'publishNotification'],
  '/monitoring/profile': ['readProfile', 'editProfile'],
  '/monitoring/security': ['getFactors', 'listSessions'],
  '/monitoring/change-password': ['changePasswordDb', 'changePasswordAd'],
};

const scene = getScene(null);
const ON: Features = {
  ...PLAIN_FEATURES,
  rules: true,
  hints: true,
  reporting: { enabled: true, visibleFor: ['all'] },
  invoice_automation: true,
  billing: { ccCollection: true },
  supportSection: {
    enabled: true,
    links: {
      request: true,
      live: true,
      downloads: true,
      faq: { enabled: true, url: 'https://example.com' },
    },
  },
};
const inAs = (role: Role, features: Features): KnownWho => ({
  kind: 'in',
  me: getMe({ ...scene, roles: [role] }),
  branding: { ...getBranding(scene), features },
  offlineUntil: 0,
});

test('PAGE-2: each role has the permissions of the table, and no others', () => {
  for (const role of ROLES)
    expect([role, ALL.filter((ability) => can([role], ability)).toSorted()]).toEqual([
      role,
      [...getAbilities(role)].toSorted(),
    ]);
});

test('PAGE-2: every route of the specification below /monitoring is a page that opens for its permission if the portal has it on, and leads to forbidden otherwise', () => {
  expect(NAMED.map(([path]) => path).filter((path) => !isPage(path))).toEqual([]);
  for (const [path, ability, to] of NAMED) {
    if (!isPage(path)) continue;
    expect([path, PAGES[path].ability, PAGES[path].when !== undefined]).toEqual([
      path,
      ability,
      to !== undefined,
    ]);
    for (const role of ROLES) {
      const passage = (features: Features): string =>
        guardPage(path, inAs(role, features), { path, entering: false }).kind;
      const has = ability === null || getAbilities(role).includes(ability);
      // Nothing on but that, and all on but that.
      expect([role, path, passage(to?.(PLAIN_FEATURES, true, role) ?? PLAIN_FEATURES)]).toEqual([
        role,
        path,
        has ? 'pass' : 'forbidden',
      ]);
      if (to !== undefined)
        expect([role, path, passage(to(ON, false, role))]).toEqual([role, path, 'forbidden']);
    }
  }
  // Held the other way round: what asks for no ability is what the specification opens to whoever
  // is signed in, and the portal's own pages of a user.
  const open = PAGE_PATHS.filter(
    (path) => path.startsWith('/monitoring/') && PAGES[path].ability === null,
  );
  const own = [
    '/monitoring/notifications',
    '/monitoring/security',
    '/monitoring/api-keys',
    '/monitoring/api',
  ];
  expect([...open].toSorted()).toEqual(
    [...NAMED.flatMap(([path, ability]) => (ability === null ? [path] : [])), ...own].toSorted(),
  );
});

test('RES-52: a restore operator without roles has its own settings, and neither payments nor API keys', () => {
  const branding = { ...getBranding(scene), features: ON };
  const menu = getAppMenu('monitoring', [], branding);
  expect(menu.map(({ heading }) => heading)).toEqual(['Support', 'Settings']);
  const listed = menu.flatMap(({ entries }) => entries.map(({ to }) => to));
  for (const path of ['profile', 'notifications', 'security', 'change-password'])
    expect(listed).toContain(`/monitoring/${path}`);
  for (const path of ['/monitoring/billing', '/monitoring/api-keys', '/monitoring/api'] as const)
    expect([
      path,
      listed.includes(path),
      mayOpen(PAGES[path], [], ON),
      mayOpen(PAGES[path], ['sub-sp'], ON),
    ]).toEqual([path, false, false, true]);
});

/** The routes of the cloud suite that exist, by the ability that the specification names. */
const SUITE: readonly (readonly [path: PagePath, ability: Ability])[] = [
  ['/o365/dashboard', 'o365.dashboard'],
  ['/o365/organizations', 'o365.organizations'],
  ['/o365/jobs', 'o365.jobs'],
  ['/o365/repositories', 'o365.repositories'],
  ['/o365/licensing', 'o365.licensing'],
  ['/o365/license-consumption', 'o365.consumption'],
  ['/o365/service-level', 'o365.service-level'],
  ['/o365/users', 'o365.users'],
];

/** Pages of the cloud suite that the specification opens without an ability, and those of data. */
const OWN_SUITE: readonly (readonly [path: PagePath, ability: Ability | null])[] = [
  ['/o365/profile', null],
  ['/o365/subscriptions', null],
  ['/o365/change-password', null],
  ['/o365/reset-password', null],
  ['/o365/security-questions', null],
  ['/o365/support/request', null],
  ['/o365/support/live', null],
  ['/o365/users-logs', 'monitoring.userLogs'],
  ['/o365/restore-operator-roles', 'o365.organizations'],
  ['/o365/restore/audit', 'o365.restorePortal'],
  ['/o365/invoices', 'monitoring.invoices'],
  ['/o365/billing', 'o365.subscriptions'],
];

test('PAGE-2, SUITE-40: the pages of the account and of support are in each area, for those who may open the area', () => {
  for (const [path, ability] of OWN_SUITE) {
    expect([path, PAGES[path].ability]).toEqual([path, ability]);
    for (const roles of [...ROLES.map((role) => [role]), ['o365_admin', 'admin'] as const]) {
      const has =
        roles.includes('o365_admin') &&
        (ability === null || roles.some((role) => getAbilities(role).includes(ability)));
      expect([roles, path, mayOpen(PAGES[path], roles, ON)]).toEqual([roles, path, has]);
    }
  }
  for (const page of [
    'profile',
    'change-password',
    'reset-password',
    'security-questions',
  ] as const)
    for (const role of ROLES)
      expect(mayOpen(PAGES[`/admin/${page}`], [role], PLAIN_FEATURES)).toBe(true);
});

test('SUITE-40: the menu of the cloud suite opens the pages of the cloud suite', () => {
  const branding = { ...getBranding(scene), features: ON };
  const links = (app: 'monitoring' | 'o365', roles: readonly Role[]) =>
    getAppMenu(app, roles, branding)
      .flatMap(({ entries }) => entries)
      .map(({ to }) => to);
  const suite = links('o365', ['o365_admin']);
  for (const page of ['support/request', 'support/live', 'profile', 'change-password'])
    expect([
      suite.includes(`/o365/${page}` as PagePath),
      suite.includes(`/monitoring/${page}` as PagePath),
    ]).toEqual([true, false]);
  // What only Monitoring has stays there.
  expect(suite).toContain('/monitoring/security');
  expect(links('monitoring', ['o365_admin']).filter((to) => to.startsWith('/o365/'))).toEqual([]);
});

test('PAGE-2, BILL-8: a page of the cloud suite opens for o365_admin, and everybody else is sent to Monitoring', () => {
  for (const [path, ability] of SUITE) {
    expect([path, PAGES[path].ability]).toEqual([path, ability]);
    for (const role of ROLES)
      expect([role, path, guardPage(path, inAs(role, ON), { path, entering: false })]).toEqual([
        role,
        path,
        role === 'o365_admin' ? { kind: 'pass' } : { kind: 'forbidden', to: '/monitoring' },
      ]);
  }
});

test('SUITE-10: the sidebar of the cloud suite has the entries of the specification, in its order', () => {
  const restoreUrl = 'https://restore.example.com/';
  const features = { ...ON, office365: { ...ON.office365, restoreUrl } };
  const branding = { ...getBranding(scene), features };
  const restorePortal = { outlook: true, onedrive: true, sharepoint: true, teams: true };
  const [first, reports, restore, support] = getAppMenu('o365', ['o365_admin'], {
    ...branding,
    features: { ...features, office365: { ...features.office365, restorePortal } },
  });
  expect([first?.heading, first?.entries.map(({ word }) => word)]).toEqual([
    null,
    ['Dashboard', 'Jobs', 'Organizations', 'Repositories'],
  ]);
  expect([reports?.heading, reports?.entries.map(({ word }) => word)]).toEqual([
    'Reports',
    ['Licensing', 'Licensed Users'],
  ]);
  expect([restore?.heading, restore?.entries.map(({ word }) => word)]).toEqual([
    'Restore',
    // The last one is our own.
    ['Outlook', 'OneDrive', 'SharePoint', 'Teams', 'Downloads', 'Audit'],
  ]);
  expect([support?.heading, support?.entries.map(({ word }) => word)]).toEqual([
    'Support',
    ['Request', 'Live', 'Downloads', 'Restore Operators'],
  ]);
  expect(support?.outside?.(features, 'o365')).toEqual([
    { href: 'https://example.com', word: 'FAQ' },
    {
      href: restoreUrl,
      word: 'End-User Restore',
      tip: 'Use or bookmark this external URL for end-users to restore their own data.',
    },
  ]);
  // Without an address of its own, the console of restore operators is that of this portal.
  const own = { ...features.office365, restoreUrl: null, restorePortal };
  const links = support?.outside?.({ ...features, office365: own }, 'o365');
  expect(links?.map(({ href }) => href)).toEqual(['https://example.com', '/restore']);
  expect(support?.outside?.(features, 'monitoring').map(({ word }) => word)).toEqual(['FAQ']);
});

/** The forbidden page of the area; the cloud suite sends away those without its role. */
const getRefusal = (path: string, role: Role): string =>
  path.startsWith('/o365/') && role !== 'o365_admin'
    ? '/monitoring'
    : `/${path.split('/')[1] ?? ''}/forbidden`;

test('PAGE-2, PAGE-3: for every role, each page in the menu opens, every other leads to forbidden, and the start page is allowed', () => {
  for (const features of [ON, PLAIN_FEATURES]) {
    for (const role of ROLES) {
      const who = inAs(role, features);
      const listed = getMenu([role], features).flatMap(({ entries }) =>
        entries.map(({ to }) => to),
      );
      const open = PAGE_PATHS.filter(
        (path) => guardPage(path, who, { path, entering: false }).kind === 'pass',
      );
      expect([role, listed.filter((to) => !open.includes(to))]).toEqual([role, []]);
      for (const path of PAGE_PATHS) {
        const { ability, when } = PAGES[path];
        const may =
          (ability === null || getAbilities(role).includes(ability)) &&
          (when === undefined || when(features, [role]));
        expect([role, path, guardPage(path, who, { path, entering: false })]).toEqual([
          role,
          path,
          may ? { kind: 'pass' } : { kind: 'forbidden', to: getRefusal(path, role) },
        ]);
      }
      expect([role, open]).toEqual([
        role,
        expect.arrayContaining([getHomePage([role], features)]) as PagePath[],
      ]);
    }
  }
  expect(ROLES.map((role) => getHomePage([role], ON))).toEqual([
    '/monitoring/dashboard',
    '/monitoring/dashboard',
    '/monitoring/dashboard',
    '/admin/dashboard',
    '/monitoring/users',
    '/monitoring/profile',
  ]);
});

test('PAGE-2, G29: a user who may open a page may make the calls that it makes', () => {
  const wrong: string[] = [];
  for (const [path, names] of Object.entries(REQUESTED)) {
    for (const role of ROLES.filter(
      (one) =>
        guardPage(path as PagePath, inAs(one, ON), { path, entering: false }).kind === 'pass',
    )) {
      for (const name of names) {
        const { gate } = getCall(name);
        if (
          gate !== 'public' &&
          gate !== 'signed-in' &&
          (gate === 'ingest-key' || !can([role], gate))
        )
          wrong.push(`${role} ${path}: ${name}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
