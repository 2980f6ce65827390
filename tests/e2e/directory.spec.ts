import { expect, test as base } from '@playwright/test';
import type { Page } from '@playwright/test';
import { missing, PASSWORD, SERVICE, startSamba } from '../server/auth/directory/samba.ts';
import type { Samba } from '../server/auth/directory/samba.ts';
import { accountsAt, toast } from './account-person.ts';
import type { Accounts } from './account-person.ts';
import { codeFor } from './outbox.ts';
import { expectTitle, newPage, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { sound } from './page-checks.ts';
import { typeCode, withSettings, getWrongCode } from './ways-in.ts';
import { LOOPBACK, withEnvironment } from './server-process.ts';

const SECOND = 'Granite-teapot-58';
const THIRD = 'Orchard-lantern-71';
let portal: Portal;
let people: Accounts;

/** A directory takes long to make: a worker has one, in which each test has a user of its own. */
const test = base.extend<object, { readonly samba: Samba }>({
  samba: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what it depends on
    async ({}, use) => {
      const samba = await startSamba();
      await use(samba);
      await samba.stop();
    },
    { scope: 'worker' },
  ],
});

const enter = async (
  page: Page,
  username: string,
  password: string,
  path = 'daily-checks',
): Promise<void> => {
  await page.goto(people.at(path));
  await submitSignIn(page, username, password);
};

const addUser = (username: string, more: object = {}): Promise<unknown> =>
  people.admin('POST', 'users', {
    username,
    name: `${username} of the directory`,
    email: `${username}@example.com`,
    roles: ['operator'],
    companies: null,
    auth: 'ad',
    ...more,
  });

test.describe(`a real Active Directory${missing}`, () => {
  test.skip(missing !== '', missing);

  test.beforeEach(async ({ samba }) => {
    portal = await withEnvironment(LOOPBACK, startPortal);
    people = await accountsAt(portal);
    const { id } = (await people.admin('GET', 'service-providers/branding')) as { id: string };
    await people.admin('PUT', `service-providers/${id}/settings`, { directory: samba.at });
    await people.admin('PUT', `service-providers/${id}/secrets/directory`, { value: SERVICE });
  });
  test.afterEach(() => portal.stop());

  test("E2E-12, AUTH-11: a directory user signs in with its password and a code, after wrong attempts, and changes the password by the directory's rules", async ({
    browser,
    samba,
  }) => {
    await samba.user('astrid');
    await addUser('astrid', { mobilePhone: '+15550100444', sms: true });
    const page = await newPage(browser);
    await enter(page, 'astrid', 'not this one');
    await expect(page.getByText('The username or password is not valid.')).toBeVisible();
    await enter(page, 'astrid', PASSWORD);
    await expectTitle(page, 'Enter the code');
    const code = await codeFor(portal.url, '+15550100444');
    await typeCode(page, getWrongCode(code));
    await expect(page.getByText("This code isn't valid.")).toBeVisible();
    await typeCode(page, code);
    await expectTitle(page, 'Daily checks');
    await page.getByRole('link', { name: 'Change password' }).click();
    await expect(
      page.getByText("Your directory's password rules apply. Ask your administrator about them."),
    ).toBeVisible();
    const change = async (current: string, next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('Confirm new password').fill(next);
      await page.keyboard.press('Enter');
    };
    await change(PASSWORD, 'short');
    await expect(
      page.getByText('Password chosen failed to meet any or all of the requirements stated.'),
    ).toBeVisible();
    await expect(page.getByLabel('New password', { exact: true })).toBeFocused();
    await change(PASSWORD, SECOND);
    await expect(toast(page, 'Password changed')).toBeVisible();
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectTitle(page, 'Sign in');
    // A directory may take the old one for a while yet; the new one it takes at once.
    await enter(page, 'astrid', SECOND);
    await expectTitle(page, 'Enter the code');
    await page.context().close();
  });

  test('E2E-12, AUTH-11, OWN-5: a password that the directory wants to be changed is changed before anything else', async ({
    browser,
    samba,
  }) => {
    await samba.user('mira', '--must-change-at-next-login');
    await addUser('mira');
    const page = await newPage(browser);
    await enter(page, 'mira', PASSWORD);
    await expectTitle(page, 'Choose a new password');
    await expect(page).toHaveURL(/\/monitoring\/reset-password$/);
    await sound(page, 'reset-password-directory');
    const set = async (next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('Confirm new password').fill(next);
      await page.keyboard.press('Enter');
    };
    await set('short');
    await expect(
      page.getByText('Password chosen failed to meet any or all of the requirements stated.'),
    ).toBeVisible();
    await set(THIRD);
    await expectTitle(page, 'Daily checks');
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectTitle(page, 'Sign in');
    await enter(page, 'mira', THIRD);
    await expectTitle(page, 'Daily checks');
    await page.context().close();
  });

  test('E2E-12, AUTH-11: credentials that are sent before the page knows of the directory are checked by the directory', async ({
    browser,
    samba,
  }) => {
    await samba.user('nils');
    await addUser('nils');
    const page = await newPage(browser);
    const { promise: pressed, resolve: press } = Promise.withResolvers<undefined>();
    await page.context().route('**/service-providers/branding', async (route) => {
      await pressed;
      await route.continue();
    });
    await enter(page, 'nils', PASSWORD);
    await expect(page.getByRole('button', { name: 'Signing in…' })).toBeVisible();
    press(undefined);
    await expectTitle(page, 'Daily checks');
    await page.context().close();
  });

  test('E2E-12, PAGE-4: the requested address survives the steps for a phone, a code, a new password, questions and terms', async ({
    browser,
    samba,
  }) => {
    await samba.user('lena', '--must-change-at-next-login');
    await addUser('lena', { forceSecurityQuestions: true, roles: ['operator', 'o365_admin'] });
    const { id } = (await people.admin('GET', 'service-providers/branding')) as { id: string };
    await people.admin('PUT', `service-providers/${id}/branding`, {
      features: {
        office365: {
          selfRegistration: {
            termsOfUse: { title: 'Terms of use', text: 'Be kind.', version: '1' },
          },
        },
      },
    });
    const page = await newPage(browser);
    await withSettings(portal, { secondFactor: 'sms' }, async () => {
      await enter(page, 'lena', PASSWORD, 'daily-checks?q=mail');
      await expectTitle(page, 'Your mobile phone');
      await page.getByLabel('Mobile phone').fill('+15550100445');
      await page.keyboard.press('Enter');
      await expectTitle(page, 'Enter the code');
      await typeCode(page, await codeFor(portal.url, '+15550100445'));
      await expectTitle(page, 'Choose a new password');
    });
    await page.getByLabel('Current password').fill(PASSWORD);
    for (const label of ['New password', 'Confirm new password'])
      await page.getByLabel(label, { exact: true }).fill(THIRD);
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Security questions');
    await page.reload();
    await expectTitle(page, 'Security questions');
    for (const n of [1, 2, 3]) {
      await page.getByLabel(`Question ${n}`, { exact: true }).selectOption({ index: 1 });
      await page.getByLabel(`Answer ${n}`, { exact: true }).fill(`quiet answer ${n}`);
    }
    await page.getByRole('button', { name: 'Save answers' }).click();
    await page.getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expectTitle(page, 'Daily checks');
    await expect(page).toHaveURL(/\/monitoring\/daily-checks\?q=mail$/);
    await page.context().close();
  });

  test('E2E-12, RECOVER-3: a known computer says that the directory locked the account, and a code unlocks it', async ({
    browser,
    samba,
  }) => {
    await samba.user('oskar');
    await addUser('oskar');
    const page = await newPage(browser);
    await enter(page, 'oskar', PASSWORD);
    await expectTitle(page, 'Daily checks');
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectTitle(page, 'Sign in');
    for (let tries = 0; tries < 3; tries += 1) {
      await enter(page, 'oskar', `guess ${tries}`);
      await expect(page.getByText('The username or password is not valid.')).toBeVisible();
    }
    await enter(page, 'oskar', PASSWORD);
    await expect(
      page.getByText('This account is locked. Unlock it or ask your administrator.'),
    ).toBeVisible();
    await page.getByRole('link', { name: 'Unlock account' }).click();
    await expectTitle(page, 'Unlock your account');
    await page.getByLabel('Username').fill('oskar');
    await page.keyboard.press('Enter');
    await typeCode(page, await codeFor(portal.url, 'oskar@example.com'));
    await expect(page.getByText('Your account is unlocked.')).toBeVisible();
    await enter(page, 'oskar', PASSWORD);
    await expectTitle(page, 'Daily checks');
    await page.context().close();
  });
});
