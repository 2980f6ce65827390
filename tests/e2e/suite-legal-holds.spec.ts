import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

// The demo has an organization with backups.
test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const dialog = (page: Page) => page.getByRole('dialog');

test('ENG-121: a person is put on legal hold and released by keyboard, and the organization and its restores show it', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/organizations');
  await page.locator('[data-entry]').first().press('Enter');
  const holds = page.getByRole('region', { name: 'Legal holds' });
  await expect(holds.getByText(/^None\./)).toBeVisible();
  await holds.getByRole('button', { name: 'Place a legal hold' }).press('Enter');

  // What is missing is named.
  const form = dialog(page);
  await form.getByRole('button', { name: 'Place a legal hold' }).press('Enter');
  await expect(form.getByText('Choose one.')).toBeVisible();
  await expect(form.getByText('Enter a reason.')).toBeVisible();
  await form.getByRole('combobox', { name: 'Name' }).press('ArrowDown');
  const first = page.getByRole('option').first();
  const option = await first.innerText();
  const name = (option.split(' (')[0] ?? '').trim();
  // By its name: others may have come before it.
  await page.getByRole('option', { name: option, exact: true }).click();
  await expect(form.getByText(`Chosen: ${name}`)).toBeVisible();
  await form.getByLabel('Reason').fill('A lawsuit about a mast');
  await form.getByLabel('Until the end of this day').fill('2020-01-01');
  await form.getByRole('button', { name: 'Place a legal hold' }).press('Enter');
  await expect(form.getByText('Choose a day that is not over.')).toBeVisible();
  await sound(page, 'new legal hold in error');
  await form.getByLabel('Until the end of this day').fill('');
  await form.getByRole('button', { name: 'Place a legal hold' }).press('Enter');
  await expect(holds.getByText('A lawsuit about a mast')).toBeVisible();
  await expect(holds.getByText(name)).toBeVisible();
  await sound(page, 'organization with a legal hold');

  // The organization isn't deleted meanwhile.
  await page.getByRole('button', { name: 'Delete organization' }).press('Enter');
  const title = await dialog(page).getByRole('heading').first().innerText();
  const typed = await dialog(page).locator('b.select-all').innerText();
  expect(title).toContain(typed);
  await dialog(page).getByRole('textbox').fill(typed);
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByText(/has 1 legal hold/)).toBeVisible();
  await page.keyboard.press('Escape');

  await page.goto(`${portal.url}/o365/restore/outlook`);
  await expect(page.getByText(`no backups of them are removed: ${name}`)).toBeVisible();

  await page.goto(`${portal.url}/o365/organizations`);
  await page.locator('[data-entry]').first().press('Enter');
  await holds.getByRole('button', { name: `Release the legal hold on ${name}` }).press('Enter');
  await dialog(page).getByRole('button', { name: 'Release' }).press('Enter');
  await expect(dialog(page).getByText('Enter a reason.')).toBeVisible();
  await dialog(page).getByLabel('Reason').fill('It is over');
  await dialog(page).getByRole('button', { name: 'Release' }).press('Enter');
  await expect(holds.getByText(/^None\./)).toBeVisible();
  expect(errors).toEqual([]);
});
