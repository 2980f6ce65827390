import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { backUpPerson, list, node, restorePanel, shownCode } from './cloud-suite.ts';
import type { TenantPerson } from './cloud-suite.ts';
import { PUBLIC_CLIENT_ID } from '#server/demo/tenant/applications.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { signInByApi } from './ways-in.ts';

let portal: Portal;
/** Whose mailbox is backed up. */
let person: TenantPerson;
/** Who restores it, and who may not. */
let operator: TenantPerson;
let other: TenantPerson;

test.beforeEach(async () => {
  portal = await startPortal('small');
  const backup = await backUpPerson(portal, { mailbox: true, oneDrive: false });
  person = backup.person;
  const [first, second] = backup.people.filter(({ id }) => id !== person.id);
  if (first === undefined || second === undefined) throw new Error('a tenant of one person');
  [operator, other] = [first, second];
});
test.afterEach(() => portal.stop());

/** Chooses a person of the directory in the wizard, with the keyboard. */
async function choose(page: Page, { name }: TenantPerson): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search by name or address' }).fill(name);
  const found = page.getByRole('listbox', { name: 'Search by name or address' });
  await expect(found.getByRole('option').first()).toContainText(name);
  await found.focus();
  await page.keyboard.press('Space');
  await expect(page.getByRole('region', { name: 'Selected' })).toContainText(name);
}

/** Signs in with Microsoft as a person of the simulated organization. */
async function signIn(page: Page, { id }: TenantPerson): Promise<void> {
  await page.goto(`${portal.url}/restore`);
  await expect(page.getByRole('heading', { level: 1, name: 'Restore data' })).toBeVisible();
  await page.getByRole('button', { name: 'Get a code' }).click();
  await expect(shownCode(page)).toBeVisible();
  const code = await shownCode(page).innerText();
  await fetch(`${portal.url}/demo/tenant/1/codes/${code}/approve`, {
    method: 'POST',
    body: new URLSearchParams({ user: id }),
  });
}

/** Signs in on the page of Microsoft, which leads the browser back. */
async function signInOnMicrosoftPage(page: Page, { id }: TenantPerson): Promise<void> {
  // A redirect itself can't be intercepted.
  await page.route('**/api/v1/o365/operators/start', async (route) => {
    const start = await route.fetch({ maxRedirects: 0 });
    const { 'location': address = '', 'set-cookie': cookie = '' } = start.headers();
    expect(new URL(address).host).toBe('login.microsoftonline.com');
    const { headers } = await fetch(`${portal.url}/demo/tenant/1/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ page: address, user: id }),
    });
    const back = JSON.stringify(headers.get('location') ?? '');
    await route.fulfill({
      headers: { 'set-cookie': cookie },
      contentType: 'text/html',
      body: `<title>Microsoft</title><script>location.replace(${back})</script>`,
    });
  });
  const admin = await signInByApi(portal, 'owner');
  const set = (microsoft: object | null): Promise<unknown> =>
    admin.call('PUT', `service-providers/${admin.provider}/settings`, { microsoft });
  await set({ clientId: PUBLIC_CLIENT_ID });
  await page.goto(`${portal.url}/restore#refused=denied`);
  await expect(page.getByRole('alert')).toContainText('The sign-in was canceled');
  await page.getByRole('button', { name: 'Use a code instead' }).click();
  await expect(page.getByRole('button', { name: 'Get a code' })).toBeVisible();
  await sound(page, 'sign-in of an operator at Microsoft');
  await page.getByRole('link', { name: 'Continue to Microsoft' }).click();
  await page.waitForURL(/\/restore\/outlook/);
  await set(null);
}

test('RES-50, RES-51, RES-52, RES-53, RES-55: a role is made by keyboard; its operator signs in with Microsoft, sees only its scope and restores a mail; the audit shows it', async ({
  page,
  browser,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/restore-operator-roles');
  await expectTitle(page, 'Restore operators');
  await sound(page, 'no restore operators');
  await page.getByRole('button', { name: 'New role' }).first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).fill('Reception');
  await expect(page.getByText('Draft saved on this device.')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('form', { name: 'Organization' })).toBeVisible();
  await page.reload();
  await expect(page.getByText('Reception')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('form', { name: 'Operators' })).toBeVisible();
  await choose(page, operator);
  await sound(page, 'operators of a role');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('radio', { name: /^Selected items/ }).focus();
  await page.keyboard.press('Space');
  await choose(page, person);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('form', { name: 'Exceptions' })).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expectTitle(page, 'Restore operators');
  await page.getByRole('button', { name: /^Reception/ }).click();
  await expect(page.getByText('1 person').first()).toBeVisible();
  await sound(page, 'a role of restore operators');

  const context = await browser.newContext();
  const console = await context.newPage();
  const consoleErrors = collectErrors(console);
  await console.goto(`${portal.url}/restore`);
  await expect(console.getByRole('heading', { level: 1, name: 'Restore data' })).toBeVisible();
  await sound(console, 'sign-in of an operator');
  await signIn(console, operator);
  await expect(node(console, new RegExp(person.name))).toBeVisible({ timeout: 60_000 });
  // Nobody else is there.
  await expect(console.getByRole('treeitem')).toHaveCount(1);
  await node(console, new RegExp(person.name)).click();
  await node(console, /^Inbox/).click();
  await expect(list(console, 'Inbox').getByRole('option').first()).toBeVisible();
  await sound(console, 'console of an operator');
  await list(console).focus();
  await console.keyboard.press('x');
  await console.keyboard.press('r');
  const panel = restorePanel(console);
  await expect(panel.getByText('Original location')).toBeVisible();
  await expect(panel.getByRole('radio')).toHaveCount(0);
  await panel.getByRole('button', { name: /^Dry run/ }).click();
  await expect(panel.getByText(/skipped|restored/i).first()).toBeVisible({ timeout: 60_000 });
  await console.setViewportSize({ width: 390, height: 844 });
  await sound(console, 'restore of an operator on a phone');
  expect(consoleErrors).toEqual([]);
  await context.close();

  const third = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const phone = await third.newPage();
  await signInOnMicrosoftPage(phone, operator);
  await expect(node(phone, new RegExp(person.name))).toBeVisible({ timeout: 60_000 });
  await third.close();

  const stranger = await browser.newContext();
  const entrance = await stranger.newPage();
  await signIn(entrance, other);
  await expect(
    entrance.getByText("Your Microsoft account isn't a restore operator of this portal."),
  ).toBeVisible({ timeout: 60_000 });
  await stranger.close();

  await page.goto(`${portal.url}/o365/restore/audit`);
  await expectTitle(page, 'Restore audit');
  const row = page.getByRole('row').filter({ hasText: 'Dry run requested' });
  await expect(row).toContainText(operator.name);
  await expect(row).toContainText(person.name);
  await sound(page, 'audit of restores');
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/restore/audit?action=restore')) as {
    rows: { isOperator: boolean }[];
  };
  expect(rows.every(({ isOperator }) => isOperator)).toBe(true);
  expect(errors).toEqual([]);
});
