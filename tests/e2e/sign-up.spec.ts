import { expect, test, type Page } from '@playwright/test';
import { linkFor, loadOutbox } from './outbox.ts';
import { collectErrors, sound } from './page-checks.ts';
import { startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal('small');
});
test.afterAll(async () => {
  await portal.stop();
});

const EMAIL = 'ivy@ivory.example.com';
const COMPANY = 'Ivory Dental';
const PASSWORD = 'seven brass kettles';
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

test('BILL-19, BILL-20, E2E-7: registering signs out first; the email comes again, its link resumes after a cancelled payment, and each page of a result says what happened', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await page.goto(`${portal.url}/o365/subscriptions`);
  await submitSignIn(page, 'owner', portal.password);
  await expect(heading(page, 'Subscriptions').first()).toBeVisible();

  // Opening the page ends the session of whoever was signed in.
  await page.goto(`${portal.url}/o365/register`);
  await expect(heading(page, 'Start with Microsoft 365 backup')).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(`${portal.url}/o365/subscriptions`);
  await expect(other.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await other.close();

  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByText('Enter your name.')).toBeVisible();
  await expect(page.getByText('Select a service level.')).toBeVisible();
  await expect(page.getByLabel('Your name')).toBeFocused();
  await page.getByLabel('Your name').fill('Ivy Marsh');
  await page.getByLabel('Company').fill(COMPANY);
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByRole('radio', { name: /^Advanced/ }).check();
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByText(`We sent a link to ${EMAIL}.`)).toBeVisible();
  await expect(heading(page, 'Check your email')).toBeFocused();
  // By keyboard, back to the form with what was typed, and here again.
  await page.getByRole('button', { name: 'Change the email address' }).press('Enter');
  await expect(heading(page, 'Start with Microsoft 365 backup')).toBeFocused();
  await expect(page.getByLabel('Company')).toHaveValue(COMPANY);
  await expect(page.getByRole('radio', { name: /^Advanced/ })).toBeChecked();
  await page.getByLabel('Email').press('Enter');
  await expect(page.getByText(`We sent a link to ${EMAIL}.`)).toBeVisible();
  const first = await linkFor(portal.url, EMAIL, 2);
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await expect(page.getByRole('status').getByText('We sent the email again.')).toBeVisible();
  await sound(page, 'sign-up sent again');
  expect(await linkFor(portal.url, EMAIL, 3)).toBe(first);
  expect((await loadOutbox(portal.url)).filter(({ to }) => to === EMAIL)).toHaveLength(3);

  // Without an answer, the page offers to try again.
  await page.context().route('**/o365/provisioning/verify-email', (route) => route.abort());
  await page.goto(first);
  await expect(page.getByRole('alert')).toBeVisible();
  await page.context().unroute('**/o365/provisioning/verify-email');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(heading(page, 'Complete your registration')).toBeFocused();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  // More tabs stay where the payment has not been opened yet.
  const [second, third, fourth] = [
    await page.context().newPage(),
    await page.context().newPage(),
    await page.context().newPage(),
  ];
  for (const tab of [second, third, fourth]) {
    await tab.goto(first);
    await expect(tab.getByRole('button', { name: 'Continue to payment' })).toBeVisible();
  }
  await second.getByRole('button', { name: 'Change details' }).click();
  await expect(heading(second, 'Change details')).toBeFocused();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('link', { name: 'Cancel and return' }).click();
  await expect(heading(page, "The payment isn't complete")).toBeVisible();
  await expect(page.getByText("You haven't paid yet.")).toBeVisible();
  await sound(page, 'sign-up cancelled');
  // A request that crosses that of this tab is refused. Its tab goes where the registration is now.
  const message = 'A step of the registration is missing.';
  await page.context().route('**/o365/provisioning/checkout-session', (route) =>
    route.fulfill({
      status: 409,
      json: { success: false, message, error: { kind: 'conflict' } },
    }),
  );
  await third.getByRole('button', { name: 'Continue to payment' }).click();
  await expect(heading(third, "The payment isn't complete")).toBeFocused();
  await expect(third.getByText('Your registration has changed')).toBeVisible();
  await expect(third.getByText(message)).toHaveCount(0);
  await page.context().unroute('**/o365/provisioning/checkout-session');
  // The link of the email leads to the same page later.
  await page.goto(portal.url);
  await page.goto(first);
  await expect(heading(page, "The payment isn't complete")).toBeVisible();
  await page.getByRole('button', { name: 'Open the payment page again' }).click();
  await page.getByRole('button', { name: 'Decline the card' }).click();
  await expect(page.getByRole('alert')).toHaveText('The card was declined.');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(heading(page, 'Your account is ready')).toBeVisible();
  // The other tabs follow: one asks again and again.
  await second.getByRole('button', { name: 'Save details' }).click();
  await fourth.getByRole('button', { name: 'Continue to payment' }).click();
  for (const tab of [second, third, fourth]) {
    await expect(heading(tab, 'Your account is ready')).toBeFocused();
    await tab.close();
  }

  // A link that nobody has.
  await page.goto(`${portal.url}/o365/register/s-${'0'.repeat(43)}`);
  await expect(page.getByRole('alert')).toContainText('This link is no longer valid.');
  await sound(page, 'sign-up over');
  await page.getByRole('button', { name: 'Register again' }).click();
  await expect(page.getByLabel('Company')).toBeVisible();

  await page.goto(`${portal.url}/o365/subscriptions`);
  await submitSignIn(page, EMAIL, PASSWORD);
  await expect(heading(page, COMPANY)).toBeVisible();
  await page.getByRole('button', { name: 'Change card' }).click();
  await page.getByRole('link', { name: 'Return' }).click();
  await expect(page.getByText('Stripe saves what you change on its page.')).toBeVisible();
  await sound(page, 'checkout updated');
  for (const path of ['ccCollection', 'cs_test_none/success']) {
    await page.goto(`${portal.url}/subscriptions/checkout/${path}`);
    await expect(page.getByText('There is no payment for this address.')).toBeVisible();
  }
  await sound(page, 'checkout unknown');
  await page.getByRole('link', { name: 'Go to your subscription' }).click();
  await expect(heading(page, COMPANY)).toBeVisible();
  // The browser reports the answer for the unknown payment.
  expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
});
