import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { freeTenant, submit } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter, panel } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(() => portal.stop());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });

/** Registers an application in the simulated organization. Returns what its page shows once. */
async function registerApplication(
  page: Page,
): Promise<{ readonly id: string; readonly secret: string; readonly domain: string }> {
  await page.goto(`${portal.url}/demo/tenant`);
  await submit(page.getByRole('button', { name: 'Register application' }));
  await expect(page.getByRole('heading', { name: 'Application registered' })).toBeVisible();
  const [id = '', secret = '', domain = ''] = await page.locator('code').allInnerTexts();
  return { id, secret, domain };
}

test('WIZ-11, ENG-23: with an application and its secret, the wizard ends with an organization that is backed up, and changes it later without the secret', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await freeTenant(portal);
  const application = await registerApplication(page);
  // The wizard opens with the companies, however late they come.
  await page.context().route('**/api/v1/sync/bootstrap**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await route.continue();
  });
  await enter(portal, page, 'm365', '/o365/organizations/new/1');
  await expect(heading(page, 'Organization and services')).toBeFocused();
  await page.getByRole('combobox', { name: 'Company' }).click();
  await page.getByRole('option').nth(2).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
  await page.getByRole('radio', { name: /^Modern with legacy protocols/ }).check();
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Application and secret')).toBeFocused();
  await page.getByRole('textbox', { name: 'Application ID' }).fill(application.id);
  await page.getByLabel('Application secret').fill(application.secret);
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Tenant')).toBeFocused();
  await expect(page.getByText(/^No service accounts are needed\./)).toBeVisible();
  // What is missing is named at its field.
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Enter the domain of the tenant.').first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Tenant domain' }).fill(application.domain);
  await sound(page, 'tenant of an application with a secret');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('textbox', { name: 'Repository name' }).fill('Copperline backups');
  await page.getByRole('button', { name: /^Create organization/ }).press('Enter');
  await expectTitle(page, 'Organizations');

  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/organizations')) as {
    readonly rows: readonly { readonly id: string; readonly authType: string }[];
  };
  const [organization] = rows;
  expect(organization).toMatchObject({ authType: 'modernLegacy' });
  const organizationId = organization?.id ?? '';
  const { rows: repositories } = (await api(
    'GET',
    `o365/repositories?organizationId=${organizationId}`,
  )) as { readonly rows: readonly { readonly id: string }[] };
  const directory = (await api('GET', `o365/organizations/${organizationId}/users`)) as {
    readonly rows: readonly { readonly id: string }[];
  };
  const job = (await api('POST', 'o365/jobs', {
    organizationId,
    name: 'Mail of two people',
    backupType: 'SelectedItems',
    selectedItems: directory.rows
      .slice(0, 2)
      .map(({ id }) => ({ type: 'User', id, mailbox: true })),
    excludedItems: [],
    repositoryId: repositories[0]?.id,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
    runNow: true,
  })) as { readonly id: string };
  await expect
    .poll(
      async () =>
        ((await api('GET', `o365/jobs/${job.id}`)) as { readonly lastStatus: string }).lastStatus,
      { timeout: 120_000 },
    )
    .toBe('Success');

  // Nothing is asked for again.
  await page.getByRole('row', { name: /Copperline/ }).click();
  await panel(page, 'Copperline').getByRole('button', { name: 'Edit organization' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Copperline Group');
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Application and secret')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Tenant')).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Tenant domain' })).toBeDisabled();
  await sound(page, 'tenant of an existing organization');
  await page.getByRole('button', { name: /^Save organization/ }).press('Enter');
  await expectTitle(page, 'Organizations');
  await expect(page.getByRole('row', { name: /Copperline Group/ })).toBeVisible();
  expect(errors).toEqual([]);
});
