import { expect, test } from '@playwright/test';
import { enter, entry, downloadCsv, createUser, expectText } from './people.ts';
import { beyondTab, takePictures } from './person.ts';
import {
  createKey,
  expectTitle,
  getRow,
  loadApi,
  newPage,
  openPortal,
  post,
  startPortal,
} from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { axeInBoth, focusSearch } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  const api = await loadApi(portal, 'admin');
  await api('POST', 'companies', { name: 'Calloway Freight' });
});
test.afterEach(async () => {
  await portal.stop();
});
test("COMP-8, COMP-4: a company is created, changed and deleted by its name; its results leave another browser's list", async ({
  page,
  browser,
}) => {
  await enter(portal, page, 'admin', '/monitoring/companies');
  await expectTitle(page, 'Companies');
  await page.getByRole('button', { name: 'New company' }).click();
  await page.getByLabel('Name', { exact: true }).fill('First company');
  await page.getByRole('button', { name: 'Create company' }).click();
  await expectText(page, 'A company with this name already exists.');
  await page.getByLabel('Name', { exact: true }).fill('Harbour Foods');
  await page.getByRole('switch', { name: /^Microsoft 365/ }).click();
  await page.getByLabel('Add organization').fill('harbour.onmicrosoft.com');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Add user' }).fill('dana');
  await page.getByRole('option', { name: 'Dana Reyes (dana)' }).click();
  await page.getByRole('button', { name: 'Create company' }).click();
  await expectText(page, 'Harbour Foods created');
  const row = page.getByRole('row').filter({ hasText: 'Harbour Foods' });
  await expect(row).toBeVisible();
  await page.getByLabel('Veeam ID', { exact: true }).fill('HF-1');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expectText(page, 'Changes saved');
  await page.keyboard.press('Escape');
  await expect(entry(page, 'Harbour Foods')).toBeFocused();
  await expect(row).toContainText('Microsoft 365');
  await expect(row).toContainText('Dana Reyes');
  await expect(row).toContainText('Veeam ID HF-1');

  const secret = await createKey(portal);
  await post(portal.url, secret, [
    { job: 'SQL nightly', status: 'Failed', message: 'Unable to connect' },
  ]);
  const other = await newPage(browser);
  await enter(portal, other, 'dana', '/monitoring/daily-checks');
  await expect(getRow(other, 'SQL nightly')).toBeVisible();
  await page.reload();
  await expect(
    page.getByRole('row').filter({ hasText: 'First company' }).getByRole('cell').nth(1),
  ).toHaveText(/^1/);
  await entry(page, 'First company').click();
  await page.getByRole('button', { name: 'Delete company' }).click();
  await expectText(page, '1 job with 1 result');
  await expectText(page, '1 source. Its key is revoked immediately.');
  await page.getByLabel('Type the company name').fill('First company');
  await page.keyboard.press('Enter');
  await expectText(page, 'First company deleted');
  await expect(entry(page, 'First company')).toHaveCount(0);
  await expect(getRow(other, 'SQL nightly')).toHaveCount(0, { timeout: 60_000 });
  const { name, text } = await downloadCsv(page);
  expect(name).toMatch(/^Companies_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('Harbour Foods,');
  expect(text).not.toContain('First company');
  await page.getByRole('button', { name: 'Import from VSPC' }).click();
  await expectText(page, /No console connected/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/import/);
  await other.context().close();
});

test('ULOG-1: the users log lists every action, is filtered by action and user, and is downloaded', async ({
  page,
}) => {
  const api = await loadApi(portal, 'admin');
  const [gone, made] = [
    await createUser(portal, 'zoe', 'Zoe Gone'),
    (await api('POST', 'companies', { name: 'Short-lived' })) as { _id: string },
  ];
  await api('DELETE', `users/delete/${gone}`);
  await api('DELETE', `companies/${Object.values(made)[0]}`);
  const {
    rows: [rita],
  } = (await api('GET', 'monitoring/reporting/users?search=rita')) as { rows: { _id: string }[] };
  const session = (await api('POST', 'auth/login-as', {
    userId: Object.values(rita ?? {})[0],
    reason: 'Ticket 4712',
  })) as { token: string };
  await fetch(`${portal.url}/api/v1/auth/login-as/exit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'authorization': `Bearer ${session.token}` },
    body: '{}',
  });
  await enter(portal, page, 'admin', '/monitoring/users-logs?size=200');
  await expectTitle(page, 'Users Logs');
  const lines = page.getByRole('row');
  for (const words of ['User invited', 'Company deleted'])
    await expect(lines.filter({ hasText: words }).first()).toBeVisible();
  await expect(lines.filter({ hasText: 'as Rita Only' }).first()).toContainText('Administrator');
  await expect(lines.filter({ hasText: 'Erased user' }).first()).toBeVisible();
  await expect(lines.filter({ hasText: /Chrome on / }).first()).toBeVisible();
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Company deleted' });
  await expect
    .poll(
      async () =>
        (await lines.count()) - (await lines.filter({ hasText: 'Company deleted' }).count()),
    )
    .toBe(1); // the head
  await page.getByRole('combobox', { name: 'Action' }).selectOption('');
  await page.getByRole('button', { name: 'Filter by user' }).click();
  await page.getByRole('combobox', { name: 'User' }).fill('rita');
  await page.getByRole('option', { name: 'Rita Only (rita)' }).click();
  await expect(page).toHaveURL(/user=[\da-f-]{36}/);
  await expect(lines.filter({ hasText: 'Company deleted' })).toHaveCount(0);
  const { name, text } = await downloadCsv(page);
  expect(name).toMatch(/^UserLogs_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('rita');
  await page.getByRole('button', { name: 'Remove filter: User Rita Only' }).click();
  await expect(lines.filter({ hasText: 'Company deleted' }).first()).toBeVisible();
});

test('USER-11, E2E-7: the keyboard alone leads to the list, into a user and back to its row', async ({
  page,
}) => {
  await enter(portal, page, 'admin', '/monitoring/users');
  await expect(entry(page, 'Administrator')).toBeVisible();
  await focusSearch(page);
  await page.keyboard.type('a');
  await expect(page).toHaveURL(/q=a/);
  await page.keyboard.press('Enter');
  await expect(entry(page, 'Administrator')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(entry(page, 'Dana Reyes')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: 'Dana Reyes' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(entry(page, 'Dana Reyes')).toBeFocused();
  await page.keyboard.press('k');
  await expect(entry(page, 'Administrator')).toBeFocused();
});

test('USER-11, COMP-8, ULOG-1: offline, each page says what it needs', async ({ page }) => {
  const server = await startPortal();
  await enter(server, page, 'admin', '/monitoring/users');
  await expect(entry(page, 'Administrator')).toBeVisible();
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await expect(entry(page, 'First company')).toBeVisible();
  await server.kill();
  await expectText(page, /Reconnect to add or change companies\./);
  await expect(entry(page, 'First company')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New company' })).toBeDisabled();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expectText(page, /Users aren't stored on this device/);
  await server.start();
  await expect(entry(page, 'Administrator')).toBeVisible({ timeout: 60_000 });
  await server.stop();
});

test('USER-11, E2E-7: the pages of users and companies pass axe in both themes and fit a phone', async ({
  page,
}) => {
  const api = await loadApi(portal, 'admin');
  await api('POST', 'users', {
    username: 'maximiliana.alexandrina@subsidiary.of.a.customer.example.com',
    name: 'Maximiliana Alexandrina Featherstonehaugh-Cholmondeley von und zu Hohenlohe the Third',
    email: 'max@example.com',
    roles: ['operator', 'o365_admin'],
    companies: null,
    auth: 'db',
    invite: true,
  });
  await enter(portal, page, 'admin', '/monitoring/users');
  await expect(entry(page, 'Maximiliana')).toBeVisible();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const at = async (what: string): Promise<void> => {
      await axeInBoth(page, `${what}, ${width}`);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: what })
        .toBeLessThanOrEqual(width);
      if (width === 1440) expect(await beyondTab(page), what).toEqual([]);
      await takePictures(page, `people-${what}-${width}`);
    };
    await page.goto(`${portal.url}/monitoring/users`);
    await expect(entry(page, 'Dana Reyes')).toBeVisible();
    await at('users');
    await entry(page, 'Maximiliana').click();
    await expect(page.getByRole('heading', { level: 2, name: /^Maximiliana/ })).toBeVisible();
    await at('user');
    await page.getByRole('tab', { name: 'Access' }).click();
    await expect(page.getByRole('button', { name: 'Erase permanently' })).toBeVisible();
    await at('access');
    await page.getByRole('button', { name: 'Erase permanently' }).click();
    await expect(page.getByLabel('Type the username')).toBeVisible();
    await axeInBoth(page, `remove, ${width}`);
    await page.goto(`${portal.url}/monitoring/users?user=new`);
    await page.getByRole('button', { name: 'Create and invite user' }).click();
    await expectText(page, 'Enter a username.');
    await at('new user');
    await page.goto(`${portal.url}/monitoring/companies`);
    await expect(entry(page, 'Calloway Freight')).toBeVisible();
    await at('companies');
    await entry(page, 'Calloway Freight').click();
    await expect(page.getByRole('heading', { level: 2, name: 'Calloway Freight' })).toBeVisible();
    await at('company');
    await page.goto(`${portal.url}/monitoring/users-logs`);
    await expect(page.getByRole('row').filter({ hasText: 'Administrator' }).first()).toBeVisible();
    await at('users logs');
  }
});
