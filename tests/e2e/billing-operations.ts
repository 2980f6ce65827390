/** What the tests of operations on subscriptions share. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { loadApi } from './portal.ts';
import type { Portal } from './portal.ts';

export type Subscribed = CompanySubscription & {
  readonly subscription: NonNullable<CompanySubscription['subscription']>;
};

/**
 * Finds a subscription of the demo, which has one in every state; those without an organization bill
 * their minimum.
 */
export async function findRow(
  portal: Portal,
  isWanted: (row: Subscribed) => boolean,
): Promise<Subscribed> {
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

export const dollars = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount);

/** A day as the page names it. */
export const dayName = (at: number): RegExp =>
  new RegExp(
    new Intl.DateTimeFormat('en-US', {
      month: '2-digit',
      day: '2-digit',
      year: '2-digit',
      timeZone: 'UTC',
    }).format(at),
  );

export const dialog = (page: Page): Locator => page.getByRole('dialog');
/** The value of a line of what an operation changes. */
export const effect = (page: Page, label: string | RegExp): Locator =>
  dialog(page)
    .locator('dl')
    .locator('dt')
    .filter({ hasText: label })
    .locator('xpath=following-sibling::dd[1]');
export const money = (page: Page): Locator => effect(page, /^Per month/);

export async function begin(page: Page, details: Locator, name: string): Promise<void> {
  await details.getByRole('button', { name, exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Close' })).toBeVisible();
}
export async function finish(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
}
