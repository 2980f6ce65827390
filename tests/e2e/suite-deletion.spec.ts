import { expect, test, type Locator, type Page } from '@playwright/test';
import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { sound } from './page-checks.ts';
import { enter, entry, panel } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

const DESK = { width: 1_440, height: 900 };
const DAY = 86_400_000;

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal('small');
});
test.afterAll(async () => {
  await portal.stop();
});

type Subscribed = CompanySubscription & {
  readonly subscription: NonNullable<CompanySubscription['subscription']>;
};

/** The demo has a subscription in every state; those without an organization bill their minimum. */
async function findRow(isWanted: (row: Subscribed) => boolean): Promise<Subscribed> {
  const api = await loadApi(portal, 'owner');
  const { rows } = (await api('GET', 'o365/subscriptions')) as {
    rows: readonly CompanySubscription[];
  };
  const found = rows
    .filter((row): row is Subscribed => row.subscription !== null && !row.isDeleted)
    .find((row) => isWanted(row));
  if (found === undefined) throw new Error('the demo has no such subscription');
  return found;
}

const dollars = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount);

/** A day as the page names it. */
const dayName = (at: number): RegExp =>
  new RegExp(
    new Intl.DateTimeFormat('en-US', {
      month: '2-digit',
      day: '2-digit',
      year: '2-digit',
      timeZone: 'UTC',
    }).format(at),
  );

const dialog = (page: Page): Locator => page.getByRole('dialog');
/** The value of a line of what an operation changes. */
const effect = (page: Page, label: string | RegExp): Locator =>
  dialog(page)
    .locator('dl')
    .locator('dt')
    .filter({ hasText: label })
    .locator('xpath=following-sibling::dd[1]');
const money = (page: Page): Locator => effect(page, /^Per month/);

async function begin(page: Page, details: Locator, name: string): Promise<void> {
  await details.getByRole('button', { name, exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Close' })).toBeVisible();
}
async function finish(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
}
test('BILL-13, BILL-14: a company is deleted by typing its name, and restored with its terms within 30 days', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  const before = await findRow(
    ({ subscription: { status, level, hasCard } }) =>
      status === 'active' && level === 'basic' && !hasCard,
  );
  const { companyName } = before;
  const { status, level, userMills, minimumUsers, currency } = before.subscription;
  // The demo corrected its last month by 2.5 users.
  const monthly = ((minimumUsers + 2.5) * userMills) / 1_000;
  await enter(portal, page, 'owner', '/o365/billing');
  await entry(page, companyName).click();
  const details = panel(page, companyName);
  await begin(page, details, 'Delete company');
  await expect(money(page)).toHaveText(`${dollars(monthly)} → $0.00`);
  await expect(effect(page, 'Can be undone')).toHaveText(dayName(Date.now() + 30 * DAY));
  await sound(page, 'operation delete');
  await dialog(page).getByLabel('Type the name of the company to confirm').fill(companyName);
  await finish(page, 'Delete company');
  await expect(page.getByText(`${companyName} was deleted.`).first()).toBeVisible();

  await page.goto(`${portal.url}/admin/billing`);
  await expectTitle(page, 'Billing settings');
  await expect(page.getByText(companyName, { exact: true })).toBeVisible();
  await sound(page, 'a deleted company');
  await page.getByRole('button', { name: `Restore ${companyName}` }).click();
  await expect(page.getByText(`${companyName} was restored.`).first()).toBeVisible();
  const { subscription } = await findRow((row) => row.companyName === companyName);
  expect(subscription).toMatchObject({ status, level, userMills, minimumUsers, currency });
  await page.goto(`${portal.url}/o365/billing`);
  await entry(page, companyName).click();
  // It has no whole month behind it yet: its amount is named as that of today, which is the minimum.
  await begin(page, details, 'Change price and minimum');
  await expect(dialog(page).getByText("Per month, at today's usage")).toBeVisible();
  await expect(money(page)).toHaveText(dollars((minimumUsers * userMills) / 1_000));
});
