import { expect, test } from '@playwright/test';
import { PHONE } from './hands.ts';
import { accountsAt, SECOND, toast } from './account-person.ts';
import type { Accounts } from './account-person.ts';
import { holdSuccess } from './person.ts';
import { newPage, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { expectTouchable, sound } from './page-checks.ts';

let portal: SharedPortal;
let people: Accounts;
test.beforeEach(async () => {
  portal = await openPortal();
  people = await accountsAt(portal);
});
test.afterEach(async () => {
  await portal.stop();
});

test('OWN-7: while signed in as another user, every page in every tab says so, and leaving returns to where it began', async ({
  browser,
}) => {
  await people.makeUser('bartholomew', ['operator']);
  await people.settle('bartholomew');
  const page = await newPage(browser);
  await signIn(page, portal.url, 'admin', portal.password);
  const other = await page.context().newPage();
  await other.goto(people.at('profile'));
  await expect(other.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.goto(people.at('users?q=bartholomew'));
  await page.locator('[data-entry]').filter({ hasText: 'bartholomew of the test' }).click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  const from = new URL(page.url());
  await page.getByLabel('Reason').fill('Ticket 4711');
  await page.getByRole('button', { name: 'Sign in as this user' }).click();
  const banner = page.getByRole('complementary', { name: 'Signed in as another user' });
  await expect(banner).toContainText("Administrator, you're signed in as bartholomew of the test");
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await sound(page, 'impersonation', { sidebar: true });
  await expect(
    other.getByRole('complementary', { name: 'Signed in as another user' }),
  ).toBeVisible();
  await page.goto(people.at('security'));
  await expect(
    page.getByText("You can't do this while you're signed in as another user."),
  ).toBeVisible();
  await expect(
    page.getByLabel('Sidebar').getByRole('button', { name: 'Exit bartholome…' }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeHidden();
  await page.getByLabel('Sidebar').getByRole('button', { name: 'Exit bartholome…' }).click();
  await expect(banner).toBeHidden();
  await expect(page).toHaveURL((url) => url.pathname === from.pathname);
  await expect(page.getByLabel('Sidebar').getByText('Administrator')).toBeVisible();
  await expect(
    other.getByRole('complementary', { name: 'Signed in as another user' }),
  ).toBeHidden();
  await page.context().close();
});

test('OWN-7: when the session as another user ends, the page says that the session has expired', async ({
  browser,
}) => {
  await people.makeUser('bartholomew', ['operator']);
  await people.settle('bartholomew');
  const page = await newPage(browser);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(people.at('users?q=bartholomew'));
  await page.locator('[data-entry]').filter({ hasText: 'bartholomew of the test' }).click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.getByLabel('Reason').fill('Ticket 4712');
  await page.getByRole('button', { name: 'Sign in as this user' }).click();
  await expect(
    page.getByRole('complementary', { name: 'Signed in as another user' }),
  ).toBeVisible();
  await page.context().route('**/api/v1/**', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/json',
      body: JSON.stringify({
        success: false,
        message: 'over',
        error: { kind: 'expired', message: 'over' },
      }),
    }),
  );
  await page.goto(people.at('evidence'));
  await expect(
    page.getByText('Your session has expired. Please log in again to continue.'),
  ).toBeVisible({ timeout: 60_000 });
  await page.context().close();
});

const notice = (more: object): Promise<unknown> =>
  people.admin('POST', 'notifications/publish', {
    app: 'monitoring',
    severity: 'warning',
    message: 'Maintenance on Sunday at noon',
    ...more,
  });

test('OWN-8: notices are shown above the pages of their app; they are acknowledged for good, closed until the next load, or copied', async ({
  browser,
}) => {
  await notice({});
  await notice({
    severity: 'info',
    message: 'The new price list is out',
    link: 'https://example.com/prices',
    copy: true,
    hideAck: true,
  });
  await notice({
    severity: 'error',
    message: 'A source has stopped',
    hideAck: true,
    hideClose: true,
  });
  await notice({ app: 'admin', message: 'For another app' });
  const page = await newPage(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await people.enter(page, 'rita');
  const notices = page.getByRole('region', { name: 'Notices' });
  await expect(notices.getByRole('listitem')).toHaveCount(3);
  await sound(page, 'notices', { sidebar: true });
  await expect(
    notices.getByRole('listitem').filter({ hasText: 'A source has stopped' }).getByRole('button'),
  ).toHaveCount(0);
  const priced = notices.getByRole('listitem').filter({ hasText: 'price list' });
  await priced.getByRole('button', { name: 'Copy link' }).click();
  await expect(toast(page, 'Link copied to clipboard')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'https://example.com/prices',
  );
  await priced.getByRole('button', { name: /^Close/ }).click();
  await notices.getByRole('button', { name: 'Got it' }).click();
  await expect(notices.getByRole('listitem')).toHaveCount(1);
  await page.reload();
  await expect(notices.getByRole('listitem')).toHaveCount(2);
  await expect(notices.getByText('Maintenance on Sunday at noon')).toBeHidden();
  await page.context().close();
});

test('OWN-8, E2E-7: on a phone, the link of a notice is 44 pixels high', async ({ browser }) => {
  await notice({ link: 'https://example.com/maintenance' });
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await people.enter(page, 'rita');
  const link = page
    .getByRole('region', { name: 'Notices' })
    .getByRole('link', { name: 'Read more' });
  await expectTouchable(link);
  await context.close();
});

test('OWN-8, TOAST-3: a sub-provider sees a link to invite users and copies it', async ({
  browser,
}) => {
  await people.makeUser('subin', ['sub-sp']);
  await people.settle('subin');
  const page = await newPage(browser);
  await holdSuccess(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await people.enter(page, 'subin', SECOND);
  const row = page
    .getByRole('region', { name: 'Notices' })
    .getByRole('listitem')
    .filter({ hasText: 'Invite a user' });
  await expect(row.getByRole('button')).toHaveText(['Copy link']);
  await row.getByRole('button').click();
  await expect(toast(page, 'Link copied to clipboard')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(portal.url);
  // The button is at the top right, where messages stand: it can be pressed again under the
  // message.
  const [pressed, details] = [
    await row.getByRole('button').boundingBox(),
    await page.locator('[data-toasts]').boundingBox(),
  ];
  if (pressed === null || details === null)
    throw new Error('the button and the message are both there');
  expect(pressed.x + pressed.width).toBeGreaterThan(1_040);
  expect(details.y >= pressed.y + pressed.height || details.y + details.height <= pressed.y).toBe(
    true,
  );
  await page.context().close();
});

const switchOn = async (features: object): Promise<void> => {
  const { id } = (await people.admin('GET', 'service-providers/branding')) as { id: string };
  await people.admin('PUT', `service-providers/${id}/branding`, { features });
};

test('OWN-9: a user accepts the terms of use before anything else, or is logged out', async ({
  browser,
}) => {
  await switchOn({
    office365: {
      selfRegistration: {
        termsOfUse: {
          title: 'Terms of use',
          text: 'Be kind.\n\nKeep your password to yourself.',
          version: '2',
        },
      },
    },
  });
  await people.makeUser('olin', ['o365_admin']);
  await people.settle('olin');
  const page = await newPage(browser);
  await people.enter(page, 'olin', SECOND);
  const terms = page.getByRole('dialog', { name: 'Terms of use' });
  await expect(terms.getByText('Keep your password to yourself.')).toBeVisible();
  await sound(page, 'terms');
  await page.keyboard.press('Escape');
  await expect(terms.getByRole('button', { name: 'Accept' })).toBeVisible();
  await terms.getByRole('button', { name: 'Decline and log out' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await people.enter(page, 'olin', SECOND);
  await terms.getByRole('button', { name: 'Accept' }).click();
  await expect(terms).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toBeVisible();
  await expect(terms).toHaveCount(0);
  await page.context().close();
});

test('OWN-10: the dashboard has the footer that the provider turned on, with its privacy policy', async ({
  browser,
}) => {
  await switchOn({
    footer: true,
    privacyPolicy: true,
    socialMedia: { links: [{ platform: 'Mastodon', link: 'https://example.com/@backup' }] },
  });
  const page = await newPage(browser);
  await signIn(page, portal.url, 'rita', portal.password);
  await expect(page.getByRole('contentinfo')).toBeHidden();
  await page.goto(people.at('dashboard'));
  await expect(
    page.getByRole('contentinfo').getByRole('link', { name: 'Mastodon' }),
  ).toHaveAttribute('href', 'https://example.com/@backup');
  await page.getByRole('button', { name: 'Privacy policy' }).click();
  const policy = page.getByRole('dialog', { name: 'Privacy policy' });
  for (const title of [
    'Cookies',
    'Web logs',
    'Email vendors',
    'Children under 13',
    'Disclosures',
    'Opt-out',
  ])
    await expect(policy.getByRole('heading', { name: title })).toBeVisible();
  await sound(page, 'privacy');
  await page.context().close();
});
