import { expect, test, type Page } from '@playwright/test';
import { linkFor, loadOutbox } from './outbox.ts';
import { collectErrors, sound } from './page-checks.ts';
import { startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(async () => {
  await portal.stop();
});

const PASSWORD = 'seven brass kettles';
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

test('BILL-19, E2E-7: registering signs out first and names what is missing; the email comes again with the same link', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const email = 'ivy@ivory.example.com';
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
  await fillRegistration(page, 'Ivory Dental', email);
  await expect(heading(page, 'Check your email')).toBeFocused();
  // By keyboard, back to the form with what was typed, and here again.
  await page.getByRole('button', { name: 'Change the email address' }).press('Enter');
  await expect(heading(page, 'Start with Microsoft 365 backup')).toBeFocused();
  await expect(page.getByLabel('Company')).toHaveValue('Ivory Dental');
  await expect(page.getByRole('radio', { name: /^Advanced/ })).toBeChecked();
  await page.getByLabel('Email').press('Enter');
  await expect(page.getByText(`We sent a link to ${email}.`)).toBeVisible();
  const first = await linkFor(portal.url, email, 2);
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await expect(page.getByRole('status').getByText('We sent the email again.')).toBeVisible();
  await sound(page, 'sign-up sent again');
  expect(await linkFor(portal.url, email, 3)).toBe(first);
  expect((await loadOutbox(portal.url)).filter(({ to }) => to === email)).toHaveLength(3);
  expect(errors).toEqual([]);
});

test('BILL-19, BILL-20: the link resumes after a cancelled payment, and every tab ends where the registration is', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const first = await register(page, 'Amber Dental', 'amy@amber.example.com');
  // Without an answer, the page offers to try again.
  await page.context().route('**/o365/provisioning/verify-email', (route) => route.abort());
  await page.goto(first);
  await expect(page.getByRole('alert')).toBeVisible();
  await page.context().unroute('**/o365/provisioning/verify-email');
  await page.getByRole('button', { name: 'Try again' }).click();
  await choosePassword(page);
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
  expect(errors).toEqual([]);
});

test('BILL-19, E2E-7: a link that nobody has leads to a new registration', async ({ page }) => {
  await page.goto(`${portal.url}/o365/register/s-${'0'.repeat(43)}`);
  await expect(page.getByRole('alert')).toContainText('This link is no longer valid.');
  await sound(page, 'sign-up over');
  await page.getByRole('button', { name: 'Register again' }).click();
  await expect(page.getByLabel('Company')).toBeVisible();
});

test('BILL-20, E2E-7: each page after a payment says what happened', async ({ page }) => {
  const errors = collectErrors(page);
  const company = 'Hazel Dental';
  const email = 'hal@hazel.example.com';
  await page.goto(await register(page, company, email));
  await choosePassword(page);
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(heading(page, 'Your account is ready')).toBeVisible();

  await page.goto(`${portal.url}/o365/subscriptions`);
  await submitSignIn(page, email, PASSWORD);
  await expect(heading(page, company)).toBeVisible();
  await page.getByRole('button', { name: 'Change card' }).click();
  await page.getByRole('link', { name: 'Return' }).click();
  await expect(page.getByText('Stripe saves what you change on its page.')).toBeVisible();
  await sound(page, 'checkout updated');
  // Billing, which the provider's branding shows, saves a card on Stripe's page.
  const save = page.getByRole('button', { name: 'Save a card' });
  await page.goto(`${portal.url}/monitoring/billing`);
  await expect(page.getByText('This portal never sees or stores it.')).toBeVisible();
  await sound(page, 'billing with cards');
  await save.click();
  await page.getByRole('link', { name: 'Cancel and return' }).click();
  await save.click();
  await page.getByRole('button', { name: 'Save card' }).click();
  await expect(page.getByText('Your card was saved.')).toBeVisible();
  for (const path of ['ccCollection', 'cs_test_none/success']) {
    await page.goto(`${portal.url}/subscriptions/checkout/${path}`);
    await expect(page.getByText('There is no payment for this address.')).toBeVisible();
  }
  await sound(page, 'checkout unknown');
  await page.getByRole('link', { name: 'Go to your subscription' }).click();
  await expect(heading(page, company)).toBeVisible();
  // The browser reports the answer for the unknown payment.
  expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
});

/** Fills in and sends the form on the page. */
async function fillRegistration(page: Page, company: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ivy Marsh');
  await page.getByLabel('Company').fill(company);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('radio', { name: /^Advanced/ }).check();
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByText(`We sent a link to ${email}.`)).toBeVisible();
}

/** Returns the link of the email. */
async function register(page: Page, company: string, email: string): Promise<string> {
  await page.goto(`${portal.url}/o365/register`);
  await fillRegistration(page, company, email);
  return linkFor(portal.url, email);
}

async function choosePassword(page: Page): Promise<void> {
  await expect(heading(page, 'Complete your registration')).toBeFocused();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}
