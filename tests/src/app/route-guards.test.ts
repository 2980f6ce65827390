import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROLES, can } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import { PAGE_PATHS } from '#contract/page-paths.ts';
import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import { guardRoute } from '#src/app/router/route-guards.ts';
import type { RouteGate, KnownWho } from '#src/app/router/route-guards.ts';
import { MENU, getHomePage, getMenu } from '#src/app/router/menu.ts';
import { guardPage } from '#src/app/router/page-route-guard.ts';
import { getBranding, getMe, getScene } from '#tests/playground/scene.ts';

const scene = getScene(null);
const signedIn = (...roles: Role[]): KnownWho => ({
  kind: 'in',
  me: getMe({ ...scene, roles }),
  branding: getBranding(scene),
  offlineUntil: 0,
});
const signedOut: readonly KnownWho[] = (['none', 'expired', 'ended'] as const).map((reason) => ({
  kind: 'out',
  reason,
  branding: null,
  offline: false,
}));
const passage = (
  who: KnownWho,
  gate: RouteGate,
  path = '/monitoring/daily-checks',
  entering = false,
) => guardRoute(who, gate, { path, entering });
const toPage = (who: KnownWho, path: PagePath, entering = false) =>
  guardPage(path, who, { path, entering });
const roleSets = fc.subarray([...ROLES]);
/** RES-52: restore operators who sign in with Microsoft have no role, and do without these. */
const NOT_FOR_OPERATORS = new Set<string>([
  '/monitoring/billing',
  '/monitoring/api-keys',
  '/monitoring/api',
]);

test('PAGE-2: signed-out users are sent to the sign-in page from every other page', () => {
  for (const who of signedOut) {
    expect(passage(who, 'signed-out')).toEqual({ kind: 'pass' });
    expect(passage(who, 'signed-in')).toEqual({ kind: 'sign-in' });
    for (const path of PAGE_PATHS) expect(toPage(who, path)).toEqual({ kind: 'sign-in' });
  }
});

test('PAGE-2: signed-in users are sent on from the sign-in page', () => {
  expect(passage(signedIn(), 'signed-out')).toEqual({ kind: 'onward' });
});

test('PAGE-2, RES-52: a page shows to users with its permission if the portal has it on, and to nobody else', () => {
  fc.assert(
    fc.property(
      roleSets,
      fc.constantFrom(...PAGE_PATHS),
      fc.record({
        rules: fc.boolean(),
        hints: fc.boolean(),
        reporting: fc.boolean(),
        support: fc.boolean(),
        invoices: fc.boolean(),
        cards: fc.boolean(),
        outlook: fc.boolean(),
        onedrive: fc.boolean(),
        sharepoint: fc.boolean(),
        teams: fc.boolean(),
      }),
      (
        roles,
        path,
        { rules, hints, reporting, support, invoices, cards, outlook, onedrive, sharepoint, teams },
      ) => {
        const who = signedIn(...roles);
        if (who.kind !== 'in') throw new Error('nobody is in');
        const links = {
          ...PLAIN_FEATURES.supportSection.links,
          request: true,
          live: true,
          downloads: true,
        };
        const features = {
          ...PLAIN_FEATURES,
          rules,
          hints,
          reporting: { enabled: reporting, visibleFor: ['all' as const] },
          supportSection: { enabled: support, links },
          invoice_automation: invoices,
          billing: { ccCollection: cards },
          office365: {
            ...PLAIN_FEATURES.office365,
            restorePortal: { outlook, onedrive, sharepoint, teams },
          },
        };
        const { ability } = PAGES[path];
        const on =
          {
            rules,
            hints,
            reporting,
            support,
            invoices,
            cards,
            outlook,
            onedrive,
            restore: outlook || onedrive || sharepoint || teams,
            sharepoint,
            teams,
            always: true,
          }[SWITCHED[path] ?? 'always'] ?? true;
        const may =
          (ability === null || can(roles, ability)) &&
          on &&
          (!NOT_FOR_OPERATORS.has(path) || roles.length > 0) &&
          (!path.startsWith('/o365/') ||
            path === '/o365/forbidden' ||
            roles.includes('o365_admin'));
        expect(toPage({ ...who, branding: { ...who.branding, features } }, path)).toEqual(
          may ? { kind: 'pass' } : forbiddenIn(path, roles),
        );
        expect(passage(who, 'signed-in')).toEqual({ kind: 'pass' });
      },
    ),
  );
});

/**
 * Each area has its own: `/monitoring/forbidden`, `/o365/forbidden`, `/admin/forbidden`. The
 * specification sends users who are not o365_admin from the cloud suite to /monitoring.
 */
const forbiddenIn = (path: string, roles: readonly Role[]) => ({
  kind: 'forbidden',
  to:
    path.startsWith('/o365/') && !roles.includes('o365_admin')
      ? '/monitoring'
      : `/${path.split('/')[1] ?? ''}/forbidden`,
});

/** Pages that a portal has to switch on, and by what. */
const SWITCHED: Readonly<
  Record<
    string,
    | 'rules'
    | 'hints'
    | 'reporting'
    | 'support'
    | 'invoices'
    | 'cards'
    | 'outlook'
    | 'onedrive'
    | 'restore'
    | 'sharepoint'
    | 'teams'
  >
> = {
  '/monitoring/rules': 'rules',
  '/monitoring/hints': 'hints',
  '/monitoring/sla': 'reporting',
  '/monitoring/licensing': 'reporting',
  '/monitoring/invoices': 'invoices',
  '/monitoring/invoices/quickbooks': 'invoices',
  '/monitoring/billing': 'cards',
  '/monitoring/support/request': 'support',
  '/monitoring/support/live': 'support',
  '/monitoring/downloads': 'support',
  '/o365/invoices': 'invoices',
  '/o365/support/request': 'support',
  '/o365/support/live': 'support',
  '/o365/restore/outlook': 'outlook',
  '/o365/restore/onedrive': 'onedrive',
  '/o365/restore/downloads': 'restore',
  '/o365/restore/sharepoint': 'sharepoint',
  '/o365/restore/teams': 'teams',
};

test('PAGE-6: a required password comes before every page, then the security questions, and neither is required while impersonating as another user', () => {
  const reset = '/monitoring/reset-password';
  const questions = '/monitoring/security-questions';
  const impersonator = { id: 'a', username: 'ann', name: 'Ann', impersonation: 'i', until: 0 };
  const cases = fc.record({
    passwordReset: fc.boolean(),
    forceSecurityQuestions: fc.boolean(),
    ad: fc.boolean(),
    acts: fc.boolean(),
    roles: roleSets,
  });
  fc.assert(
    fc.property(cases, ({ passwordReset, forceSecurityQuestions, ad, acts, roles }) => {
      const who = signedIn(...roles);
      if (who.kind !== 'in') throw new Error('nobody is in');
      const now: KnownWho = {
        ...who,
        me: {
          ...who.me,
          passwordReset,
          forceSecurityQuestions,
          impersonator: acts ? impersonator : null,
        },
        branding: { ...who.branding, authType: ad ? 'ad' : 'db' },
      };
      const first = acts
        ? null
        : passwordReset
          ? reset
          : ad && forceSecurityQuestions
            ? questions
            : null;
      for (const path of [
        '/',
        '/monitoring/daily-checks',
        '/monitoring/wall',
        reset,
        `${reset}/`,
        questions,
      ]) {
        const there = path.replace(/\/+$/, '') === first;
        expect(passage(now, 'signed-in', path)).toEqual(
          first === null || there ? { kind: 'pass' } : { kind: 'first', to: first },
        );
      }
    }),
  );
});

test('PAGE-7: the sign-in pages stay open for a link from the address, or for something shown once', () => {
  expect(passage(signedIn('admin'), 'signed-out', '/login', true)).toEqual({ kind: 'pass' });
  expect(passage(signedIn('admin'), 'signed-out', '/enrol')).toEqual({ kind: 'onward' });
  for (const who of signedOut)
    expect(toPage(who, '/monitoring/daily-checks', true)).toEqual({ kind: 'sign-in' });
});

test('PAGE-3: the menu lists exactly the pages that the user may open, and no empty group', () => {
  fc.assert(
    fc.property(roleSets, fc.boolean(), fc.boolean(), (roles, hints, reporting) => {
      const features = {
        ...PLAIN_FEATURES,
        hints,
        reporting: { ...PLAIN_FEATURES.reporting, enabled: reporting },
      };
      const groups = getMenu(roles, features);
      const listed = groups.flatMap((group) => group.entries.map((entry) => entry.to));
      const allowed = MENU.filter(
        ({ heading, app }) =>
          heading !== 'Reports' ||
          app === 'o365' ||
          (reporting && can(roles, 'monitoring.reporting')),
      )
        .flatMap((group) => group.entries)
        .filter(({ cards }) => cards === undefined)
        .map(({ to }) => to)
        .filter((to) => mayOpen(PAGES[to], roles, features));
      expect(listed).toEqual(allowed);
      expect(groups.every((group) => group.entries.length > 0)).toBe(true);
      expect(getHomePage(roles, features)).toBe(
        allowed.includes('/monitoring/dashboard') || !allowed.includes('/admin/dashboard')
          ? allowed[0]
          : '/admin/dashboard',
      );
    }),
  );
});

test('PAGE-3: users start at the dashboard if they may see it, managers of the provider at its overview, others at their first page', () => {
  expect(getHomePage(['admin'])).toBe('/monitoring/dashboard');
  expect(getHomePage(['operator'])).toBe('/monitoring/dashboard');
  expect(getHomePage(['super-admin', 'admin'])).toBe('/monitoring/dashboard');
  // Whose roles do not open that one.
  expect(getHomePage(['super-admin'])).toBe('/admin/dashboard');
  expect(getHomePage(['o365_admin'])).toBe('/monitoring/users');
});
