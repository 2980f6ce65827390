import { expect, test } from '@playwright/test';
import { SERVICE_LEVELS } from '#contract/billing/service-levels.ts';
import { parseCsv } from '../contract/runs/parse-csv.ts';
import { linkFor } from './outbox.ts';
import { goOffline, sound } from './page-checks.ts';
import { downloadCsv, enter, entry, NEW_PASSWORD, panel } from './people.ts';
import { loadApi, openPortal, type SharedPortal } from './portal.ts';

const getSettings = (currency: string): object => ({
  currency,
  levels: SERVICE_LEVELS.map((level) => ({
    level,
    isOffered: true,
    userMills: 2_500,
    gigabyteMills: 0,
    stripePrice: null,
    stripeMeter: null,
  })),
  trialDays: 0,
  graceDays: 14,
  isSignUpOpen: false,
  recaptcha: { isOn: false, siteKey: null },
  solarWinds: null,
});
const START = { level: 'basic', minimumUsers: 10, trialEndsAt: null };

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

/** Creates a provider below with a company that has a subscription, by its own administrator. */
async function addSubscriberBelow(): Promise<string> {
  const { hostname, port } = new URL(portal.url);
  const host = `below-${hostname}`;
  const api = await loadApi(portal, 'admin');
  await api('POST', 'service-providers', {
    name: 'Below Backup',
    hosts: [host],
    administrator: { username: 'bela', name: 'Bela Below', email: `bela@${host}.example` },
  });
  const link = await linkFor(`http://localhost:${port}`, `bela@${host}.example`);
  const url = `http://${host}:${port}`;
  const answer = await fetch(`${url}/api/v1/profile/forgot-password/change`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hash: new URL(link).hash.slice(1), newPassword: NEW_PASSWORD }),
  });
  expect(answer.status).toBe(200);
  const below = await loadApi({ ...portal, url, password: NEW_PASSWORD }, 'bela');
  await below('POST', 'companies', { name: 'Tarn Valley Vets' });
  await below('PUT', 'o365/billing/settings', getSettings('EUR'));
  const { without } = (await below('GET', 'o365/subscriptions')) as {
    without: readonly { companyId: string; companyName: string }[];
  };
  for (const { companyId } of without)
    await below('POST', `o365/subscriptions/start/${companyId}`, START);
  await below('POST', 'o365/subscriptions/refresh', {});
  return url;
}

test('BILL-21: a provider without subscriptions sees that there are none', async ({ page }) => {
  await enter(portal, page, 'admin', '/admin/subscriptions');
  await expect(page.getByRole('heading', { level: 1, name: 'All subscriptions' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No subscriptions in this month' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeDisabled();
  await sound(page, 'no subscriptions of any provider');
});

test('BILL-21, E2E-7: the owner lists the subscriptions of all providers, opens and changes the own ones, and exports them', async ({
  page,
}) => {
  const api = await loadApi(portal, 'admin');
  await api('PUT', 'o365/billing/settings', getSettings('USD'));
  const { without } = (await api('GET', 'o365/subscriptions')) as {
    without: readonly { companyId: string; companyName: string }[];
  };
  const [own] = without;
  if (own === undefined) throw new Error('no company');
  await api('POST', `o365/subscriptions/start/${own.companyId}`, START);
  await api('POST', 'o365/subscriptions/refresh', {});
  const belowUrl = await addSubscriberBelow();
  await enter(portal, page, 'admin', '/admin/subscriptions');
  await expect(entry(page, own.companyName)).toBeVisible();
  const foreign = page.getByRole('row').filter({ hasText: 'Tarn Valley Vets' });
  await expect(foreign).toContainText('Below Backup');
  await expect(foreign).toContainText('€');

  // By keyboard: the list, the panel, and back to the row.
  await entry(page, own.companyName).focus();
  await page.keyboard.press('Enter');
  const details = panel(page, own.companyName);
  await expect(details.getByRole('heading', { name: own.companyName })).toBeFocused();
  await details.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(details.getByText(/^Acknowledged by /)).toBeVisible();
  await expect(details.getByText(/^Renews on \d\d\/\d\d\/\d\d$/)).toBeVisible();
  await details.getByRole('button', { name: 'Cancel subscription' }).click();
  const dialog = page.getByRole('dialog');
  // No second button that begins with "Cancel".
  await expect(dialog.getByRole('button', { name: 'Keep subscription' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Cancel/ })).toHaveCount(1);
  await expect(dialog.getByText('Can be undone')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(details.getByText('Canceled')).toBeVisible();
  await sound(page, 'an own subscription in the list of all');
  await details.getByRole('heading', { name: own.companyName }).focus();
  await page.keyboard.press('Escape');
  await expect(entry(page, own.companyName)).toBeFocused();
  await sound(page, 'subscriptions of all providers');

  // Another provider's subscription is read here, and changed in that provider's portal.
  await entry(page, 'Tarn Valley Vets').click();
  const other = panel(page, 'Tarn Valley Vets');
  await expect(
    other.getByText('Only administrators of Below Backup can change this subscription.'),
  ).toBeVisible();
  await expect(
    other.getByRole('link', { name: 'Open in the portal of Below Backup' }),
  ).toHaveAttribute('href', new RegExp(`^${belowUrl}/o365/billing\\?.*open=`));
  for (const name of ['Cancel subscription', 'Acknowledge', 'Change quantities', 'Delete company'])
    await expect(other.getByRole('button', { name })).toHaveCount(0);
  await sound(page, "another provider's subscription");
  await other.getByRole('link', { name: 'Below Backup', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Providers' })).toBeVisible();
  await expect(page.getByRole('row', { name: /Below Backup/ })).toBeFocused();
  await page.getByRole('link', { name: 'Subscriptions: Below Backup' }).click();
  await expect(page).toHaveURL(/\/admin\/subscriptions\?.*provider=/);
  await expect(entry(page, 'Tarn Valley Vets')).toBeVisible();
  await expect(entry(page, own.companyName)).toHaveCount(0);

  await page.getByLabel('Provider', { exact: true }).selectOption({ label: 'All' });
  await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Canceled' });
  await expect(entry(page, 'Tarn Valley Vets')).toHaveCount(0);
  const file = await downloadCsv(page);
  expect(file.name).toMatch(/^Subscriptions-.+\.csv$/);
  const [heads = [], ...lines] = parseCsv(file.text);
  expect(lines.map((line) => line[heads.indexOf('Company')])).toEqual([own.companyName]);
  await page.getByRole('searchbox').fill('no such words anywhere');
  await expect(page.getByRole('heading', { name: 'No matching subscriptions' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all subscriptions' }).click();
  await expect(entry(page, 'Tarn Valley Vets')).toBeVisible();
  await page.getByRole('button', { name: 'Amount', exact: true }).click();
  await expect(page.getByRole('columnheader', { name: 'Amount' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );

  // Offline, what was listed before is listed again.
  await expect(entry(page, own.companyName)).toBeVisible();
  await goOffline(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'All subscriptions', exact: true }).click();
  await expect(entry(page, own.companyName)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeDisabled();
});
