import { expect, test } from '@playwright/test';
import { createKey, getRow, loadApi, post, signIn, openPortal, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { holdUndo } from './person.ts';
import { axeInBoth, collectErrors, focusSearch } from './page-checks.ts';

/** The pages here are those whose sidebar is judged. */
const WHOLE = { sidebar: true };
// The content policy is looked at with all of the product's parts.
test.use({ serviceWorkers: 'allow' });
let portal: SharedPortal;

test.beforeEach(async () => {
  portal = await openPortal();
  const secret = await createKey(portal);
  const day = 86_400_000;
  const now = Date.now();
  const nights = (job: string, last: object): { job: string; status: string }[] =>
    Array.from({ length: 9 }, (_, i) => ({
      job,
      status: 'Success',
      bytesTransferred: 9e9 + i * 1e7,
      startTime: new Date(now - (9 - i) * day - 3_600_000).toISOString(),
      endTime: new Date(now - (9 - i) * day).toISOString(),
      ...(i === 8
        ? {
            startTime: new Date(now - 3_600_000).toISOString(),
            endTime: new Date(now - 60_000).toISOString(),
            ...last,
          }
        : {}),
    }));
  await post(portal.url, secret, [
    ...nights('SQL nightly', {
      status: 'Failed',
      message: 'Unable to connect to host sql.example.net: timed out',
      log: 'start\nerror: Unable to connect\n',
    }),
    ...nights(
      'A job with a name that is much longer than any column of the list could hold at once',
      { status: 'Warning', message: '3 files were skipped' },
    ),
    ...nights('Mail archive', { status: 'Success', bytesTransferred: 99e9 }),
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-7, E2E-9, G45: screens pass axe in both themes without violating the content policy', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await page.goto(portal.url);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await axeInBoth(page, 'sign-in');
  await signIn(page, portal.url, 'admin', portal.password);
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  await axeInBoth(page, 'daily checks', WHOLE);
  await getRow(page, 'SQL nightly').click();
  await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
  await axeInBoth(page, 'panel', WHOLE);
  await page.keyboard.press('s');
  await expect(page.getByRole('heading', { name: /^Snooze/ })).toBeVisible();
  await axeInBoth(page, 'snooze', WHOLE);
  await page.keyboard.press('Escape');
  await page.goto(`${portal.url}/monitoring/sources`);
  await expect(page.getByRole('heading', { level: 1, name: 'Connect a source' })).toBeVisible();
  await axeInBoth(page, 'sources', WHOLE);
  await page.getByRole('button', { name: 'New source' }).first().click();
  await expect(page.getByRole('heading', { name: 'New source' })).toBeVisible();
  await axeInBoth(page, 'new source', WHOLE);
  await page.goto(`${portal.url}/no/such/page`);
  await expect(page.getByText('The page you requested could not be found.')).toBeVisible();
  await axeInBoth(page, 'not found');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await axeInBoth(page, 'phone', WHOLE);
  expect(errors).toEqual([]);
});

test('E2E-7: by keyboard alone, a user signs in, clears the list, undoes reviews and searches', async ({
  page,
}) => {
  const api = await loadApi(portal, 'dana');
  const reviewed = async (): Promise<number> =>
    (
      (await api('GET', 'sync/bootstrap')) as { problems: { review: object | null }[] }
    ).problems.filter(({ review }) => review !== null).length;
  await holdUndo(page);
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(page.getByLabel('Username')).toBeFocused();
  await page.keyboard.type('admin');
  await page.keyboard.press('Tab');
  await page.keyboard.type(portal.password);
  await page.keyboard.press('Enter');
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await expect(getRow(page, 'SQL nightly')).toContainText(/Reviewed .* by you/);
  await page.keyboard.press('u');
  await expect(getRow(page, 'SQL nightly')).not.toContainText('Reviewed');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('e');
  await expect(page.getByText('3 of 3 cleared')).toBeVisible();
  await expect.poll(reviewed).toBe(3);
  await page.keyboard.press('u');
  await expect(page.getByText('0 of 3 cleared')).toBeVisible();
  await expect.poll(reviewed).toBe(0); // sent as well: the next one to look sees it so
  await page.keyboard.press('Escape');
  await focusSearch(page);
  await page.keyboard.type('mail');
  await expect(getRow(page, 'SQL nightly')).toBeHidden();
  await expect(getRow(page, 'Mail archive')).toContainText(/usual/);
  await expect(page).toHaveURL(/q=mail/);
});

test('PAGE-2: a read-only user sees no actions and opens no other pages', async ({ page }) => {
  await signIn(page, portal.url, 'rita', portal.password);
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Review/ })).toHaveCount(0);
  await page.keyboard.press('j');
  await expect(page.locator('[role=row][data-cursor]')).toBeVisible();
  await page.keyboard.press('e');
  await expect(page.getByText('0 of 3 cleared')).toBeVisible();
  await page.goto(`${portal.url}/monitoring/sources`);
  await expect(page).toHaveURL(/\/monitoring\/forbidden$/);
});

test('PAGE-3: a menu longer than the window shows the entry of the page that is opened', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.setViewportSize({ width: 1_280, height: 480 });
  await page.goto(`${portal.url}/monitoring/connections`);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect(menu.locator('[aria-current=page]')).toBeInViewport({ ratio: 1 });
  await expect(menu.getByRole('link', { name: 'Dashboard' })).not.toBeInViewport();
});

test('PAGE-2, PAGE-4: a signed-out visitor is led to the sign-in page and then to the requested address', async ({
  page,
}) => {
  await page.goto(`${portal.url}/monitoring/daily-checks?q=mail`);
  await expect(page).toHaveURL(/\/login$/);
  await submitSignIn(page, 'admin', 'not the password');
  await expect(page.getByText('The username or password is not valid.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Password' }).fill(portal.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(/daily-checks\?q=mail$/);
  await expect(getRow(page, 'Mail archive')).toBeVisible();
});
