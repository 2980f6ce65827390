import { expect, test } from '@playwright/test';
import { linkFor } from './outbox.ts';
import {
  enter,
  entry,
  downloadCsv,
  submitUser,
  NEW_PASSWORD,
  panel,
  createUser,
  expectText,
} from './people.ts';
import { expectTitle, newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});
test('USER-11, USER-1: a user is created and invited, chooses a password from the email, and signs in; a taken username is reported at its field', async ({
  page,
  browser,
}) => {
  await enter(portal, page, 'admin', '/monitoring/users');
  await expectTitle(page, 'Users');
  await page.getByRole('button', { name: 'New user' }).click();
  await page.getByRole('button', { name: 'Create and invite user' }).click();
  await expectText(page, 'Enter a username.');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await submitUser(page, { name: 'Nora Vance', username: 'nora' });
  await expectText(page, 'Invitation sent to Nora Vance');
  await expect(panel(page, 'Nora Vance').getByText('Invited')).toBeVisible();
  await expect(entry(page, 'Nora Vance')).toBeVisible();
  await page.keyboard.press('Escape');
  await submitUser(page, { name: 'Nora Second', username: 'NORA' });
  await expectText(page, 'The username already exists.');
  await expect(page.getByLabel('Username', { exact: true })).toBeFocused();
  // What was typed is not lost by a slip.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Nora Second');
  await page.getByRole('link', { name: 'Daily checks' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expectTitle(page, 'Daily checks');

  const other = await newPage(browser);
  await other.goto(await linkFor(portal.url, 'nora@example.com'));
  await other.getByRole('textbox', { name: 'New password' }).fill(NEW_PASSWORD);
  await other.keyboard.press('Enter');
  await expectText(other, /Your new password is set/);
  await enter(portal, other, 'nora', '/monitoring/daily-checks', NEW_PASSWORD);
  await expectTitle(other, 'Daily checks');
  await expect(other.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  await other.context().close();
});

test("USER-11, USER-3: an added role works in the user's open browser, and unchanged fields are not sent", async ({
  page,
  browser,
}) => {
  await createUser(portal, 'owen', 'Owen Hart');
  const other = await newPage(browser);
  await enter(portal, other, 'owen', '/monitoring/daily-checks', NEW_PASSWORD);
  await expectTitle(other, 'Daily checks');
  await enter(portal, page, 'admin', '/monitoring/users?q=owen');
  await entry(page, 'Owen Hart').click();
  const save = page.getByRole('button', { name: 'Save changes' });
  await expect(save).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Operator' }).check();
  await page.getByRole('checkbox', { name: /^Administrator/ }).check();
  const sent: object[] = [];
  await page.context().route('**/users/*', (route) => {
    if (route.request().method() === 'PUT') sent.push(route.request().postDataJSON() as object);
    return route.continue();
  });
  await save.click();
  await expectText(page, 'Changes saved');
  expect(sent.map((body) => Object.keys(body))).toEqual([['roles']]);
  await expect(other.getByRole('link', { name: 'Users', exact: true })).toBeVisible({
    timeout: 60_000,
  });
  await page.getByRole('tab', { name: 'Accounts' }).click();
  await page.getByLabel('Account number').fill('CW-1001');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Accounts' })).toContainText('CW-1001');
  await expect(page.getByLabel('Account number')).toHaveValue('');
  await page.getByLabel('Account number').fill('CW-1001');
  await page.keyboard.press('Enter');
  await expectText(page, 'The user already has this account.');
  await page.getByRole('button', { name: 'Remove account CW-1001' }).click();
  await expectText(page, /No accounts yet/);
  await other.context().close();
});

test("USER-11, USER-6: the last administrator can't be deleted, and the page says so", async ({
  page,
}) => {
  await createUser(portal, 'kit', 'Kit Moore', ['super-admin', 'o365_admin']);
  await enter(portal, page, 'kit', '/monitoring/users?q=admin', NEW_PASSWORD);
  await entry(page, 'Administrator').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Delete user' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
  await expectText(page, 'This is the last administrator. Add another one first.');
});

test("USER-11, USER-8: setting a user's password requires confirming one's identity and ends the user's sessions", async ({
  page,
  browser,
}) => {
  await createUser(portal, 'pia', 'Pia Lund');
  const other = await newPage(browser);
  await enter(portal, other, 'pia', '/monitoring/daily-checks', NEW_PASSWORD);
  await expectTitle(other, 'Daily checks');
  await enter(portal, page, 'admin', '/monitoring/users?q=pia');
  let request = 0;
  // As five minutes later: the server wants a factor first.
  await page.context().route('**/changePassword/db', async (route) => {
    request += 1;
    if (request > 1) {
      await route.continue();
      return;
    }
    await route.fulfill({
      status: 403,
      json: {
        success: false,
        message: 'Confirm your identity to continue.',
        error: { kind: 'reauth_required' },
      },
    });
  });
  await entry(page, 'Pia Lund').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('textbox', { name: 'New password' }).fill('password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Confirm your identity' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(portal.password);
  await page.keyboard.press('Enter');
  await expectText(page, /Choose a password of at least/);
  await expect(page.getByRole('textbox', { name: 'New password' })).toBeFocused();
  await page.getByRole('textbox', { name: 'New password' }).fill('winter orchard lantern 9');
  await page.keyboard.press('Enter');
  await expectText(page, 'Password set for Pia Lund');
  await expect(panel(page, 'Pia Lund').getByText('Password change required')).toBeVisible();
  await expect(other).toHaveURL(/\/login$/, { timeout: 60_000 });
  await enter(portal, other, 'pia', '/monitoring/daily-checks', 'winter orchard lantern 9');
  await expect(other).toHaveURL(/\/monitoring\/reset-password$/);
  await other.context().close();
});

test('G44, OWN-2: some minutes after signing in, creating a user and downloading the list require confirmation, and continue with what was typed', async ({
  page,
}) => {
  await enter(portal, page, 'admin', '/monitoring/users');
  await expectTitle(page, 'Users');
  const confirm = async (call: string, press: () => Promise<void>): Promise<void> => {
    let request = 0;
    await page.context().route(call, async (route) => {
      if (route.request().method() !== 'POST') {
        await route.continue();
        return;
      }
      request += 1;
      if (request > 1) {
        await route.continue();
        return;
      }
      await route.fulfill({
        status: 403,
        json: {
          success: false,
          message: 'Confirm your identity to continue.',
          error: { kind: 'reauth_required' },
        },
      });
    });
    await press();
    await expect(page.getByRole('heading', { name: 'Confirm your identity' })).toBeVisible();
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(portal.password);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Confirm your identity' })).toBeHidden();
    await expect.poll(() => request).toBe(2);
  };
  await confirm('**/api/v1/users', () => submitUser(page, { name: 'Vera Late', username: 'vera' }));
  await expectText(page, 'Invitation sent to Vera Late');
  await expect(entry(page, 'Vera Late')).toBeVisible();
  await page.keyboard.press('Escape');
  const saved = page.waitForEvent('download');
  await confirm('**/reporting/users/export', () =>
    page.getByRole('button', { name: 'Download CSV' }).click(),
  );
  expect((await saved).suggestedFilename()).toMatch(/^Users_.*\.csv$/);
});

test("USER-11: an administrator signs in as a user with a reason, sees that user's pages, and returns", async ({
  page,
}) => {
  await enter(portal, page, 'admin', '/monitoring/users?q=rita');
  await entry(page, 'Rita Only').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Sign in as rita' }).click();
  await page.getByLabel('Reason').fill('no');
  await page.keyboard.press('Enter');
  await expectText(page, 'Enter a reason of at least five characters.');
  await page.getByLabel('Reason').fill('Ticket 4711: her list is empty');
  await page.keyboard.press('Enter');
  const exit = page.getByRole('button', { name: /^Exit rita/ });
  await expect(exit.first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  await exit.first().click();
  await expect(page.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
});

test('USER-11, USER-5: a user is deleted, found among the deleted ones, and erased by typing the username', async ({
  page,
}) => {
  await createUser(portal, 'uma', 'Uma Grant');
  await enter(portal, page, 'admin', '/monitoring/users?q=uma');
  await entry(page, 'Uma Grant').click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'Delete user' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
  await expectText(page, 'Uma Grant deleted');
  await expectText(page, 'No matching users');
  await page.getByRole('combobox', { name: 'Deleted users' }).selectOption('only');
  await entry(page, 'Uma Grant').click();
  await expect(page.getByLabel('Name', { exact: true })).toBeDisabled();
  await page.getByRole('tab', { name: 'Access' }).click();
  await expect(page.getByRole('button', { name: 'Erase permanently' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Set password' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Erase permanently' }).click();
  await page.getByLabel('Type the username').fill('um');
  await page.keyboard.press('Enter');
  await expectText(page, "The text doesn't match.");
  await page.getByLabel('Type the username').fill('uma');
  await page.keyboard.press('Enter');
  await expectText(page, 'uma erased permanently');
  await expect(entry(page, 'Uma Grant')).toHaveCount(0);
  await page.goto(`${portal.url}/monitoring/users`);
  await expect(entry(page, 'Rita Only')).toBeVisible();
  const { name, text } = await downloadCsv(page);
  expect(name).toMatch(/^Users_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(text).toContain('Rita Only');
  expect(text).not.toContain('Uma');
});
