import { expect, test, type Locator, type Page } from '@playwright/test';
import {
  begin,
  dayName,
  dialog,
  dollars,
  effect,
  findRow,
  finish,
  money,
} from './billing-operations.ts';
import { linkFor } from './outbox.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter, entry, NEW_PASSWORD, panel } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
const DAY = 86_400_000;

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(async () => {
  await portal.stop();
});

/** What an operation names as the amount now, without doing it. */
async function expectMonthly(page: Page, details: Locator, amount: number): Promise<void> {
  await begin(page, details, 'Change price and minimum');
  await expect(money(page)).toHaveText(dollars(amount));
  await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
}

test('BILL-14: level, price, trial and their undo say money and date before, and do just that', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await page.setViewportSize(DESK);
  const { companyName } = await findRow(
    portal,
    ({ subscription: { level, status } }) => level === 'businessCritical' && status === 'active',
  );
  await enter(portal, page, 'owner', '/o365/billing');
  await entry(page, companyName).click();
  const details = panel(page, companyName);

  // 120 users at $6.50, then at $2.50.
  await begin(page, details, 'Change service level');
  await dialog(page)
    .getByRole('radio', { name: /^Basic/ })
    .check();
  await expect(money(page)).toHaveText('$780.00 → $300.00');
  await expect(effect(page, 'From')).toHaveText(dayName(Date.now()));
  await expect(effect(page, 'Can be undone')).toHaveText(/^Until /);
  await sound(page, 'operation change level');
  await finish(page, 'Change service level');
  await expect(details.getByText('$2.50 per user and month')).toBeVisible();
  await expectMonthly(page, details, 300);

  await begin(page, details, 'Change price and minimum');
  await dialog(page).getByLabel('Price per user and month').fill('3.15');
  await dialog(page).getByLabel('Minimum users').fill('101');
  await expect(money(page)).toHaveText('$300.00 → $318.15');
  await sound(page, 'operation change price');
  await finish(page, 'Change price and minimum');
  await expect(details.getByText('$3.15 per user and month')).toBeVisible();
  await expect(details.getByText('At least 101 users')).toBeVisible();
  await expectMonthly(page, details, 318.15);

  await begin(page, details, 'Undo: Change price and minimum');
  await expect(money(page)).toHaveText('$318.15 → $300.00');
  await sound(page, 'operation roll back');
  await finish(page, 'Undo last change');
  await expect(details.getByText('At least 120 users')).toBeVisible();
  await expectMonthly(page, details, 300);

  const last = Date.now() + 10 * DAY;
  await begin(page, details, 'Change trial');
  await dialog(page)
    .getByLabel('Last day of the trial')
    .fill(new Date(last).toISOString().slice(0, 10));
  await expect(effect(page, 'Can be undone')).toHaveText(/^Until /);
  await sound(page, 'operation change trial');
  await finish(page, 'Change trial');
  await expect(details.getByText(/^The trial ends on .*, and billing starts then$/)).toBeVisible();
  await expect(details.getByText(/^Renews on /)).toHaveCount(0);
  await sound(page, 'a subscription that was changed');
  expect(errors).toEqual([]);
});

test('BILL-13, BILL-14: a debt is written off with its amount, and backups continue', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  const { companyName, subscription } = await findRow(
    portal,
    ({ subscription: { status } }) => status === 'payment_failed',
  );
  // 32 users at $2.50.
  expect(subscription.owedMills).toBe(80_000);
  await enter(portal, page, 'owner', '/o365/billing');
  await entry(page, companyName).click();
  const details = panel(page, companyName);
  await expect(details.getByText(/^\$80\.00 is unpaid\. Backups stop on /)).toBeVisible();
  await begin(page, details, 'Forgive debt');
  await expect(effect(page, 'Written off')).toHaveText('$80.00');
  await expect(effect(page, 'Can be undone')).toHaveText('No');
  await sound(page, 'operation forgive');
  await finish(page, 'Forgive debt');
  await expect(details.getByText('Active', { exact: true })).toBeVisible();
  await expect(details.getByText(/is unpaid/)).toHaveCount(0);
  const after = await findRow(portal, (row) => row.companyName === companyName);
  expect(after.subscription).toMatchObject({ status: 'active', owedMills: 0, graceEndsAt: null });
  // A month that is over is shown as it was, and offers nothing of that (BILL-17).
  const past = new Date();
  past.setUTCDate(0);
  await page.goto(`${portal.url}/o365/billing?month=${past.toISOString().slice(0, 7)}`);
  await entry(page, companyName).click();
  await expect(details.getByText(/^As it was at the end of this month\./)).toBeVisible();
  await expect(details.getByRole('button', { name: 'Cancel subscription' })).toHaveCount(0);
});

test('BILL-13, BILL-17: what is owed of an ended subscription is in the list, and is forgiven with its amount', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  const { company, companyName, subscription } = await findRow(
    portal,
    ({ subscription: { status } }) => status === 'disabled',
  );
  // 12 users at $4.00.
  expect(subscription.owedMills).toBe(48_000);
  const api = await loadApi(portal, 'owner');
  await api('POST', `o365/subscriptions/cancel/${company}`, {});
  await enter(portal, page, 'owner', '/o365/billing');
  const row = page.getByRole('row').filter({ hasText: companyName });
  await expect(row.getByText('Ended', { exact: true })).toBeVisible();
  await expect(row.getByText('$48.00 is unpaid.')).toBeVisible();
  await entry(page, companyName).click();
  const details = panel(page, companyName);
  await expect(
    details.getByText('The subscription has ended. This is owed until it is paid or forgiven.'),
  ).toBeVisible();
  await sound(page, 'an ended subscription that owes');
  await begin(page, details, 'Forgive debt');
  await expect(effect(page, 'Written off')).toHaveText('$48.00');
  await expect(money(page)).toHaveText('$0.00');
  await finish(page, 'Forgive debt');
  await expect(row.getByText(/is unpaid/)).toHaveCount(0);
  await expect(details.getByText(/is unpaid/)).toHaveCount(0);
  await expect(details.getByRole('button', { name: 'Forgive debt' })).toHaveCount(0);
});

test('BILL-20, BILL-22: on a phone, a company that has a trial begins to pay by card on the hosted page, and its terms stay', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  const before = await findRow(
    portal,
    ({ subscription: { trialEndsAt, hasCard, status } }) =>
      trialEndsAt !== null && !hasCard && status === 'active',
  );
  const { company, companyName } = before;
  const api = await loadApi(portal, 'owner');
  await api('POST', 'users', {
    username: 'bella',
    name: 'Bella Buyer',
    email: 'bella@example.com',
    roles: ['o365_admin'],
    companies: [company],
    auth: 'db',
    invite: true,
  });
  const hash = new URL(await linkFor(portal.url, 'bella@example.com')).hash.slice(1);
  await fetch(`${portal.url}/api/v1/profile/forgot-password/change`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hash, newPassword: NEW_PASSWORD }),
  });
  await enter(portal, page, 'bella', '/o365/subscriptions', NEW_PASSWORD);
  await expect(page.getByRole('heading', { name: companyName })).toBeVisible();
  await expect(page.getByText('Paid by invoice')).toBeVisible();
  await sound(page, 'pay by invoice');
  await page.getByRole('button', { name: 'Pay by card' }).click();
  // 25 users at $4.00, after the trial.
  await expect(page.getByText(/\$4\.00 for each user\. The minimum is 25 users\./)).toBeVisible();
  await expect(page.getByText(/^Nothing is charged for days until /)).toBeVisible();
  await page.getByRole('button', { name: 'Decline the card' }).click();
  await expect(page.getByRole('alert')).toHaveText('The card was declined.');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByText('Your subscription is paid by this card from now on.')).toBeVisible();
  await sound(page, 'paid by card');
  await page.getByRole('link', { name: 'Go to your subscription' }).click();
  await expect(page.getByText('Paid by card')).toBeVisible();
  await expect(page.getByText('$4.00 per user and month')).toBeVisible();
  await expect(page.getByText('At least 25 users')).toBeVisible();
  const { subscription } = await findRow(portal, (row) => row.companyName === companyName);
  const { level, userMills, minimumUsers, trialEndsAt } = before.subscription;
  expect(subscription).toMatchObject({ hasCard: true, level, userMills, minimumUsers });
  // Stripe counts in seconds.
  expect(Math.floor((subscription.trialEndsAt ?? 0) / 1_000)).toBe(
    Math.floor((trialEndsAt ?? 0) / 1_000),
  );
});

test('BILL-14: a user who sees all companies finds no subscription to change, and no prices of customers', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  await enter(portal, page, 'm365', '/o365/subscriptions');
  await expect(page.getByText(/so none of their subscriptions is yours\./)).toBeVisible();
  await expect(page.getByText(/per user and month/)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Cancel subscription' })).toHaveCount(0);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect(menu.getByRole('link', { name: 'Subscriptions' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Service level' })).toHaveCount(0);
  await page.goto(`${portal.url}/o365/service-level`);
  await expect(page.getByRole('heading', { name: 'No subscription' })).toBeVisible();
  await expect(page.getByText(/Only super administrators see and change them\./)).toBeVisible();
  await sound(page, 'service level without a subscription');
});

test('BILL-9: a new price is for new levels only, and the dashboard of the administration is accessible', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  const { companyName, subscription } = await findRow(
    portal,
    ({ subscription: { status, level } }) => status !== 'ended' && level === 'advanced',
  );
  await enter(portal, page, 'owner', '/admin/billing');
  await expectTitle(page, 'Billing settings');
  const price = page.getByLabel('Advanced, per user');
  await expect(price).toHaveValue('$4.00');
  await price.fill('4.005');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await expect(page.getByText('Enter an amount such as 1,234.50, up to 1,000,000.')).toBeVisible();
  await sound(page, 'a price that is refused');
  await price.fill('4.25');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await expect(page.getByText('Billing settings saved').first()).toBeVisible();
  const after = await findRow(portal, (row) => row.companyName === companyName);
  expect(after.subscription.userMills).toBe(subscription.userMills);
  const api = await loadApi(portal, 'owner');
  const { levels } = (await api('GET', 'o365/service-levels')) as {
    levels: readonly { level: string; userMills: number }[];
  };
  expect(levels.find(({ level }) => level === 'advanced')).toMatchObject({ userMills: 4_250 });
  await page.goto(`${portal.url}/admin/dashboard`);
  await expectTitle(page, 'Overview');
  await expect(page.getByText('Microsoft 365 administrator', { exact: true })).toBeVisible();
  await expect(page.getByText('o365_admin')).toHaveCount(0);
  await sound(page, 'admin dashboard');
});
