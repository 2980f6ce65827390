import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { enter, NEW_PASSWORD, createUser } from './people.ts';
import { expectTitle, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { collectErrors, sound, waitForBuild } from './page-checks.ts';

let portal: SharedPortal;

test.beforeEach(async () => {
  portal = await openPortal();
  await createUser(portal, 'olin', 'Olin Cloud', ['o365_admin']);
});
test.afterEach(() => portal.stop());

const CODE = '0a1b2c3d-0000-4000-8000-000000000000';
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 2, name, exact: true });

const answer = (data: unknown) => ({ json: { success: true, data } });

/** The tenant's side: a code that an administrator uses after two checks, and what was created. */
async function mockTenant(page: Page): Promise<{ readonly created: unknown[] }> {
  const created: unknown[] = [];
  let checks = 0;
  await page.context().route('**/o365/organizations/device-code', (route) =>
    route.fulfill(
      answer({
        id: CODE,
        userCode: 'WDJB-MJHT',
        verificationUrl: 'https://login.example.com/device',
        // The clock of the server is an hour behind.
        expiresAt: Date.now() - 2_700_000,
        expiresInMs: 900_000,
        intervalMs: 500,
      }),
    ),
  );
  await page.context().route('**/o365/organizations/device-code/check', (route) => {
    checks += 1;
    return route.fulfill(answer({ state: checks > 2 ? 'granted' : 'pending' }));
  });
  await page.context().route('**/o365/organizations', (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    created.push(route.request().postDataJSON());
    return route.fulfill(
      answer({
        _id: CODE,
        id: CODE,
        repositoryId: null,
        missingPermissions: [],
        isCertificateMissing: false,
      }),
    );
  });
  return { created };
}

test('WIZ-9, WIZ-10, WIZ-11: an organization is connected by keyboard, with a code, and its draft survives a reload', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { created } = await mockTenant(page);
  await enter(portal, page, 'olin', '/o365/organizations', NEW_PASSWORD);
  await expectTitle(page, 'Organizations');
  await expect(heading(page, 'No organizations yet')).toBeVisible();
  await sound(page, 'organizations', { sidebar: true });
  await page.getByRole('button', { name: 'New organization' }).press('Enter');
  await expect(heading(page, 'Organization and services')).toBeFocused();
  await expect(page).toHaveURL(/\/o365\/organizations\/new\/1$/);

  // What is missing is named, and the focus goes there.
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Enter a name.').first()).toBeVisible();
  await sound(page, 'organization wizard in error');
  await page.getByLabel('Company').selectOption({ index: 1 });
  await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
  await expect(page.getByText('Draft saved on this device.')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Application')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(page).toHaveURL(/\/new\/4a\/modern$/);
  await page.getByRole('textbox', { name: 'Application name' }).fill('Northwind Copperline');
  await expect(page.getByText('Draft saved on this device.')).toBeVisible();

  await page.reload();
  await expect(heading(page, 'New application')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Application name' })).toHaveValue(
    'Northwind Copperline',
  );
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Application', exact: true })).toBeVisible();
  await page.goForward();
  await expect(heading(page, 'New application')).toBeVisible();
  await page.keyboard.press('Control+Enter');

  await expect(heading(page, 'Sign in to Microsoft 365')).toBeFocused();
  await sound(page, 'device code');
  await page.getByRole('button', { name: 'Get a code' }).press('Enter');
  await expect(page.getByText('WDJB-MJHT')).toBeVisible();
  await expect(page.getByText(/^Signed in\./)).toBeVisible();
  // The wrong tenant was chosen on the page, or the sign-in has become too old.
  for (let back = 0; back < 2; back++) {
    await page.getByRole('button', { name: 'Get another code' }).press('Enter');
    await expect(page.getByText('WDJB-MJHT')).toBeVisible();
    await expect(page.getByText(/^Signed in\./)).toBeVisible();
    await page.getByRole('button', { name: /^Next: Repository/ }).press('Enter');
    await expect(heading(page, 'Repository')).toBeFocused();
    if (back === 0) await page.goBack();
  }
  await page.getByRole('textbox', { name: 'Repository name' }).fill('Copperline backups');
  await page.getByRole('radio', { name: /^S3-compatible storage/ }).press('Space');
  for (const [label, text] of [
    ['Endpoint', 'https://s3.example.com'],
    ['Bucket', 'backups'],
    ['Access key ID', 'COPPERLINE'],
    ['Secret access key', 'secret of the bucket'],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(text);
  await sound(page, 'repository step');
  await page.getByRole('button', { name: /^Create organization/ }).press('Enter');
  await expectTitle(page, 'Organizations');
  expect(created).toMatchObject([
    {
      name: 'Copperline',
      authType: 'modern',
      userCode: CODE,
      newApplicationName: 'Northwind Copperline',
      repository: {
        repository: 'Copperline backups',
        storage: { endpoint: 'https://s3.example.com', bucket: 'backups' },
      },
    },
  ]);

  // The draft is gone.
  await page.getByRole('button', { name: 'New organization' }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  await page.setViewportSize({ width: 390, height: 844 });
  await sound(page, 'organization wizard on a phone');
  expect(errors).toEqual([]);
});

test.describe('with the page stored on this device', () => {
  test.use({ serviceWorkers: 'allow' });

  test('WIZ-9, WIZ-11: offline, a draft survives a reload and is in a second tab, without its secrets; it is finished online', async ({
    page,
  }) => {
    const { created } = await mockTenant(page);
    await openLegacyDraft(page);
    await page.context().setOffline(true);
    await page.reload();
    await expect(heading(page, 'Application and secret')).toBeVisible();
    await expect(
      page.getByText('You continue from your draft. Drafts contain no passwords and no codes.'),
    ).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Application ID' })).toHaveValue(CODE);
    await expect(page.getByLabel('Application secret')).toHaveValue('');
    await expect(page.getByText(/^You're offline\. The draft stays on this device/)).toBeVisible();
    await sound(page, 'draft offline');

    const other = await page.context().newPage();
    await other.goto(`${portal.url}/o365/organizations/new/1`);
    await expect(other.getByRole('textbox', { name: 'Name' })).toHaveValue('Copperline');

    // Everything but the last step needs no network.
    await page.getByLabel('Application secret').fill(SECRET);
    await page.keyboard.press('Control+Enter');
    await expect(heading(page, 'Tenant')).toBeFocused();
    await page.getByRole('textbox', { name: 'Tenant domain' }).fill('copperline.example.com');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('textbox', { name: 'Repository name' }).fill('Copperline backups');
    const create = page.getByRole('button', { name: /^Create organization/ });
    await expect(create).toBeDisabled();
    expect(created).toEqual([]);
    await page.context().setOffline(false);
    await expect(create).toBeEnabled({ timeout: 70_000 });
    await create.press('Enter');
    await expectTitle(page, 'Organizations');
    expect(created).toMatchObject([
      {
        name: 'Copperline',
        authType: 'modernLegacy',
        exchangeOnlineSettings: {
          applicationId: CODE,
          applicationSecret: SECRET,
          officeOrganizationName: 'copperline.example.com',
        },
      },
    ]);
    await other.reload();
    await expect(other.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  });

  test('WIZ-9: the next user of a browser sees no draft of the one before', async ({ page }) => {
    await createUser(portal, 'quinn', 'Quinn Quick', ['o365_admin']);
    await openLegacyDraft(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await expect(page.getByLabel('Username')).toBeVisible();
    await enter(portal, page, 'quinn', '/o365/organizations/new/1', NEW_PASSWORD);
    await expect(heading(page, 'Organization and services')).toBeFocused();
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
    await expect(page.getByText(/^You continue from your draft/)).toHaveCount(0);
  });
});

const SECRET = 'a-planted-secret';

/** Fills in the wizard up to its second step, with a secret, and waits until the draft is stored. */
async function openLegacyDraft(page: Page): Promise<void> {
  await page.context().route('**/o365/version*', (route) =>
    route.fulfill(
      answer({
        version: '8',
        authTypes: ['basic', 'modernLegacy', 'modern'],
        services: ['exchange', 'sharePoint', 'teams'],
      }),
    ),
  );
  await enter(portal, page, 'olin', '/o365/organizations/new/1', NEW_PASSWORD);
  await expect(heading(page, 'Organization and services')).toBeFocused();
  await waitForBuild(page);
  await page.getByLabel('Company').selectOption({ index: 1 });
  await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
  await page.getByRole('radio', { name: /^Modern with legacy protocols/ }).check();
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Application and secret')).toBeFocused();
  await page.getByRole('textbox', { name: 'Application ID' }).fill(CODE);
  await page.getByLabel('Application secret').fill(SECRET);
  await expect(page.getByText('Draft saved on this device.')).toBeVisible();
}

test('WIZ-9, A11: after a session that was ended elsewhere, the wizard goes on with its draft', async ({
  browser,
  page,
}) => {
  await mockTenant(page);
  await enter(portal, page, 'olin', '/o365/organizations/new/1', NEW_PASSWORD);
  await page.getByLabel('Company').selectOption({ index: 1 });
  await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Application')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('textbox', { name: 'Application name' }).fill('Northwind Copperline');
  await expect(page.getByText('Draft saved on this device.')).toBeVisible();

  const other = await (await browser.newContext()).newPage();
  await enter(portal, other, 'olin', '/o365/profile', NEW_PASSWORD);
  await other.getByRole('link', { name: 'Security' }).click();
  await other.getByRole('button', { name: 'End all other sessions' }).click();
  await expect(
    page.getByText('Your session has expired. Please log in again to continue.'),
  ).toBeVisible({ timeout: 60_000 });
  await expect(page).toHaveURL(/\/login$/);
  await other.context().close();

  await page.getByLabel('Username').fill('olin');
  await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(heading(page, 'New application')).toBeVisible();
  await expect(page.getByText('You continue from your draft.', { exact: false })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Application name' })).toHaveValue(
    'Northwind Copperline',
  );
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(heading(page, 'Application')).toBeVisible();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Copperline');
});

test('WIZ-9: the address of a later step opens the first one, and keys that come faster than the router renders lead as far as slow ones', async ({
  page,
}) => {
  await createUser(portal, 'quinn', 'Quinn Quick', ['o365_admin']);
  await enter(portal, page, 'quinn', '/o365/organizations/new/5/modern', NEW_PASSWORD);
  await expect(heading(page, 'Organization and services')).toBeFocused();
  const later = page.getByText('Complete this step before you open a later one.', { exact: false });
  await expect(later).toBeVisible();
  await expect(page).toHaveURL(/\/new\/5\/modern$/);
  await page.getByLabel('Company').selectOption({ index: 1 });
  await page.getByRole('textbox', { name: 'Name' }).fill('Quick');
  await page.evaluate(async () => {
    for (const _ of [1, 2]) {
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }),
      );
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  await expect(heading(page, 'New application')).toBeFocused();
  await expect(page).toHaveURL(/\/new\/4a\/modern$/);
  await page.goBack();
  await expect(heading(page, 'Application')).toBeVisible();
  await page.goBack();
  await expect(heading(page, 'Organization and services')).toBeVisible();
  await expect(page).toHaveURL(/\/new\/1$/);
  await expect(later).toBeHidden();
  await page.goForward();
  await expect(page).toHaveURL(/\/new\/3\/modern$/);
  await expect(heading(page, 'Application')).toBeVisible();
  // The same of the browser's Back.
  await page.evaluate(async () => {
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }),
    );
    await new Promise((resolve) => setTimeout(resolve));
    history.back();
  });
  await expect(page).toHaveURL(/\/new\/3\/modern$/);
  await expect(heading(page, 'Application')).toBeVisible();
});

test('WIZARD-2: the prompt for the first organization leads to its sign-in, and stays until it is dismissed', async ({
  page,
}) => {
  await createUser(portal, 'petra', 'Petra First', ['o365_admin']);
  await enter(portal, page, 'petra', '/o365/dashboard', NEW_PASSWORD);
  const prompt = page.getByRole('region', { name: 'Get started' });
  await expect(prompt.getByText('Please start by creating a new Organization')).toBeVisible();
  await sound(page, 'first organization');
  await prompt.getByRole('link', { name: 'New organization' }).press('Enter');
  await expect(page).toHaveURL(/\/new\/5\/modern\?start/);
  await expect(heading(page, 'Sign in to Microsoft 365')).toBeVisible();
  await expect(prompt).toBeHidden();
  await page.goto(`${portal.url}/o365/jobs`);
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && /\/profile\//.test(response.url()),
  );
  await prompt.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await expect(prompt).toBeHidden();
  expect((await saved).ok()).toBe(true);
  // On every device.
  const loaded = page.waitForResponse(
    (response) => response.request().method() === 'GET' && /\/profile\//.test(response.url()),
  );
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await loaded;
  await expect(heading(page, 'No backup jobs yet')).toBeVisible();
  await expect(prompt).toBeHidden();
});

test('BILL-8, PAGE-2: jobs and repositories of the cloud suite say that there are none', async ({
  page,
}) => {
  await enter(portal, page, 'olin', '/o365/jobs', NEW_PASSWORD);
  await expect(heading(page, 'No backup jobs yet')).toBeVisible();
  await sound(page, 'jobs', { sidebar: true });
  await page.goto(`${portal.url}/o365/repositories`);
  await expect(heading(page, 'No repositories yet')).toBeVisible();
  await page.getByRole('tab', { name: 'Proxies' }).click();
  await expect(heading(page, 'No proxies yet')).toBeVisible();
  await sound(page, 'repositories');
});
