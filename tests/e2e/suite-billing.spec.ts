import { expect, test } from '@playwright/test';
import { linkFor } from './outbox.ts';
import { sound } from './page-checks.ts';
import { loadApi, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal('small');
});
test.afterAll(async () => {
  await portal.stop();
});

const PASSWORD = 'eleven quiet lanterns';

test('BILL-19, BILL-20: a new customer registers, pays on the stand-in, signs in, and is counted this month', async ({
  page,
}) => {
  await page.goto(`${portal.url}/o365/register`);
  await page.getByLabel('Your name').fill('Zoe Calla');
  await page.getByLabel('Company').fill('Calla Design');
  await page.getByLabel('Email').fill('zoe@calla.example.com');
  await page.getByRole('radio', { name: /^Basic/ }).check();
  await sound(page, 'register');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  await page.goto(await linkFor(portal.url, 'zoe@calla.example.com'));
  await expect(page.getByLabel('Company')).toHaveValue('Calla Design');
  await page.getByLabel('New password').fill(PASSWORD);
  await sound(page, 'sign-up-details');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Decline the card' }).click();
  await expect(page.getByRole('alert')).toHaveText('The card was declined.');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await submitSignIn(page, 'zoe@calla.example.com', PASSWORD);
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.goto(`${portal.url}/o365/subscriptions`);
  await expect(page.getByRole('heading', { name: 'Calla Design' }).first()).toBeVisible();
  const owner = await loadApi(portal, 'owner');
  await owner('POST', 'o365/subscriptions/refresh', {});
  const { rows } = (await owner('GET', 'o365/subscriptions')) as {
    rows: { companyName: string; usage: { _id: string } | null }[];
  };
  expect(rows.map(({ companyName }) => companyName)).toContain('Calla Design');
});
