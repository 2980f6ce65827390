import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import type { Browser, Locator, Page } from '@playwright/test';
import { linkFor } from './outbox.ts';
import { beyondTab, pictureOf } from './person.ts';
import { apiOf, keyOf, post, rowOf, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
  const api = await apiOf(portal, 'admin');
  await api('POST', 'companies', { name: 'Calloway Freight' });
});
test.afterAll(async () => { await portal.stop(); });
test.describe.configure({ mode: 'default' });

const NEW_PASSWORD = 'a calm harbour ledger 42';
const freshPage = async (browser: Browser): Promise<Page> => (await browser.newContext({ reducedMotion: 'reduce' })).newPage();

/** A user with a password of its own, by the link of an invitation. */
async function personOf(username: string, name: string, roles: readonly string[] = ['read-only']): Promise<string> {
  const api = await apiOf(portal, 'admin');
  const { _id: id } = await api('POST', 'users', { username, name, email: `${username}@example.com`, roles, companies: null, auth: 'db', invite: true }) as { _id: string };
  const hash = new URL(await linkFor(portal.url, `${username}@example.com`)).hash.slice(1);
  const answer = await fetch(`${portal.url}/api/v1/profile/forgot-password/change`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ hash, newPassword: NEW_PASSWORD }) });
  expect(answer.status).toBe(200);
  return id;
}

async function enter(page: Page, username: string, path: string, password = portal.password): Promise<void> {
  await page.goto(portal.url + path);
  await page.getByLabel('Username').fill(username);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
const title = (page: Page, name: string): Promise<void> => expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
const entry = (page: Page, name: string): Locator => page.locator('[data-entry]').filter({ hasText: name });
const panel = (page: Page, name: string): Locator => page.getByRole('region', { name });
const told = (page: Page, words: string | RegExp): Promise<void> => expect(page.getByText(words)).toBeVisible();

async function fileOf(page: Page): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

async function make(page: Page, user: { readonly name: string; readonly username: string; readonly roles?: readonly string[] }): Promise<void> {
  await page.getByRole('button', { name: 'New user' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New user' })).toBeFocused();
  await page.getByLabel('Name', { exact: true }).fill(user.name);
  await page.getByLabel('User name', { exact: true }).fill(user.username);
  await page.getByLabel('E-mail', { exact: true }).fill(`${user.username}@example.com`);
  for (const role of user.roles ?? []) await page.getByRole('checkbox', { name: role }).check();
  await page.getByRole('button', { name: 'Make and invite the user' }).click();
}

async function axe(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  expect(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
}

test('USER-11, USER-1: a user is made and invited, chooses a password by the mail, and signs in; a name that is taken is told at its field', async ({ page, browser }) => {
  await enter(page, 'admin', '/monitoring/users');
  await title(page, 'Users');
  await page.getByRole('button', { name: 'New user' }).click();
  await page.getByRole('button', { name: 'Make and invite the user' }).click();
  await told(page, 'Give a user name.');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await make(page, { name: 'Nora Vance', username: 'nora' });
  await told(page, 'Nora Vance is invited by mail.');
  await expect(panel(page, 'Nora Vance').getByText('Invited')).toBeVisible();
  await expect(entry(page, 'Nora Vance')).toBeVisible();
  await page.keyboard.press('Escape');
  await make(page, { name: 'Nora Second', username: 'NORA' });
  await told(page, 'The username already exists.');
  await expect(page.getByLabel('User name', { exact: true })).toBeFocused();
  // What was typed is not lost by a slip.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Nora Second');
  await page.getByRole('link', { name: 'Daily checks' }).click();
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  await title(page, 'Daily checks');

  const other = await freshPage(browser);
  await other.goto(await linkFor(portal.url, 'nora@example.com'));
  await other.getByRole('textbox', { name: 'New password' }).fill(NEW_PASSWORD);
  await other.keyboard.press('Enter');
  await told(other, /Your new password is set/);
  await enter(other, 'nora', '/monitoring/daily-checks', NEW_PASSWORD);
  await title(other, 'Daily checks');
  await expect(other.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  await other.context().close();
});

test('USER-11, USER-3: a role that is given is there in the other browser at once, and what was not changed is not sent', async ({ page, browser }) => {
  await personOf('owen', 'Owen Hart');
  const other = await freshPage(browser);
  await enter(other, 'owen', '/monitoring/daily-checks', NEW_PASSWORD);
  await title(other, 'Daily checks');
  await enter(page, 'admin', '/monitoring/users?q=owen');
  await entry(page, 'Owen Hart').click();
  const save = page.getByRole('button', { name: 'Save the changes' });
  await expect(save).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Operator' }).check();
  await page.getByRole('checkbox', { name: /^Administrator/ }).check();
  const [request] = await Promise.all([page.waitForRequest((one) => one.method() === 'PUT' && one.url().includes('/users/')), save.click()]);
  expect(Object.keys(request.postDataJSON() as object)).toEqual(['roles']);
  await told(page, 'The changes are saved.');
  await expect(other.getByRole('link', { name: 'Users', exact: true })).toBeVisible({ timeout: 30_000 });
  await page.getByRole('tab', { name: 'Accounts' }).click();
  await page.getByLabel('Account number').fill('CW-1001');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Accounts' })).toContainText('CW-1001');
  await page.getByLabel('Account number').fill('CW-1001');
  await page.keyboard.press('Enter');
  await told(page, 'The user has this account already.');
  await page.getByRole('button', { name: 'Take away CW-1001' }).click();
  await told(page, /No accounts yet/);
  await other.context().close();
});

test('USER-11, USER-6: the last administrator is not deleted, and the page says so', async ({ page }) => {
  await personOf('kit', 'Kit Moore', ['super-admin', 'o365_admin']);
  const api = await apiOf(portal, 'admin');
  const { rows } = await api('GET', 'monitoring/reporting/users?role=admin') as { rows: { _id: string; username: string }[] };
  for (const { _id: id, username } of rows) if (username !== 'admin') await api('PUT', `users/${id}`, { roles: ['operator'] });
  await enter(page, 'kit', '/monitoring/users?q=admin', NEW_PASSWORD);
  await entry(page, 'Administrator').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Delete the user' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the user' }).click();
  await told(page, 'This is the last administrator. Make another one first.');
});

test('USER-11, USER-8: a password that is set ends the other\'s sessions, once it was confirmed who sets it', async ({ page, browser }) => {
  await personOf('pia', 'Pia Lund');
  const other = await freshPage(browser);
  await enter(other, 'pia', '/monitoring/daily-checks', NEW_PASSWORD);
  await title(other, 'Daily checks');
  await enter(page, 'admin', '/monitoring/users?q=pia');
  let asked = 0;
  // As five minutes later: the server wants a factor first.
  await page.context().route('**/changePassword/db', async (route) => {
    asked += 1;
    if (asked > 1) { await route.continue(); return; }
    await route.fulfill({ status: 403, json: { success: false, message: 'Confirm that it is you to continue.', error: { kind: 'reauth_required' } } });
  });
  await entry(page, 'Pia Lund').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.getByRole('textbox', { name: 'New password' }).fill('password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(portal.password);
  await page.keyboard.press('Enter');
  await told(page, /Choose a password of at least/);
  await expect(page.getByRole('textbox', { name: 'New password' })).toBeFocused();
  await page.getByRole('textbox', { name: 'New password' }).fill('winter orchard lantern 9');
  await page.keyboard.press('Enter');
  await told(page, 'The password of Pia Lund is set.');
  await expect(panel(page, 'Pia Lund').getByText('New password due')).toBeVisible();
  await expect(other).toHaveURL(/\/login$/, { timeout: 30_000 });
  await enter(other, 'pia', '/monitoring/daily-checks', 'winter orchard lantern 9');
  await expect(other).toHaveURL(/\/monitoring\/reset-password$/);
  await other.context().close();
});

test('USER-11: an administrator logs in as a user with a reason, sees what it sees, and comes back', async ({ page }) => {
  await enter(page, 'admin', '/monitoring/users?q=rita');
  await entry(page, 'Rita Only').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Log in as rita' }).click();
  await page.getByLabel('Reason').fill('no');
  await page.keyboard.press('Enter');
  await told(page, 'Give a reason of five letters or more.');
  await page.getByLabel('Reason').fill('Ticket 4711: her list is empty');
  await page.keyboard.press('Enter');
  const exit = page.getByRole('button', { name: /^Exit rita/ });
  await expect(exit.first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  await exit.first().click();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
});

test('USER-11, USER-5: a user is deleted, found among the deleted, and removed for good by typing its name', async ({ page }) => {
  await personOf('uma', 'Uma Grant');
  await enter(page, 'admin', '/monitoring/users?q=uma');
  await entry(page, 'Uma Grant').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Delete the user' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the user' }).click();
  await told(page, 'Uma Grant is deleted.');
  await told(page, 'Nobody matches');
  await page.getByRole('combobox', { name: 'Deleted users' }).selectOption('only');
  await entry(page, 'Uma Grant').click();
  await expect(page.getByLabel('Name', { exact: true })).toBeDisabled();
  await page.getByRole('tab', { name: 'Access' }).click();
  await expect(page.getByRole('button', { name: 'Set a password' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove for good' }).click();
  await page.getByLabel('Type the user name').fill('um');
  await page.keyboard.press('Enter');
  await told(page, 'This is not the same.');
  await page.getByLabel('Type the user name').fill('uma');
  await page.keyboard.press('Enter');
  await told(page, 'uma is removed for good.');
  await expect(entry(page, 'Uma Grant')).toHaveCount(0);
  await page.goto(`${portal.url}/monitoring/users`);
  await expect(entry(page, 'Rita Only')).toBeVisible();
  const { name, text } = await fileOf(page);
  expect(name).toMatch(/^Users_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('Rita Only');
  expect(text).not.toContain('Uma');
});

test('COMP-8, COMP-4: a company is made, changed and deleted by its name; its results leave the list of the other browser', async ({ page, browser }) => {
  await enter(page, 'admin', '/monitoring/companies');
  await title(page, 'Companies');
  await page.getByRole('button', { name: 'New company' }).click();
  await page.getByLabel('Name', { exact: true }).fill('First company');
  await page.getByRole('button', { name: 'Make the company' }).click();
  await told(page, 'There is a company of this name.');
  await page.getByLabel('Name', { exact: true }).fill('Harbour Foods');
  await page.getByRole('switch', { name: /^Microsoft 365/ }).click();
  await page.getByLabel('Add an organization').fill('harbour.onmicrosoft.com');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Add a user' }).fill('dana');
  await page.getByRole('option', { name: 'Dana Reyes (dana)' }).click();
  await page.getByRole('button', { name: 'Make the company' }).click();
  await told(page, 'Harbour Foods is a company now.');
  const row = page.getByRole('row').filter({ hasText: 'Harbour Foods' });
  await expect(row).toBeVisible();
  await page.getByLabel('Veeam id', { exact: true }).fill('HF-1');
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await told(page, 'The changes are saved.');
  await page.keyboard.press('Escape');
  await expect(entry(page, 'Harbour Foods')).toBeFocused();
  await expect(row).toContainText('Microsoft 365');
  await expect(row).toContainText('Dana Reyes');
  await expect(row).toContainText('Veeam id HF-1');

  const secret = await keyOf(portal);
  await post(portal.url, secret, [{ job: 'SQL nightly', status: 'Failed', message: 'Unable to connect' }]);
  const other = await freshPage(browser);
  await enter(other, 'dana', '/monitoring/daily-checks');
  await expect(rowOf(other, 'SQL nightly')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: 'First company' }).getByRole('cell').nth(1)).toHaveText(/^1/);
  await entry(page, 'First company').click();
  await page.getByRole('button', { name: 'Delete the company' }).click();
  await told(page, 'job with 1 result');
  await told(page, 'source: its key ends at once');
  await page.getByLabel('Type the name of the company').fill('First company');
  await page.keyboard.press('Enter');
  await told(page, 'First company is deleted.');
  await expect(entry(page, 'First company')).toHaveCount(0);
  await expect(rowOf(other, 'SQL nightly')).toHaveCount(0, { timeout: 30_000 });
  const { name, text } = await fileOf(page);
  expect(name).toMatch(/^Companies_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('Harbour Foods,');
  expect(text).not.toContain('First company');
  await page.getByRole('button', { name: 'Import from VSPC' }).click();
  await told(page, /No console is connected yet/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/import/);
  await other.context().close();
});

test('ULOG-1: the record tells all of it, is narrowed to a kind and a user, and is a file as well', async ({ page }) => {
  const api = await apiOf(portal, 'admin'), [gone, made] = [await personOf('zoe', 'Zoe Gone'), await api('POST', 'companies', { name: 'Short-lived' }) as { _id: string }];
  await api('DELETE', `users/delete/${gone}`);
  await api('DELETE', `companies/${Object.values(made)[0]}`);
  const { rows: [rita] } = await api('GET', 'monitoring/reporting/users?search=rita') as { rows: { _id: string }[] };
  const acting = await api('POST', 'auth/login-as', { userId: Object.values(rita ?? {})[0], reason: 'Ticket 4712' }) as { token: string };
  await fetch(`${portal.url}/api/v1/auth/login-as/exit`, { method: 'POST', headers: { 'content-type': 'application/json', 'authorization': `Bearer ${acting.token}` }, body: '{}' });
  await enter(page, 'admin', '/monitoring/users-logs?size=200');
  await title(page, 'Users Logs');
  const lines = page.getByRole('row');
  for (const words of ['User invited', 'Company deleted']) await expect(lines.filter({ hasText: words }).first()).toBeVisible();
  await expect(lines.filter({ hasText: 'as Rita Only' }).first()).toContainText('Administrator');
  await expect(lines.filter({ hasText: 'a removed user' }).first()).toBeVisible();
  await expect(lines.filter({ hasText: /Chrome on / }).first()).toBeVisible();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Company deleted' });
  await expect.poll(async () => await lines.count() - await lines.filter({ hasText: 'Company deleted' }).count()).toBe(1); // the head
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('');
  await page.getByRole('button', { name: 'One user' }).click();
  await page.getByRole('combobox', { name: 'User' }).fill('rita');
  await page.getByRole('option', { name: 'Rita Only (rita)' }).click();
  await expect(page).toHaveURL(/user=[\da-f-]{36}/);
  await expect(lines.filter({ hasText: 'Company deleted' })).toHaveCount(0);
  const { name, text } = await fileOf(page);
  expect(name).toMatch(/^UserLogs_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('rita');
  await page.getByRole('button', { name: 'Remove filter: User Rita Only' }).click();
  await expect(lines.filter({ hasText: 'Company deleted' }).first()).toBeVisible();
});

test('USER-11, E2E-7: by keyboard alone: to the list, into a user and back to its place', async ({ page }) => {
  await enter(page, 'admin', '/monitoring/users');
  await expect(entry(page, 'Administrator')).toBeVisible();
  await page.keyboard.press('/');
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

test('USER-11, COMP-8, ULOG-1: without a network each page says what it needs', async ({ page }) => {
  await enter(page, 'admin', '/monitoring/companies');
  await expect(entry(page, 'Calloway Freight')).toBeVisible();
  await page.context().setOffline(true);
  await told(page, /A company is made or changed with the network only\./);
  await expect(entry(page, 'Calloway Freight')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New company' })).toBeDisabled();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await told(page, /The users are not kept on this device/);
  await page.context().setOffline(false);
  await expect(entry(page, 'Administrator')).toBeVisible({ timeout: 30_000 });
});

for (const theme of ['light', 'dark'] as const) {
  test(`USER-11, E2E-7: axe finds nothing on the pages of people, and they fit a phone, ${theme}`, async ({ browser }) => {
    const api = await apiOf(portal, 'admin');
    await api('POST', 'users', {
      username: `maximiliana.alexandrina.${theme}@subsidiary.of.a.customer.example.com`, name: 'Maximiliana Alexandrina Featherstonehaugh-Cholmondeley von und zu Hohenlohe the Third',
      email: `max-${theme}@example.com`, roles: ['operator', 'o365_admin'], companies: null, auth: 'db', invite: true,
    });
    const context = await browser.newContext({ colorScheme: theme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await enter(page, 'admin', '/monitoring/users');
    await expect(entry(page, 'Maximiliana').first()).toBeVisible();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const at = async (what: string): Promise<void> => {
        await axe(page, `${what}, ${width}`);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(width);
        if (width === 1440 && theme === 'light') expect(await beyondTab(page), what).toEqual([]);
        await pictureOf(page, `people-${what}-${theme}-${width}`);
      };
      await page.goto(`${portal.url}/monitoring/users`);
      await expect(entry(page, 'Dana Reyes')).toBeVisible();
      await at('users');
      await entry(page, 'Maximiliana').first().click();
      await at('user');
      await page.getByRole('tab', { name: 'Access' }).click();
      await at('access');
      await page.getByRole('button', { name: 'Remove for good' }).click();
      await expect(page.getByLabel('Type the user name')).toBeVisible();
      await axe(page, `remove, ${width}`);
      await page.goto(`${portal.url}/monitoring/users?user=new`);
      await page.getByRole('button', { name: 'Make and invite the user' }).click();
      await at('new user');
      await page.goto(`${portal.url}/monitoring/companies`);
      await expect(entry(page, 'Calloway Freight')).toBeVisible();
      await at('companies');
      await entry(page, 'Calloway Freight').click();
      await at('company');
      await page.goto(`${portal.url}/monitoring/users-logs`);
      await expect(page.getByRole('row').filter({ hasText: 'Administrator' }).first()).toBeVisible();
      await at('users logs');
    }
    await context.close();
  });
}
