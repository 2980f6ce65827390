import { expect, test } from '@playwright/test';
import { linkFor } from './outbox.ts';
import { passTime } from './pass-time.ts';
import {
  createKey,
  expectTitle,
  getRow,
  loadApi,
  newPage,
  post,
  signIn,
  startPortal,
  submitSignIn,
} from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, sound } from './page-checks.ts';
import { signInAt } from './ways-in.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('none', ['fay']);
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-12, RECOVER-4: a password link expires after fifteen minutes, on an open page too, and the old password stays valid', async ({
  browser,
}) => {
  const page = await newPage(browser);
  await page.goto(`${portal.url}/forgot-password-db`);
  await page.getByLabel('Username').fill('fay');
  await page.keyboard.press('Enter');
  const link = await linkFor(portal.url, 'fay@example.com');
  await page.goto(link);
  // the link is looked at first
  await expect(page.getByRole('textbox', { name: 'New password' })).toBeFocused();
  await passTime(portal, 16);
  await page.getByRole('textbox', { name: 'New password' }).fill('a quiet new ledger 77');
  await page.keyboard.press('Enter');
  await expect(page.getByText('This link has expired. Request a new one.')).toBeVisible();
  const other = await newPage(browser);
  await other.goto(link);
  await expect(other.getByText('This link has expired. Request a new one.')).toBeVisible();
  await other.getByRole('link', { name: 'Request a new link' }).click();
  await expectTitle(other, 'Forgot your password?');
  await signInAt(other, portal, 'fay');
  await expectTitle(other, 'Daily checks');
  await page.context().close();
  await other.context().close();
});

test('E2E-12, A11, E2E-5: after the session expires, the page says so, leads to the sign-in page and back, and unsent changes arrive once', async ({
  browser,
}) => {
  await post(portal.url, await createKey(portal), [
    {
      job: 'Mountain hut',
      status: 'Failed',
      message: 'Unable to connect to host srv-1.example.net: timed out',
    },
  ]);
  const page = await newPage(browser);
  await signIn(page, `${portal.url}/monitoring/daily-checks?q=hut`, 'dana', portal.password);
  await expect(getRow(page, 'Mountain hut')).toBeVisible();
  await portal.kill();
  await getRow(page, 'Mountain hut')
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(getRow(page, 'Mountain hut')).toContainText('not sent yet');
  await passTime(portal, 31);
  await page.evaluate(() => {
    dispatchEvent(new Event('online'));
  });
  await expect(
    page.getByText('Your session has expired. Please log in again to continue.'),
  ).toBeVisible({ timeout: 70_000 });
  await expect(page).toHaveURL(/\/login$/);
  await sound(page, 'session-expired');
  // Somebody else at this device sends nothing in this user's name.
  await page.getByLabel('Username').fill('rita');
  await page.getByRole('textbox', { name: 'Password' }).fill(portal.password);
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Daily checks');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  const admin = await loadApi(portal, 'admin');
  const reviewed = async (): Promise<number> =>
    (
      (await admin('GET', 'admin/events?type=problem.')) as {
        events: { type: string; actor: string }[];
      }
    ).events.filter(({ type, actor }) => type === 'problem.reviewed@1' && actor === 'dana').length;
  expect(await reviewed()).toBe(0);
  await signInAt(page, portal, 'dana');
  await expectTitle(page, 'Daily checks');
  await expect.poll(reviewed, { timeout: 60_000 }).toBe(1);
  await page.reload();
  await expectTitle(page, 'Daily checks');
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
  expect(await reviewed()).toBe(1);
  await page.context().close();
});

test('SYNC-9, E2E-12, G10: a page older than the server says so, stores changes, and sends them after a reload', async ({
  browser,
}) => {
  const secret = await createKey(portal);
  await post(portal.url, secret, [
    { job: 'Valley store', status: 'Failed', message: 'No space left on device' },
  ]);
  const admin = await loadApi(portal, 'admin');
  const reviews = async (): Promise<number> =>
    (
      (await admin('GET', 'admin/events?type=problem.reviewed')) as { events: { actor: string }[] }
    ).events.filter(({ actor }) => actor === 'dana').length;
  const page = await newPage(browser);
  await signIn(page, portal.url, 'dana', portal.password);
  await expect(getRow(page, 'Valley store')).toBeVisible();
  const older = {
    success: false,
    message: 'update',
    error: { kind: 'update-needed', message: 'update' },
  };
  await page
    .context()
    .route(/\/api\/v1\/sync\/(events|bootstrap)/, (route) =>
      route.fulfill({ status: 426, contentType: 'application/json', body: JSON.stringify(older) }),
    );
  const glance = page.getByRole('button', { name: /^New version/ });
  // A server that is replaced ends all streams; this one goes on, so the user makes the device ask.
  await page.getByRole('button', { name: /^Live/ }).click();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.keyboard.press('Escape');
  await expect(glance).toBeVisible({ timeout: 60_000 });
  await getRow(page, 'Valley store')
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(getRow(page, 'Valley store')).toContainText('not sent yet');
  await glance.click();
  await expect(
    page.getByText(
      'This page is older than the server. Reload it to continue. Your unsent changes are saved.',
    ),
  ).toBeVisible();
  await axeInBoth(page, 'version');
  await page.context().unroute(/\/api\/v1\/sync\/(events|bootstrap)/);
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await expectTitle(page, 'Daily checks');
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
  await expect.poll(reviews, { timeout: 60_000 }).toBe(1);
  await page.context().close();
});

test('PAGE-6, E2E-12: required security questions come before everything else, after a reload too, and lead to the page once they are answered', async ({
  browser,
}) => {
  const admin = await loadApi(portal, 'admin');
  const { id } = (await admin('GET', 'service-providers/branding')) as { id: string };
  const directory = {
    url: 'ldaps://directory.example.net',
    baseDn: 'DC=example,DC=net',
    domain: 'example.net',
    serviceDn: 'CN=Service,DC=example,DC=net',
    ca: null,
  };
  await admin('PUT', `service-providers/${id}/settings`, { directory });
  const { rows } = (await admin('GET', 'monitoring/reporting/users?pageSize=200')) as {
    rows: { _id: string; username: string }[];
  };
  for (const { _id: user, username } of rows)
    if (username === 'dana') await admin('PUT', `users/${user}`, { forceSecurityQuestions: true });
  const page = await newPage(browser);
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await page.getByRole('button', { name: 'Use a portal password' }).click();
  await submitSignIn(page, 'dana', portal.password);
  await expectTitle(page, 'Security questions');
  await page.goto(`${portal.url}/monitoring/daily-checks?q=mail`);
  await expectTitle(page, 'Security questions');
  await page.getByRole('button', { name: 'Save answers' }).click();
  await expect(page.getByLabel('Question 1', { exact: true })).toBeFocused();
  for (const at of [1, 2, 3]) {
    await page.getByLabel(`Question ${at}`, { exact: true }).selectOption({ index: 1 });
    await page.getByLabel(`Answer ${at}`, { exact: true }).fill(`quiet answer ${at}`);
  }
  await page.getByRole('button', { name: 'Save answers' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Security questions' })).toBeHidden();
  await expectTitle(page, 'Daily checks');
  await expect(page).toHaveURL(/daily-checks\?q=mail$/);
  await page.reload();
  await expectTitle(page, 'Daily checks');
  await expect(page.getByRole('heading', { level: 1, name: 'Security questions' })).toBeHidden();
  await page.context().close();
});
