import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { linkFor } from './outbox.ts';
import { loadApi, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

export const NEW_PASSWORD = 'a calm harbour ledger 42';

/** Creates a user who sets `NEW_PASSWORD` with the link of the invitation. Returns the ID. */
export async function createUser(
  portal: SharedPortal,
  username: string,
  name: string,
  roles: readonly string[] = ['read-only'],
): Promise<string> {
  const api = await loadApi(portal, 'admin');
  const { _id: id } = (await api('POST', 'users', {
    username,
    name,
    email: `${username}@example.com`,
    roles,
    companies: null,
    auth: 'db',
    invite: true,
  })) as { _id: string };
  const hash = new URL(await linkFor(portal.url, `${username}@example.com`)).hash.slice(1);
  const answer = await fetch(`${portal.url}/api/v1/profile/forgot-password/change`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hash, newPassword: NEW_PASSWORD }),
  });
  expect(answer.status).toBe(200);
  return id;
}

export async function enter(
  portal: SharedPortal,
  page: Page,
  username: string,
  path: string,
  password = portal.password,
): Promise<void> {
  await page.goto(portal.url + path);
  await submitSignIn(page, username, password);
}
export const entry = (page: Page, name: string): Locator =>
  page.locator('[data-entry]').filter({ hasText: name });
/** The panel of an entry: beside its list, or a sheet if it was opened on a phone. */
export const panel = (page: Page, name: string): Locator =>
  page.getByRole('region', { name }).or(page.getByRole('dialog', { name, exact: true }));
export const expectText = (page: Page, words: string | RegExp): Promise<void> =>
  expect(page.getByText(words)).toBeVisible();

export async function downloadCsv(
  page: Page,
): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** Creates a user with the form. */
export async function submitUser(
  page: Page,
  user: { readonly name: string; readonly username: string; readonly roles?: readonly string[] },
): Promise<void> {
  await page.getByRole('button', { name: 'New user' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New user' })).toBeFocused();
  await page.getByLabel('Name', { exact: true }).fill(user.name);
  await page.getByLabel('Username', { exact: true }).fill(user.username);
  await page.getByLabel('Email', { exact: true }).fill(`${user.username}@example.com`);
  for (const role of user.roles ?? []) await page.getByRole('checkbox', { name: role }).check();
  await page.getByRole('button', { name: 'Create and invite user' }).click();
}
