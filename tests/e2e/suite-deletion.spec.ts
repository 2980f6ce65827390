import { expect, test } from '@playwright/test';
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
import { sound } from './page-checks.ts';
import { enter, entry, panel } from './people.ts';
import { expectTitle, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

const DESK = { width: 1_440, height: 900 };
const DAY = 86_400_000;

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(async () => {
  await portal.stop();
});

test('BILL-13, BILL-14: a company is deleted by typing its name, and restored with its terms within 30 days', async ({
  page,
}) => {
  await page.setViewportSize(DESK);
  const before = await findRow(
    portal,
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
  const { subscription } = await findRow(portal, (row) => row.companyName === companyName);
  expect(subscription).toMatchObject({ status, level, userMills, minimumUsers, currency });
  await page.goto(`${portal.url}/o365/billing`);
  await entry(page, companyName).click();
  // It has no whole month behind it yet: its amount is named as that of today, which is the minimum.
  await begin(page, details, 'Change price and minimum');
  await expect(dialog(page).getByText("Per month, at today's usage")).toBeVisible();
  await expect(money(page)).toHaveText(dollars((minimumUsers * userMills) / 1_000));
});
