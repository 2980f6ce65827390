import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { APP, customer, quickBooksStandIn } from '#tests/server/billing/fakes/quickbooks.ts';
import { parseCsv } from '../contract/runs/parse-csv.ts';
import { sound } from './page-checks.ts';
import { createUser, downloadCsv, enter, NEW_PASSWORD } from './people.ts';
import { loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { billMonth, makeRawUsage, type RawUsage } from './raw-usage.ts';
import { NODE, PLAIN_LOOPBACK, type Data, withEnvironment } from './server-process.ts';

test('BILL-12, BILL-15, BILL-16, BILL-17: a month is counted, acknowledged, invoiced and exported, the same to the cent', async ({
  page,
}) => {
  const usage = makeRawUsage(Date.now());
  const qb = await quickBooksStandIn(() => Date.now());
  const shop = await startShop(usage, qb.url);
  try {
    const [year, month] = getLastMonth();
    const bill = billMonth(usage, year, month);
    // The books have the customer of the company, and an item.
    const books = qb.books();
    books.customers.push(customer(1, usage.company));
    books.items.push({ Id: '7', Name: 'Microsoft 365 backup', Type: 'Service' });
    const api = await loadApi(shop, 'admin');
    const { id, features } = (await api('GET', 'service-providers/branding')) as {
      id: string;
      features: object;
    };
    await api('PUT', `service-providers/${id}/branding`, {
      features: { ...features, invoice_automation: true },
    });
    await api('PUT', 'o365/quickbooks/connection', { environment: 'production', ...APP });
    const { url } = (await api('POST', 'o365/quickbooks/connection/begin', {})) as { url: string };
    await api('POST', 'o365/quickbooks/connection/finish', qb.back(url, books));
    await expect
      .poll(async () => JSON.stringify(await api('GET', 'o365/quickbooks/customers')), {
        timeout: 60_000,
      })
      .toContain(usage.company);
    await api('PUT', 'o365/quickbooks/customers', { pairs: [{ customer: '1', company: 1 }] });
    await createUser(shop, 'sally', 'Sally Sales', ['super-admin', 'o365_admin']);

    const name = `${year}-${String(month).padStart(2, '0')}`;
    await enter(shop, page, 'sally', `/o365/billing?month=${name}`, NEW_PASSWORD);
    const row = page.getByRole('row').filter({ hasText: usage.company });
    await expect(row).toContainText(dollars(bill.totalCents));
    await row.getByRole('button', { name: usage.company }).click();
    const panel = page.getByRole('region', { name: usage.company });
    await expect(panel.getByText(`${bill.users} × $1.53`)).toBeVisible();
    await expect(panel.getByText(`${bill.gigabytes} × $0.105`)).toBeVisible();
    await panel.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(panel.getByText('Acknowledged by Sally Sales')).toBeVisible();
    await sound(page, 'a month of usage');
    const dialog = page.getByRole('dialog');
    const list = '**/o365/quickbooks/items';
    await page
      .context()
      .route(list, (route) =>
        route.fulfill({ json: { success: true, data: { rows: [], count: 0 } } }),
      );
    await panel.getByRole('button', { name: 'Create invoice' }).click();
    await expect(dialog.getByText('QuickBooks has no items.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.context().unroute(list);
    await panel.getByRole('button', { name: 'Create invoice' }).click();
    await expect(dialog.getByText('QuickBooks has no items.')).toHaveCount(0);
    await expect(dialog.getByText(dollars(bill.totalCents))).toBeVisible();
    for (const item of ['Item for users', 'Item for gigabytes'])
      await dialog.getByLabel(item).selectOption({ label: 'Microsoft 365 backup' });
    await dialog.getByRole('button', { name: 'Create invoice' }).click();
    await expect(page.getByText(/Invoice \d+ created in QuickBooks/)).toBeVisible();
    expect(books.invoices).toHaveLength(1);
    expect(books.invoices[0]).toMatchObject({ TotalAmt: bill.totalCents / 100 });
    const number = String(books.invoices[0]?.['DocNumber']);
    await expect(panel.getByText(`Invoice ${number}`)).toBeVisible();
    await expect(panel.getByRole('button', { name: 'Withdraw' })).toHaveCount(0);

    const file = await downloadCsv(page);
    expect(file.name).toMatch(/^Subscriptions-/);
    const [heads = [], ...lines] = parseCsv(file.text);
    const line = lines.find((cells) => cells[0] === usage.company) ?? [];
    const cell = (head: string): string | undefined => line[heads.indexOf(head)];
    expect([cell('Users billed'), cell('Gigabytes billed')].map(Number)).toEqual([
      bill.users,
      bill.gigabytes,
    ]);
    // The file has numbers: 25.5, not 25.50.
    expect([Number(cell('Total')), cell('Invoice')]).toEqual([bill.totalCents / 100, number]);
    expect(bill.userCents + bill.gigabyteCents).toBe(bill.totalCents);
    expect(Math.min(bill.userCents, bill.gigabyteCents)).toBeGreaterThan(0);
  } finally {
    await shop.stop();
    await qb.stop();
  }
});

const dollars = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);

/** The calendar month before the current one, in UTC. */
function getLastMonth(): readonly [year: number, month: number] {
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  return [last.getUTCFullYear(), last.getUTCMonth() + 1];
}

/** A portal with raw backup sessions, whose QuickBooks is a stand-in on this machine. */
function startShop(usage: RawUsage, intuit: string): Promise<Portal> {
  const prepare = ({ folder, databaseUrl }: Data): void => {
    const file = join(folder, 'raw-usage.json');
    writeFileSync(file, JSON.stringify(usage));
    const seeded = spawnSync(NODE, ['tests/e2e/seed-usage.ts', folder, file], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: databaseUrl },
    });
    if (seeded.status !== 0) throw new Error(`the usage could not be seeded: ${seeded.stderr}`);
  };
  return withEnvironment({ ...PLAIN_LOOPBACK, DAYBOOK_QUICKBOOKS: intuit }, () =>
    startPortal('none', [], 'any', prepare),
  );
}
