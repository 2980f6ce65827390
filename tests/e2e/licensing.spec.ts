import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { createKey, loadApi, openPortal, post, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { goOffline, sound } from './page-checks.ts';
import { personAt } from './person.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  const api = await loadApi(portal, 'admin');
  const { id } = (await api('GET', 'service-providers/branding')) as { id: string };
  await api('PUT', `service-providers/${id}/branding`, { supportEmail: 'billing@example.com' });
  await post(portal.url, await createKey(portal), [
    { job: 'Files nightly', status: 'Success', computer: 'SRV-1' },
    { job: 'Mail nightly', status: 'Failed', message: 'refused', computer: 'srv-1' },
    { job: 'Web nightly', status: 'Success', computer: 'SRV-2' },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('LIC-4, LIC-1, E2E-7: usage is shown by company for this month and the last, and downloaded', async ({
  page,
}) => {
  await openLicensing(page);
  await expect(page.getByRole('rowheader', { name: 'First company' })).toBeVisible();
  await expect(
    page.getByRole('row', { name: /Monitored by this portal, Other 2 Computers/ }),
  ).toBeVisible();
  await expect(getJobs(page)).toBeVisible();
  await sound(page, 'licensing');
  await shot(page, 'licensing');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^Licensing_/);
  expect(readFileSync(await file.path(), 'utf8')).toContain(
    'First company,Monitored by this portal,Other,Computers,2,',
  );
  await page.getByLabel('Month').selectOption({ index: 1 });
  await expect(
    page.getByRole('heading', { level: 2, name: 'No usage in this month' }),
  ).toBeVisible();
  await sound(page, 'an empty month');
  await page.getByLabel('Month').selectOption({ index: 0 });
  await page
    .getByRole('searchbox', { name: 'Search companies and products' })
    .fill('no such thing');
  await expect(
    page.getByRole('heading', { level: 2, name: 'No matching companies' }),
  ).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search companies and products' }).fill('');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'licensing-phone');
});

test('LIC-6, E2E-7: subscriptions are shown after an error, with whom to ask for a change', async ({
  page,
}) => {
  await openLicensing(page);
  await expect(getJobs(page)).toBeVisible();
  const own = '**/reporting/licensing/own';
  await page.context().route(own, (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: JSON.stringify({
        success: false,
        message: 'x',
        error: { kind: 'server-error', message: 'x' },
      }),
    }),
  );
  await openSubscriptions(page);
  await expect(
    page.getByText('Error while trying to get the licenses, try again later.'),
  ).toBeVisible();
  await page.context().unroute(own);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(getSubscribed(page)).toBeVisible();
  await expect(
    page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Subscriptions', exact: true }),
  ).toHaveCount(0);
  await expect(
    page
      .getByRole('region', { name: 'Request a change' })
      .getByRole('link', { name: 'billing@example.com' }),
  ).toBeVisible();
  await sound(page, 'subscriptions');
  await shot(page, 'subscriptions');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'subscriptions-phone');
});

test('LIC-4, LIC-6: usage and subscriptions that were opened before are readable offline', async ({
  page,
}) => {
  await openLicensing(page);
  await expect(getJobs(page)).toBeVisible();
  await openSubscriptions(page);
  await expect(getSubscribed(page)).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Licensing' })
    .click();
  await expect(getJobs(page)).toBeVisible();
  await goOffline(page);
  await expect(page.getByText(/^You're offline\. This data is from /)).toBeVisible();
  await expect(getJobs(page)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeDisabled();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Subscriptions' })).toBeVisible();
  await expect(page.getByText(/^You're offline\. This data is from /)).toBeVisible();
  await expect(getSubscribed(page)).toBeVisible();
});

async function openLicensing(page: Page): Promise<void> {
  await page.goto(`${portal.url}/monitoring/licensing`);
  await submitSignIn(page, 'admin', portal.password);
}

async function openSubscriptions(page: Page): Promise<void> {
  await personAt(page).hasPalette();
  await page.keyboard.type('subscr');
  await page
    .getByRole('option', { name: 'Subscriptions' })
    .filter({ hasNotText: 'All subscriptions' })
    .click();
  await expect(page).toHaveURL(`${portal.url}/monitoring/subscriptions`);
}

const getJobs = (page: Page) =>
  page.getByRole('row', { name: /Monitored by this portal, Other 3 Jobs/ });
const getSubscribed = (page: Page) =>
  page.getByRole('row', { name: /^Monitored by this portal, Other.* 3 0 Jobs/ });
