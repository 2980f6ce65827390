import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import {
  APP,
  customer,
  invoice,
  quickBooksStandIn,
} from '#tests/server/billing/fakes/quickbooks.ts';
import type { QuickBooksStandIn } from '#tests/server/billing/fakes/quickbooks.ts';
import { enter, NEW_PASSWORD, createUser } from './people.ts';
import { loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, collectErrors, sound, withoutConnectionErrors } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let qb: QuickBooksStandIn;
const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};
const day = (from: number): string =>
  new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);

test.beforeEach(async () => {
  qb = await quickBooksStandIn(() => Date.now());
  // The server of this walk may ask this machine, where Intuit is played.
  portal = await withEnvironment({ ...PLAIN_LOOPBACK, DAYBOOK_QUICKBOOKS: qb.url }, startPortal);
  const api = await loadApi(portal, 'admin');
  const { id, features } = (await api('GET', 'service-providers/branding')) as {
    id: string;
    features: object;
  };
  await api('PUT', `service-providers/${id}/branding`, {
    supportEmail: 'money@lakeside.example.com',
    features: { ...features, invoice_automation: true, billing: { ccCollection: true } },
  });
  const books = qb.books();
  const euro = {
    CurrencyRef: { value: 'EUR' },
    CustomerRef: { value: '2', name: 'Somebody else' },
  };
  books.customers.push(customer(1, 'First company'), customer(2, 'Somebody else'));
  books.invoices.push(
    invoice(1, { TxnDate: day(-40), DueDate: day(-10) }),
    invoice(2, { TxnDate: day(-5), DueDate: day(25), TotalAmt: 100, Balance: 40 }),
    invoice(3, { TxnDate: day(-70), DueDate: day(-40), TotalAmt: 80, Balance: 0, ...euro }),
    invoice(4, { TxnDate: day(-3), TotalAmt: 0, Balance: 0, PrivateNote: 'Voided', ...euro }),
  );
  await createUser(portal, 'olin', 'Olin Cloud', ['o365_admin']);
});
test.afterEach(async () => {
  await portal.stop();
  await qb.stop();
});

/** Connects QuickBooks at Intuit and maps the one customer that has a company. */
async function connectBooks(page: Page): Promise<void> {
  await enter(portal, page, 'admin', '/monitoring/invoices');
  await expect(
    page.getByRole('heading', { level: 2, name: "QuickBooks isn't connected" }),
  ).toBeVisible();
  await page.getByRole('link', { name: 'Connect QuickBooks' }).click();
  await page.getByRole('textbox', { name: 'Client ID' }).fill(APP.clientId);
  await page.getByLabel('Client secret').fill(APP.secret);
  await page.getByRole('button', { name: 'Save keys' }).click();
  await expect(page.getByText('A secret is stored. Leave empty to keep it.')).toBeVisible();
  await page.getByRole('button', { name: 'Connect QuickBooks' }).click();
  // There and back: nothing of the way stays in the address.
  await expect(page.getByText(/: 4 invoices\.$/)).toBeVisible({ timeout: 60_000 });
  await expect(page).toHaveURL(`${portal.url}/monitoring/invoices/quickbooks`);
  await page.getByRole('button', { name: 'Map 1 customer' }).click();
  const customer = page.getByRole('listitem').filter({ hasText: 'First company' });
  await expect(customer.getByText('OK')).toBeVisible();
  await expect(
    customer.getByRole('button', { name: 'Change the mapping of First company' }),
  ).toHaveText('Change');
  await expect(page.getByRole('button', { name: 'Map Somebody else' })).toHaveText('Map');
}

test('BILL-6, BILL-1, BILL-4: QuickBooks is connected at Intuit, its invoices are read, and a customer is mapped', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await connectBooks(page);
  await page.getByRole('button', { name: 'Test and sync now' }).click();
  await expect(
    page.getByText('QuickBooks responded for the company Lakeside Managed IT.'),
  ).toBeVisible();
  await axeInBoth(page, 'QuickBooks');
  await shot(page, 'quickbooks');
  expect(errors).toEqual([]);
});

test('BILL-6, BILL-7, BILL-3, BILL-5: invoices are listed, filtered, opened and downloaded, Billing shows what is owed, and all of it is readable offline', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await connectBooks(page);
  await page.goto(`${portal.url}/monitoring/invoices`);
  const sums = page.getByRole('list', { name: 'Totals' });
  await expect(sums.getByText('$402.07 unpaid')).toBeVisible();
  await expect(sums.getByText('$362.07 overdue')).toBeVisible();
  await expect(sums.getByRole('listitem').filter({ hasText: 'EUR' })).toContainText('€80.00 total');
  await expect(page.getByRole('row').filter({ hasText: '1002' })).toContainText('$60.00 paid');
  await sound(page, 'invoices');
  await shot(page, 'invoices');
  await page.getByLabel('Status').selectOption('owed');
  await expect(page.getByRole('row').filter({ hasText: 'First company' })).toHaveCount(2);
  await expect(page.getByRole('row').filter({ hasText: 'Somebody else' })).toHaveCount(0);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^Invoices-\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  expect(
    readFileSync(await file.path(), 'utf8')
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['\uFEFFNumber', '1002', '1001', '']);
  await page.getByRole('button', { name: '1001', exact: true }).press('Enter');
  const panel = page.getByRole('region', { name: 'Invoice 1001' });
  await expect(panel.getByText('5 × 67.05 USD')).toBeVisible();
  await sound(page, 'an invoice');
  await shot(page, 'invoice');
  const [pdf] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download PDF' }).click(),
  ]);
  expect([pdf.suggestedFilename(), readFileSync(await pdf.path(), 'utf8')]).toEqual([
    'Invoice_1001.pdf',
    '%PDF-1.4 invoice 1',
  ]);

  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Billing', exact: true })
    .click();
  await expect(page.getByText('$362.07 overdue')).toBeVisible();
  await expect(
    page.getByText("This portal doesn't ask for or store payment cards.", { exact: false }),
  ).toBeVisible();
  await axeInBoth(page, 'billing');
  await shot(page, 'billing');
  await page.goBack();
  await expect(panel.getByText('5 × 67.05 USD')).toBeVisible();
  await portal.kill();
  await expect(page.getByText(/^You're offline\. This data is from /)).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('button', { name: '1001', exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Download PDF' })).toBeDisabled();
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'invoice-phone');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await shot(page, 'invoices-phone');
  expect(withoutConnectionErrors(errors)).toEqual([]);
});

test('BILL-8: an administrator of Microsoft 365 switches between the apps', async ({ page }) => {
  await enter(portal, page, 'olin', '/o365', NEW_PASSWORD);
  const apps = page.getByRole('navigation', { name: 'Apps' });
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect(page).toHaveURL(/\/o365\/dashboard$/);
  await expect(
    page.getByRole('heading', { level: 2, name: 'Nothing is backed up yet' }),
  ).toBeVisible();
  await expect(apps.getByRole('link', { name: 'Microsoft 365' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expect(menu.getByRole('link', { name: 'Users', exact: true })).toHaveCount(0);
  await sound(page, 'Microsoft 365', { sidebar: true });
  await shot(page, 'apps');
  await apps.getByRole('link', { name: 'Monitoring' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Users' })).toBeVisible();
});
