import { expect, type Page } from '@playwright/test';
import { linkFor } from './outbox.ts';
import { sound } from './page-checks.ts';
import type { Portal } from './portal.ts';

/** A new customer of the demo. */
export interface NewCustomer {
  readonly name: string;
  readonly company: string;
  readonly email: string;
  readonly password: string;
}

export const ZOE: NewCustomer = {
  name: 'Zoe Calla',
  company: 'Calla Design',
  email: 'zoe@calla.example.com',
  password: 'eleven quiet lanterns',
};

/** Registers, opens the link of the email, and sets the password. */
export async function register(
  page: Page,
  portal: Portal,
  { name, company, email, password }: NewCustomer,
): Promise<void> {
  await page.goto(`${portal.url}/o365/register`);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Company').fill(company);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('radio', { name: /^Basic/ }).check();
  await sound(page, 'register');
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  await page.goto(await linkFor(portal.url, email));
  await expect(page.getByLabel('Company')).toHaveValue(company);
  await page.getByLabel('New password').fill(password);
  await sound(page, 'sign-up-details');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/** Pays on the page that stands in for Stripe's, after a card that is declined. */
export async function pay(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Decline the card' }).click();
  await expect(page.getByRole('alert')).toHaveText('The card was declined.');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
}
