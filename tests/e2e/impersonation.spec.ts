import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { accountsAt, SECOND } from './account-person.ts';
import type { Accounts } from './account-person.ts';
import { createKey, getRow, newPage, post, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { countStoredResults, sound } from './page-checks.ts';

const REASON = "You can't do this while you're signed in as another user.";
const JOB = 'Payroll of the test';

let portal: SharedPortal;
let people: Accounts;
test.beforeEach(async () => {
  portal = await openPortal();
  people = await accountsAt(portal);
  await post(portal.url, await createKey(portal), [
    { job: JOB, status: 'Failed', message: 'no space left on device' },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

const open = async (page: Page, path: string, heading: string): Promise<void> => {
  await page.goto(`${portal.url}${path}`);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
};

/** Reached with the Tab key alone, from the top of the page. */
async function tabTo(page: Page, button: Locator): Promise<void> {
  await page.locator('body').press('Tab');
  for (let presses = 0; presses < 150; presses += 1) {
    if (await button.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the button is not in the tab order');
}

async function expectRefused(page: Page, button: Locator): Promise<void> {
  await expect(button).toBeVisible();
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(button).toHaveAccessibleDescription(REASON);
  await tabTo(page, button);
  await expect(page.getByRole('tooltip')).toHaveText(REASON);
  await expect(button).toHaveAccessibleDescription(REASON);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(button).toBeFocused();
}

test('ACT-7: while signed in as another user, buttons of refused calls are disabled with the reason, by keyboard and for screen readers, and work again afterwards', async ({
  browser,
}) => {
  await people.makeUser('otto', ['operator']);
  await people.settle('otto');
  const page = await newPage(browser);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(people.at('users?q=otto'));
  await page.locator('[data-entry]').filter({ hasText: 'otto of the test' }).click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.getByLabel('Reason').fill('Ticket 4713');
  await page.getByRole('button', { name: 'Sign in as this user' }).click();
  await expect(
    page.getByRole('complementary', { name: 'Signed in as another user' }),
  ).toBeVisible();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/auth/validate-sso/')) requests.push(request.url());
  });
  // A second visit asks nothing by itself either.
  for (const visit of [1, 2]) {
    await test.step(`visit ${visit}`, async () => {
      await open(page, '/monitoring/apps/zerto', 'Zerto');
      await expectRefused(page, page.getByRole('button', { name: 'Sign in to Zerto' }));
      await expect(page.getByRole('alert')).toHaveCount(0);
    });
  }
  await sound(page, 'app while impersonating', { sidebar: true });
  expect(requests).toEqual([]);
  for (const path of ['security', 'api-keys', 'change-password']) {
    await page.goto(people.at(path));
    await expect(page.getByText(REASON)).toBeVisible();
  }
  await page.getByLabel('Sidebar').getByRole('button', { name: /^Exit/ }).click();
  await expect(page.getByRole('complementary', { name: 'Signed in as another user' })).toBeHidden();
  await expect(
    page.getByLabel('Sidebar').getByText('Administrator', { exact: true }),
  ).toBeVisible();
  await open(page, '/monitoring/apps/zerto', 'Zerto');
  await expect(page.getByRole('button', { name: 'Sign in to Zerto' })).not.toHaveAttribute(
    'aria-disabled',
  );
  await page.context().close();
});

/**
 * Answers as if the session were somebody else's: nobody may act as a user who has the pages of the
 * administration, so the page alone is looked at.
 */
async function mockImpersonation(page: Page): Promise<void> {
  const impersonator = {
    id: 'a',
    username: 'boss',
    name: 'The boss',
    impersonation: 'i',
    until: Date.now() + 3_600_000,
  };
  await page.context().route(/\/api\/v1\/(?:auth|sync\/bootstrap)/, async (route) => {
    // Chromium finds hosts below localhost; the test's own requests don't.
    const url = new URL(route.request().url());
    const { host } = url;
    url.hostname = '127.0.0.1';
    const headers = { ...(await route.request().allHeaders()), host };
    const answer = await route.fetch({ url: url.href, headers });
    const text = await answer.text();
    // The checksum is that of the answer before it is changed.
    const { 'daybook-sum': _, ...others } = answer.headers();
    await route.fulfill({
      response: answer,
      headers: others,
      body: text.replaceAll(
        '"impersonator":null',
        `"impersonator":${JSON.stringify(impersonator)}`,
      ),
    });
  });
}

test('ACT-7: pages of the administration disable the buttons of refused calls and no others', async ({
  browser,
}) => {
  const page = await newPage(browser);
  await mockImpersonation(page);
  await signIn(page, portal.url, 'admin', portal.password);
  await open(page, '/monitoring/sources', 'Connect a source');
  await expectRefused(page, page.getByRole('button', { name: 'New source' }));
  await expectRefused(page, page.getByRole('button', { name: /^New secret for Key/ }).first());
  await expect(page.getByRole('button', { name: /^Revoke Key/ }).first()).not.toHaveAttribute(
    'aria-disabled',
  );
  await sound(page, 'sources while impersonating', { sidebar: true });
  for (const [path, heading, name] of [
    ['/monitoring/webhooks', 'Webhooks', 'New webhook'],
    ['/monitoring/connections', 'Connections', 'New connection'],
    ['/monitoring/users', 'Users', 'New user'],
    ['/monitoring/companies', 'Companies', 'Download CSV'],
    ['/admin/events', 'Events', 'Download CSV'],
    ['/admin/providers', 'Providers', 'New provider'],
    ['/admin/settings', 'Provider settings', 'Save sign-in settings'],
  ] as const) {
    await test.step(path, async () => {
      await open(page, path, heading);
      await expectRefused(page, page.getByRole('button', { name }).first());
    });
  }
  await open(page, '/monitoring/companies', 'Companies');
  await expect(page.getByRole('button', { name: 'New company' }).first()).not.toHaveAttribute(
    'aria-disabled',
  );
  await page.context().close();
});

test("SYNC-6, SYNC-13: when an administrator removes a role, its data leave the open page and the device's disk", async ({
  browser,
}) => {
  await people.makeUser('ola', ['operator']);
  await people.settle('ola');
  const theirs = await newPage(browser);
  const page = await newPage(browser);
  await signIn(theirs, portal.url, 'ola', SECOND);
  await expect(getRow(theirs, JOB)).toBeVisible();
  await expect.poll(() => countStoredResults(theirs), { timeout: 60_000 }).toBeGreaterThan(0);

  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(people.at('users?q=ola'));
  await page.locator('[data-entry]').filter({ hasText: 'ola of the test' }).click();
  await page.getByRole('checkbox', { name: 'Sub-provider' }).check();
  await page.getByRole('checkbox', { name: 'Operator' }).uncheck();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status', { name: 'Messages' })).not.toBeEmpty();

  // Nobody touches the other browser.
  await expect(theirs.locator('body')).not.toContainText(JOB, { timeout: 90_000 });
  await expect.poll(() => countStoredResults(theirs), { timeout: 90_000 }).toBe(0);
  await theirs.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(theirs.getByText("You don't have access to this page.").first()).toBeVisible();
  await expect(theirs.locator('body')).not.toContainText(JOB);
  for (const one of [theirs, page]) await one.context().close();
});
