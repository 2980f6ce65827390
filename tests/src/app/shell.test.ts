import { afterEach, expect, test, vi } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { exitWord } from '#src/app/shell/impersonation/impersonation.ts';
import { getSide } from '#src/app/shell/branding/brand-colours.ts';
import { getArea } from '#contract/page-paths.ts';
import { listUndismissed } from '#src/app/shell/notifications/dismissed.ts';
import { answerReauth, withReauth } from '#src/app/shell/reauth/reauth.ts';
import { SIDE_COLOURS } from '#src/app/shell/branding/sidebar-colour.ts';
import { termsFor } from '#src/app/shell/terms/pending-terms.ts';
import { mayOpen } from '#contract/pages.ts';
import { seesSubscriptions } from '#contract/billing/subscriber.ts';
import { getStartPage, getAppMenu, getHomePage, getMenu } from '#src/app/router/menu.ts';
import { getBranding, getMe, getScene } from '#tests/playground/scene.ts';

const NEEDED: Failure = { kind: 'reauth_required', message: 'Confirm your identity to continue.' };
const ok = { ok: true, value: 'done' } as const;
/** A call that wants a factor so many times, and how often it was made. */
function call(refusals: number): {
  readonly make: () => Promise<Result<string>>;
  readonly made: () => number;
} {
  let made = 0;
  return {
    make: () => Promise.resolve(made++ < refusals ? { ok: false, failure: NEEDED } : ok),
    made: () => made,
  };
}
afterEach(() => answerReauth(false));

test('OWN-2: a sensitive call asks once, and is repeated after the confirmation', async () => {
  const plain = call(0);
  const one = call(1);
  const two = call(1);
  expect(await withReauth(plain.make)).toEqual(ok);
  const both = Promise.all([withReauth(one.make), withReauth(two.make)]);
  await Promise.resolve();
  await Promise.resolve();
  answerReauth(true);
  expect(await both).toEqual([ok, ok]);
  expect([plain.made(), one.made(), two.made()]).toEqual([1, 2, 2]);
});

test('OWN-2: without confirmation the user gets the refusal, and is asked again the next time', async () => {
  const never = call(9);
  const first = withReauth(never.make);
  await Promise.resolve();
  await Promise.resolve();
  answerReauth(false);
  expect(await first).toEqual({ ok: false, failure: NEEDED });
  expect(never.made()).toBe(1);
  const other: Failure = { kind: 'conflict', message: 'no' };
  expect(await withReauth(() => Promise.resolve({ ok: false, failure: other }))).toEqual({
    ok: false,
    failure: other,
  });
});

test('OWN-2: a password already typed is used instead of asking, and a wrong one is the answer', async () => {
  const request: unknown[] = [];
  const answers = (right: boolean): void =>
    setClient({
      ask: (name: string, input: unknown) => {
        request.push([name, input]);
        return Promise.resolve(
          right
            ? { ok: true, value: { freshUntil: 1 } }
            : {
                ok: false,
                failure: {
                  kind: 'wrong-credentials',
                  message: 'The current password is not valid.',
                },
              },
        );
      },
    } as unknown as Parameters<typeof setClient>[0]);
  answers(true);
  const stale = call(1);
  expect(await withReauth(stale.make, 'pass')).toEqual(ok);
  answers(false);
  const again = call(1);
  expect(await withReauth(again.make, 'wrong')).toMatchObject({
    ok: false,
    failure: { kind: 'wrong-credentials' },
  });
  expect([stale.made(), again.made()]).toEqual([2, 1]);
  expect(request).toEqual([
    ['reauth', { password: 'pass' }],
    ['reauth', { password: 'wrong' }],
  ]);
});

test('OWN-7: the button to go back names the user, a long name cut to ten characters', () => {
  expect([exitWord('dana'), exitWord('bartholome'), exitWord('bartholomew')]).toEqual([
    'Exit dana',
    'Exit bartholome',
    'Exit bartholome…',
  ]);
});

const of = (id: string, app: Notification['app']): Notification => ({
  _id: id,
  app,
  severity: 'info',
  message: 'm',
  link: null,
  copy: false,
  event: null,
  hideAck: false,
  hideClose: false,
  userId: null,
  roles: null,
});

test("OWN-8: notices of its app that aren't dismissed are above a page", () => {
  const all = [of('a', 'monitoring'), of('b', 'o365'), of('c', 'monitoring'), of('d', 'admin')];
  const ids = (path: string, gone: readonly string[] = []): string =>
    listUndismissed(all, getArea(path), new Set(gone))
      .map(({ _id: id }) => id)
      .join('');
  expect([
    ids('/monitoring/profile'),
    ids('/monitoring/daily-checks', ['a']),
    ids('/o365/dashboard'),
    ids('/subscriptions/checkout/update'),
    ids('/admin/events'),
  ]).toEqual(['ac', 'c', 'b', 'b', 'd']);
});

const scene = getScene(null);
const branding: Branding = getBranding(scene);
const me = {
  ...getMe(scene),
  impersonator: null,
  acceptedTerms: false,
  passwordReset: false,
  landingPage: null,
};

test('OWN-9: terms are shown to administrators of the cloud suite only, once, and never while impersonating', () => {
  const terms = { title: 'Terms', text: 'Be kind.', version: '1' };
  const features = {
    ...PLAIN_FEATURES,
    office365: {
      ...PLAIN_FEATURES.office365,
      selfRegistration: { termsOfUse: terms, serviceLevels: [] },
    },
  };
  const olin = { ...me, roles: ['o365_admin' as const] };
  expect(termsFor(olin, features)).toEqual(terms);
  expect(termsFor({ ...olin, acceptedTerms: true }, features)).toBeNull();
  expect(termsFor({ ...olin, roles: ['admin'] }, features)).toBeNull();
  expect(
    termsFor(
      {
        ...olin,
        impersonator: { id: 'a', username: 'a', name: 'a', impersonation: 'i', until: 1 },
      },
      features,
    ),
  ).toBeNull();
  expect(termsFor(olin, PLAIN_FEATURES)).toBeNull();
  expect(termsFor(null, features)).toBeNull();
});

test('OWN-10: a page that the branding must turn on is in the menu only then; everybody has their own settings', () => {
  const billing = {
    ability: null,
    when: ({ billing: { ccCollection } }: typeof PLAIN_FEATURES) => ccCollection,
  } as const;
  expect([
    mayOpen(billing, [], null),
    mayOpen(billing, [], PLAIN_FEATURES),
    mayOpen(billing, [], { ...PLAIN_FEATURES, billing: { ccCollection: true } }),
  ]).toEqual([false, false, true]);
  expect(
    getMenu(['admin'], PLAIN_FEATURES, [
      {
        heading: null,
        page: billing,
        entries: [{ to: '/monitoring/dashboard', word: 'Dashboard', icon: 'dashboard' }],
      },
      { heading: null, entries: [{ to: '/monitoring/hints', word: 'Hints', icon: 'hint' }] },
    ]),
  ).toEqual([]);
  expect(
    getMenu(['sub-sp']).map(({ heading, entries }) => [
      heading,
      ...entries.map(({ word }) => word),
    ]),
  ).toEqual([
    ['Settings', 'Profile', 'Notifications', 'Security', 'Change password', 'API keys', 'API'],
  ]);
  expect(getHomePage([])).toBe('/monitoring/profile');
});

const begin = (
  landingPage: string | null,
  from = '/',
  roles: readonly Role[] = ['operator'],
): string =>
  getStartPage(
    { kind: 'in', me: { ...me, roles: [...roles], landingPage }, branding, offlineUntil: 1 },
    from,
  );

test('OWN-10: a user starts at their own landing page if it is another page of this site that they may open', () => {
  expect(begin('/monitoring/calendar-report')).toBe('/monitoring/calendar-report');
  expect(begin('/monitoring/daily-checks?state=Failed#x')).toBe(
    '/monitoring/daily-checks?state=Failed#x',
  );
  expect([begin('/monitoring/wall'), begin('/monitoring/apps/vac')]).toEqual([
    '/monitoring/wall',
    '/monitoring/apps/vac',
  ]);
  expect(begin('/monitoring/calendar-report', '/monitoring')).toBe('/monitoring/dashboard');
  const none = [
    null,
    '/',
    '/monitoring',
    '//elsewhere.example',
    '/\\elsewhere',
    'javascript:x',
    '/login',
    '/monitoring/forbidden',
    '/admin/forbidden/',
    '/monitoring/users',
    '/admin/dashboard',
    '/no/such/page',
    '/o365',
    'https://elsewhere.example/monitoring/calendar-report',
    '/toString',
  ];
  for (const page of none) expect([page, begin(page)]).toEqual([page, '/monitoring/dashboard']);
});

const suite = (page: string | null): string => begin(page, '/o365', ['o365_admin']);

test("OWN-10: the landing page comes before the cloud suite's dashboard too, if it is a page of this site that the user may open", () => {
  expect(suite(null)).toBe('/o365/dashboard');
  expect(suite('/monitoring/users')).toBe('/monitoring/users');
  for (const page of [
    '/monitoring/daily-checks',
    '/o365',
    '/o365/',
    '/o365/forbidden',
    '//elsewhere.example/o365/dashboard',
    '/no/such/page',
  ])
    expect([page, suite(page)]).toEqual([page, '/o365/dashboard']);
});

const settings = (
  app: 'monitoring' | 'o365',
  isStripeEnabled: boolean,
  roles: readonly Role[],
): readonly string[] =>
  getAppMenu(app, roles, { ...branding, isStripeEnabled })
    .find(({ heading }) => heading === 'Settings')
    ?.entries.map(({ word }) => word) ?? [];

test('LIC-6: Subscriptions is a setting of the cloud suite only, if subscriptions are paid by card', () => {
  expect(settings('o365', true, ['o365_admin'])).toContain('Subscriptions');
  for (const [app, on, roles] of [
    ['o365', false, ['o365_admin']],
    ['monitoring', true, ['o365_admin']],
    ['monitoring', true, ['admin']],
    ['monitoring', false, ['admin']],
  ] as const) {
    expect(settings(app, on, roles)).toContain('Profile');
    expect([app, on, roles, settings(app, on, roles).includes('Subscriptions')]).toEqual([
      app,
      on,
      roles,
      false,
    ]);
  }
});

const listsServiceLevel = (roles: readonly Role[], companies: readonly number[] | null): boolean =>
  getAppMenu(
    'o365',
    roles,
    { ...branding, isStripeEnabled: true },
    seesSubscriptions({ roles, companies }),
  )
    .flatMap(({ entries }) => entries)
    .some(({ to }) => to === '/o365/service-level');

test('BILL-14: Service level is in the menu of users who see subscriptions: super-admins, and users with a list of companies', () => {
  expect(listsServiceLevel(['o365_admin'], null)).toBe(false);
  expect(listsServiceLevel(['o365_admin', 'admin'], null)).toBe(false);
  expect(listsServiceLevel(['o365_admin'], [1])).toBe(true);
  expect(listsServiceLevel(['o365_admin', 'super-admin'], null)).toBe(true);
});

test('OWN-3, BRAND-11: the colors that a user may choose are legible in both themes, and an invalid color is not stored', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
  const { getTheme } = await import('#src/app/shell/branding/preferred-theme.ts');
  vi.unstubAllGlobals();
  for (const [light, dark] of SIDE_COLOURS) {
    expect([light, getSide(light, 'light')?.side, dark, getSide(dark, 'dark')?.side]).toEqual([
      light,
      light,
      dark,
      dark,
    ]);
  }
  expect(getTheme('{"mode":"dark","sidebarColor":"#1F4030"}')).toBe(
    '{"mode":"dark","sidebarMini":false,"sidebarColor":"#1f4030"}',
  );
  expect(getTheme('{"mode":"dark","sidebarColor":"blue"}')).toBe(
    '{"mode":"dark","sidebarMini":false,"sidebarColor":"#1b3256"}',
  );
  expect(getTheme('{"mode":"dark","sidebarColor":"url(x)"}')).toBe(
    '{"mode":"dark","sidebarMini":false}',
  );
});
