import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { startFront } from './front.ts';
import { enter, NEW_PASSWORD, createUser } from './people.ts';
import { takePictures } from './person.ts';
import {
  createKey,
  expectTitle,
  getRow,
  loadApi,
  newPage,
  post,
  signIn,
  openPortal,
  startPortal,
} from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { recordAnnouncements, sound } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

const prompt = (page: Page) => page.getByRole('region', { name: 'Get started' });
const CHUNK = "Part of this page didn't load. Reload it to continue. Your changes are saved.";
const PROMPT = 'Connect a backup source to start. Results appear here after its first backup.';

test('WIZARD-1: a new portal prompts users who can connect a source, by keyboard and for screen readers, and a dismissal stays after the next sign-in', async ({
  browser,
}) => {
  const page = await newPage(browser);
  const loadAnnouncements = await recordAnnouncements(page);
  await enter(portal, page, 'admin', '/monitoring/dashboard');
  await expect(prompt(page)).toContainText(PROMPT);
  await expect.poll(loadAnnouncements).toContain(PROMPT);
  await expect(prompt(page).locator(':focus')).toHaveCount(0);
  await sound(page, 'first run');
  await takePictures(page, 'first-run');
  await prompt(page).getByRole('link', { name: 'Connect a source' }).press('Enter');
  await expect(page).toHaveURL(/\/monitoring\/sources$/);
  await expect(prompt(page)).toHaveCount(0);
  await page.goto(`${portal.url}/monitoring/users`);
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && /\/profile\//.test(response.url()),
  );
  await prompt(page).getByRole('button', { name: 'Dismiss' }).press('Enter');
  await expect(prompt(page)).toHaveCount(0);
  expect((await saved).status()).toBe(200);
  await page.context().close();
  const again = await newPage(browser);
  const request = again.waitForResponse(
    (response) =>
      response.request().method() === 'GET' && /\/api\/v1\/profile\/[^/]+$/.test(response.url()),
  );
  await enter(portal, again, 'admin', '/monitoring/dashboard');
  expect((await request).ok()).toBe(true);
  await expectTitle(again, 'Dashboard');
  // What prompts is on the device by then.
  await expect(again.getByRole('region', { name: 'First steps' })).toBeVisible();
  await expect(again.getByRole('button', { name: /^Live/ })).toBeVisible();
  await expect(prompt(again)).toHaveCount(0);
  await again.context().close();
});

test("WIZARD-1: a user who can't connect a source is not prompted", async ({ browser }) => {
  await createUser(portal, 'rosa', 'Rosa Reader', ['operator']);
  const page = await newPage(browser);
  const profiles: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/v1\/profile\/[^/]+$/.test(request.url())) profiles.push(request.url());
  });
  await enter(portal, page, 'rosa', '/monitoring/dashboard', NEW_PASSWORD);
  await expect(page.getByText('No results yet')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
  await expect(prompt(page)).toHaveCount(0);
  expect(profiles).toEqual([]);
  await page.context().close();
});

test('VERSION-1, OUT-7: if another version is stored, startup logs the user out with the reason, and unsent changes arrive', async ({
  browser,
}) => {
  // The gateway passes calls on to the server's own host.
  const server = await startPortal();
  await post(server.url, await createKey(server), [
    { job: 'Harbour store', status: 'Failed', message: 'No space left on device' },
  ]);
  await createUser(server, 'otto', 'Otto Operator', ['operator']);
  const admin = await loadApi(server, 'admin');
  const front = await startFront(server.url, 'dist');
  const page = await newPage(browser);
  const reviews = async (): Promise<number> =>
    (
      (await admin('GET', 'admin/events?type=problem.reviewed')) as { events: { actor: string }[] }
    ).events.filter(({ actor }) => actor === 'otto').length;
  await signIn(page, `${front.url}/monitoring/daily-checks?q=harbour`, 'otto', NEW_PASSWORD);
  await expect(getRow(page, 'Harbour store')).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('appVersion'))).toBe('2.2.14');
  // The server is away from commands only, so that the review waits on the device.
  front.be({ without: /\/api\/v1\/monitoring\/backoffice\/jobExecutions/ });
  await getRow(page, 'Harbour store')
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(getRow(page, 'Harbour store')).toContainText('not sent yet');
  await page.evaluate(() => {
    localStorage.setItem('appVersion', '2.2.13');
  });
  await page.reload();
  await expect(page).toHaveURL(/\/login$/, { timeout: 60_000 });
  await expect(
    page.getByText(
      'The portal was updated. Sign in again to continue. Your unsent changes are saved.',
    ),
  ).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('appVersion'))).toBe('2.2.14');
  await sound(page, 'version');
  await takePictures(page, 'version');
  front.be('well');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  expect(await reviews()).toBe(0);
  await page.getByLabel('Username').fill('otto');
  await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  // Back to where one was.
  await expect(page).toHaveURL(/\/monitoring\/daily-checks\?q=harbour/);
  await expect.poll(reviews, { timeout: 60_000 }).toBe(1);
  await page.context().close();
  await front.stop();
  await server.stop();
});

test("LOAD-1: a page that is gone after a deployment, or doesn't load within two minutes, says so and offers to reload", async ({
  browser,
}) => {
  const page = await newPage(browser);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await page.clock.install();
  await enter(portal, page, 'admin', '/monitoring/users');
  await expectTitle(page, 'Users');
  let isLate = false;
  await page.route(/\/assets\/screen-[^/]*\.js$/, (route) =>
    isLate ? new Promise<void>(() => {}) : route.fulfill({ status: 404, body: '' }),
  );
  await menu.getByRole('link', { name: 'Companies' }).click();
  await expect(page.getByRole('alert').getByText(CHUNK)).toBeVisible({ timeout: 60_000 });
  await sound(page, 'chunk');
  await takePictures(page, 'chunk-missing');
  isLate = true;
  await page.goto(`${portal.url}/monitoring/hints`);
  // The wait begins once the portal knows who is in: until then there is nothing to be late.
  await expect(async () => {
    await page.clock.fastForward(121_000);
    await expect(page.getByText(CHUNK)).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Reload' }).press('Enter');
  await expectTitle(page, 'Hints');
  await page.context().close();
});

test('LOAD-2: offline, a page and a dialog that are not on this device say what they need, and open after reconnecting', async ({
  browser,
}) => {
  const page = await newPage(browser);
  const loadAnnouncements = await recordAnnouncements(page);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await enter(portal, page, 'admin', '/monitoring/users');
  await expectTitle(page, 'Users');
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
  await page.evaluate(() => {
    document.documentElement.dataset['loaded'] = 'once';
  });
  await page.context().setOffline(true);
  await menu.getByRole('link', { name: 'Calendar view' }).click();
  await expect(
    page.getByRole('heading', { level: 2, name: "This page isn't on this device yet" }),
  ).toBeVisible();
  const hint = "You're offline. The page opens when you reconnect.";
  await expect(page.getByRole('main').getByText(hint)).toBeVisible();
  await expect.poll(loadAnnouncements).toContain(hint);
  await expect(page).toHaveURL(/\/monitoring\/calendar-report$/);
  await sound(page, 'offline page', { sidebar: true });
  await takePictures(page, 'page-offline');
  // The pages that are on this device still open.
  await menu.getByRole('link', { name: 'Users', exact: true }).click();
  await expectTitle(page, 'Users');
  await page.goBack();
  await expectTitle(page, 'Page not loaded');
  await page.context().setOffline(false);
  await expectTitle(page, 'Calendar view');
  await expect(page.locator('.cal-work')).toHaveCSS('display', 'grid'); // with its style sheet

  await page.context().setOffline(true);
  await page.getByLabel('Days', { exact: true }).selectOption({ label: 'Choose days…' });
  await expect(page.getByText("You're offline. Reconnect and try again.")).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Filters' })).toBeEnabled();
  await page.context().setOffline(false);
  await expect(page.getByRole('dialog').getByRole('heading')).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-loaded', 'once');
  await page.context().close();
});

test('PAGE-2, OWN-10, LIC-6: each area refuses on its own page; the landing page comes before the cloud suite, which has Subscriptions where cards pay', async ({
  browser,
}) => {
  const id = await createUser(portal, 'olin', 'Olin Cloud', ['o365_admin']);
  const api = await loadApi(portal, 'admin');
  const page = await newPage(browser);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await enter(portal, page, 'olin', '/o365', NEW_PASSWORD);
  await expect(page).toHaveURL(/\/o365\/dashboard$/);
  await expect(menu.getByRole('link', { name: 'Profile' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Subscriptions', exact: true })).toHaveCount(0);
  await page.goto(`${portal.url}/admin/branding`);
  await expect(page).toHaveURL(/\/admin\/forbidden$/);
  await expect(page.getByText("You don't have access to this page.")).toBeVisible();
  await takePictures(page, 'forbidden');
  const { id: provider } = (await api('GET', 'service-providers/branding')) as { id: string };
  await api('PUT', `service-providers/${provider}/branding`, { isStripeEnabled: true });
  await api('PUT', `users/${id}`, { landingPage: '/monitoring/users' });
  await page.context().clearCookies();
  const other = await newPage(browser);
  const there = other.getByRole('navigation', { name: 'Main' });
  await enter(portal, other, 'olin', '/o365', NEW_PASSWORD);
  await expectTitle(other, 'Users');
  await other.goto(`${portal.url}/o365/dashboard`);
  await there.getByRole('link', { name: 'Subscriptions', exact: true }).press('Enter');
  await expectTitle(other, 'Subscriptions');
  await expect(other).toHaveURL(/\/o365\/subscriptions$/);
  await sound(other, 'suite subscriptions', { sidebar: true });
  await other.goto(`${portal.url}/monitoring/users`);
  await expect(there.getByRole('link', { name: 'Users' })).toBeVisible();
  await expect(there.getByRole('link', { name: 'Subscriptions', exact: true })).toHaveCount(0);
  await page.context().close();
  await other.context().close();
  await enterForbidden(await newPage(browser));
});

test('FILTER-1: only a user with the companies filter can limit the dashboard and trends to companies, by hand or by a link', async ({
  browser,
}) => {
  const api = await loadApi(portal, 'admin');
  await api('POST', 'companies', { name: 'Calloway Freight' });
  await post(portal.url, await createKey(portal), [{ job: 'Filter job', status: 'Success' }]);
  await createUser(portal, 'adam', 'Adam Admin', ['admin']);
  await createUser(portal, 'olga', 'Olga Operator', ['operator']);
  for (const [username, isFiltered] of [
    ['adam', false],
    ['olga', true],
  ] as const) {
    const page = await newPage(browser);
    const filter = page
      .getByLabel('Companies', { exact: true })
      .and(page.locator('select, button'));
    await enter(portal, page, username, '/monitoring/dashboard?company=999', NEW_PASSWORD);
    await expect(page.getByRole('list', { name: 'Figures' })).toBeVisible();
    await expect(filter).toHaveCount(isFiltered ? 1 : 0);
    // Nothing is of company 999: only who may filter is shown nothing.
    await expect(
      page.getByText('This device has no results for these days, companies, and groups.'),
    ).toHaveCount(isFiltered ? 1 : 0);
    await page.goto(`${portal.url}/monitoring/analytics/trends`);
    await expectTitle(page, 'Trends');
    await expect(
      page.getByLabel('Sources', { exact: true }).and(page.locator('select, button')),
    ).toHaveCount(1);
    await expect(filter).toHaveCount(isFiltered ? 1 : 0);
    await page.context().close();
  }
});

/** An operator has no part in the cloud suite, and is sent to Monitoring. */
async function enterForbidden(page: Page): Promise<void> {
  await createUser(portal, 'opal', 'Opal Operator', ['operator']);
  await enter(portal, page, 'opal', '/o365/dashboard', NEW_PASSWORD);
  await expect(page).toHaveURL(/\/monitoring\/dashboard$/);
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Daily checks' }),
  ).toBeVisible();
  await page.context().close();
}
