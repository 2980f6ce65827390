import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { generateSync } from 'otplib';
import { issuerAt, jwt, keys } from '../server/auth/issuer-at.ts';
import type { Issuer } from '../server/auth/issuer-at.ts';
import { listen } from '../server/outbound/listen.ts';
import { expectTitle, newPage, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { sound } from './page-checks.ts';
import { signInByApi, signInAt, typeCode } from './ways-in.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let issuer: Issuer;
/** What the person does at the issuer's page. */
let answers: 'agrees' | 'refuses' | 'gone';
let zerto: 'there' | 'away';

test.beforeEach(async () => {
  [answers, zerto] = ['agrees', 'there'];
  portal = await withEnvironment(PLAIN_LOOPBACK, () => startPortal('none', ['olivia']));
  issuer = await issuerAt((answer) => listen(answer));
  issuer.instead = (path) => {
    const { pathname, searchParams } = new URL(path, issuer.url);
    if (answers === 'gone') return { status: 503, body: 'away' };
    if (pathname === '/v1/session/add')
      return zerto === 'away'
        ? { status: 503 }
        : { headers: { 'x-zerto-session': 'of-the-portal' } };
    if (pathname === '/v1/zsspsessions')
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(`session-${issuer.asked.length}`),
      };
    if (pathname !== '/authorize') return null;
    const back =
      answers === 'agrees'
        ? issuer.agree(`${issuer.url}${path}`)
        : new URLSearchParams({
            error: 'access_denied',
            state: searchParams.get('state') ?? '',
            iss: issuer.url,
          });
    // A page with a button, as an issuer has: the way back begins at another site.
    return {
      headers: { 'content-type': 'text/html' },
      body: `<!doctype html><title>Issuer</title><a href="${searchParams.get('redirect_uri') ?? ''}?${back.toString().replaceAll('&', '&amp;')}">Continue to the portal</a>`,
    };
  };
  const admin = await signInByApi(portal, 'admin');
  await admin.call('PUT', `service-providers/${admin.provider}/settings`, {
    oidc: { issuer: issuer.url, clientId: 'portal', label: 'Harbour account' },
  });
  await admin.call('PUT', `service-providers/${admin.provider}/secrets/oidc`, {
    value: 'oidc-secret',
  });
});
test.afterEach(async () => {
  await portal.stop();
  await issuer.stop();
});

const as = (email: string, more: object = {}): void => {
  issuer.token = (_, right) =>
    jwt({ ...right, sub: `subject-${email}`, email, ...more }, issuer.keys);
};
async function there(page: Page, path = '/login'): Promise<void> {
  await page.goto(portal.url + path);
  await page.getByRole('link', { name: 'Sign in with Harbour account' }).click();
}
const back = (page: Page): Promise<void> =>
  page.getByRole('link', { name: 'Continue to the portal' }).click();

test('E2E-12, OIDC-1, OIDC-2: a user signs in at an issuer, first matched by the verified email address, then by the subject', async ({
  browser,
}) => {
  const page = await newPage(browser);
  as('dana@example.com');
  await page.goto(`${portal.url}/monitoring/daily-checks?q=mail`);
  await expectTitle(page, 'Sign in');
  await expect(page.getByRole('link', { name: 'Sign in with Harbour account' })).toBeVisible();
  await sound(page, 'login-issuer');
  await page.getByRole('link', { name: 'Sign in with Harbour account' }).click();
  await back(page);
  await expectTitle(page, 'Daily checks');
  await expect(page).toHaveURL(/daily-checks\?q=mail$/);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  // Another address by now: it is the same person still.
  issuer.token = (_, right) =>
    jwt(
      { ...right, sub: 'subject-dana@example.com', email: 'moved@elsewhere.example' },
      issuer.keys,
    );
  await there(page, '/monitoring/daily-checks');
  await back(page);
  await expectTitle(page, 'Daily checks');
  await expect(page.getByLabel('Sidebar').getByText('Dana Reyes')).toBeVisible();
  await page.context().close();
});

test('E2E-12, OIDC-1, OIDC-3: a refused user sees why on the sign-in page, where the other ways still work', async ({
  browser,
}) => {
  const page = await newPage(browser);
  const expectRefusal = async (sentence: string): Promise<void> => {
    await expect(page.getByRole('alert').filter({ hasText: sentence })).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
    await expect(page.getByLabel('Username')).toBeVisible();
  };
  answers = 'refuses';
  await there(page);
  await back(page);
  await expectRefusal('The sign-in was canceled, or the sign-in service refused it.');
  answers = 'agrees';
  as('dana@example.com', { sub: 'somebody-else', email_verified: false });
  await there(page);
  await back(page);
  await expectRefusal(
    "The sign-in service doesn't confirm your email address. Ask your administrator.",
  );
  as('nobody@example.com');
  await there(page);
  await back(page);
  await expectRefusal("You don't have an account here. Ask your administrator.");
  const foreign = keys('one');
  issuer.token = (_, right) => jwt({ ...right, email: 'dana@example.com' }, foreign);
  await there(page);
  await back(page);
  await expectRefusal("The sign-in service's response isn't valid. Start again.");
  // A way back that was taken before, or in another browser, opens nothing.
  as('dana@example.com');
  await there(page);
  const way =
    (await page.getByRole('link', { name: 'Continue to the portal' }).getAttribute('href')) ?? '';
  const stranger = await newPage(browser);
  await stranger.goto(way);
  await expect(stranger).toHaveURL(/\/login$/);
  await expect(stranger.getByRole('alert')).toBeVisible();
  await stranger.context().close();
  answers = 'gone';
  await back(page);
  await expectRefusal("The sign-in service's response isn't valid. Start again.");
  answers = 'agrees';
  await page.getByLabel('Username').fill('dana');
  await page.getByRole('textbox', { name: 'Password' }).fill(portal.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  await page.context().close();
});

test("E2E-12, OIDC-4: after an issuer, the portal asks for its second factor unless the provider trusts the issuer's", async ({
  browser,
}) => {
  const olivia = await signInByApi(portal, 'olivia');
  const admin = await signInByApi(portal, 'admin');
  const { secret } = (await olivia.call('POST', `profile/${olivia.id}/totp`, {})) as {
    secret: string;
  };
  const codeIn = (ms: number): string =>
    generateSync({ secret, epoch: Math.floor((Date.now() + ms) / 1_000) });
  await olivia.call('PUT', `profile/${olivia.id}/totp`, { code: codeIn(0) });
  as('olivia@example.com');
  const page = await newPage(browser);
  await there(page, '/monitoring/daily-checks');
  await back(page);
  await expectTitle(page, 'Confirm your identity');
  await expect(page).toHaveURL(/\/verification$/);
  await typeCode(page, '000000');
  await expect(page.getByText("This code isn't valid.")).toBeVisible();
  await typeCode(page, codeIn(30_000));
  await expectTitle(page, 'Daily checks');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');

  // The switch in the provider's settings.
  const boss = await newPage(browser);
  await boss.goto(`${portal.url}/admin/settings#oidc`);
  await boss.getByLabel('Username').fill('admin');
  await boss.getByRole('textbox', { name: 'Password' }).fill(portal.password);
  await boss.keyboard.press('Enter');
  await boss.getByRole('switch', { name: /^Trust the provider's second factor/ }).click();
  await sound(boss, 'settings-issuer');
  await boss.getByRole('button', { name: 'Save OpenID Connect' }).click();
  await expect(
    boss.getByRole('status', { name: 'Messages' }).getByText('OpenID Connect saved'),
  ).toBeVisible();
  await boss.context().close();
  expect(await admin.call('GET', `service-providers/${admin.provider}/settings`)).toMatchObject({
    settings: { oidc: { trustsFactor: true } },
  });
  await there(page, '/monitoring/daily-checks');
  await back(page);
  await expectTitle(page, 'Daily checks');
  await page.context().close();
});

test('SSO-3, SSO-2, E2E-12: the first click on another system asks nothing, later ones ask the server, and a refusal is shown', async ({
  browser,
}) => {
  const admin = await signInByApi(portal, 'admin');
  const dana = await signInByApi(portal, 'dana');
  await admin.call('PUT', `service-providers/${admin.provider}/settings`, {
    sso: {
      vac: null,
      vcd: null,
      zerto: { url: issuer.url, zssp: 'https://zssp.example.com', username: 'portal' },
    },
  });
  await admin.call('PUT', `service-providers/${admin.provider}/secrets/zerto`, {
    value: 'a secret of zerto',
  });
  await admin.call('PUT', `users/${dana.id}`, {
    sso: { vac: { username: 'dana', enabled: true }, zerto: { zorgId: 'Z-1', enabled: true } },
  });
  const countSessions = (): number =>
    issuer.asked.filter(({ path }) => path === '/v1/zsspsessions').length;
  const page = await newPage(browser);
  await signInAt(page, portal, 'dana');
  await expectTitle(page, 'Daily checks');
  const open = async (name: string): Promise<void> =>
    page.getByLabel('Sidebar').getByRole('link', { name }).click();
  await open('Zerto');
  await expectTitle(page, 'Zerto');
  // Its surface fills the page, as on the other pages.
  expect(
    await page.locator('main').evaluate((main) => {
      const surface = main.firstElementChild;
      return [
        surface?.clientWidth === main.clientWidth,
        surface?.clientHeight === main.clientHeight,
      ];
    }),
  ).toEqual([true, true]);
  await sound(page, 'apps-zerto');
  expect(countSessions()).toBe(0);
  await page.getByRole('button', { name: 'Sign in to Zerto' }).click();
  const link = page.getByRole('link', { name: 'Open Zerto' });
  await expect(link).toHaveAttribute(
    'href',
    /^https:\/\/zssp\.example\.com\/ZvmService\/GUI\/Index\.html#\/\?.*sessionId=session-\d+$/,
  );
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(link).toBeFocused();
  await sound(page, 'apps-zerto-open');
  // What is not set up is told in words.
  await open('Veeam Service Provider Console');
  await expectTitle(page, 'Veeam Service Provider Console');
  await page.getByRole('button', { name: /^Sign in to/ }).click();
  await expect(
    page.getByText("Single sign-on isn't set up for this system. Ask your administrator."),
  ).toBeVisible();
  await open('Zerto');
  await expect(link).toBeVisible();
  await expect.poll(countSessions).toBe(2);
  zerto = 'away';
  await page.reload();
  await expect(page.getByText("The system can't be reached. Try again later.")).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(
    'session-',
  );
  await page.goto(`${portal.url}/monitoring/apps/other`);
  await expect(page.getByText('The page you requested could not be found.')).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  await expect
    .poll(() =>
      page.evaluate(() => [
        localStorage.getItem('ssoClicks'),
        localStorage.getItem('zertoSession'),
      ]),
    )
    .toEqual([null, null]);
  await page.context().close();
});
