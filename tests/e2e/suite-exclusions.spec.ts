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

test('ENG-122: a person is excluded by keyboard with the typed name, a restore shows nothing of them, and the exclusion ends', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/organizations');
  await page.locator('[data-entry]').first().press('Enter');
  const section = page.getByRole('region', { name: 'Excluded people' });
  await expect(section.getByText(/^None\./)).toBeVisible();
  await expect(
    section.getByText(/posts in teams, files of sites and imported mailboxes stay/),
  ).toBeVisible();
  await section.getByRole('button', { name: 'Exclude a person' }).press('Enter');

  // What is missing is named.
  const form = dialog(page);
  const submit = form.getByRole('button', { name: 'Exclude a person' });
  await submit.press('Enter');
  await expect(form.getByText('Choose a person.')).toBeVisible();
  await expect(form.getByText('Enter a reason.')).toBeVisible();
  await form.getByRole('combobox', { name: 'Person' }).press('ArrowDown');
  const first = page.getByRole('option').first();
  const option = await first.innerText();
  const name = (option.split(' (')[0] ?? '').trim();
  // By its name: others may have come before it.
  await page.getByRole('option', { name: option, exact: true }).click();
  await expect(form.getByText(`Chosen: ${name}`)).toBeVisible();
  await form.getByLabel('Reason').fill('Requested by letter of May 2');
  await submit.press('Enter');
  await expect(form.getByText('Enter the name exactly as shown.')).toBeVisible();
  await sound(page, 'exclude a person in error');
  await form.getByLabel('Name of the person').fill(name);
  await submit.press('Enter');
  await expect(section.getByText('Requested by letter of May 2')).toBeVisible();
  await expect(section.getByText(name, { exact: true })).toBeVisible();
  await sound(page, 'organization with an excluded person');
  // The clean-up runs at once.
  await expect(section.getByText(/: removed$/)).toBeVisible({ timeout: 120_000 });

  // A hold would protect nothing.
  const holds = page.getByRole('region', { name: 'Legal holds' });
  await holds.getByRole('button', { name: 'Place a legal hold' }).press('Enter');
  await form.getByRole('combobox', { name: 'Name' }).fill(name);
  await page.getByRole('option', { name }).first().click();
  await form.getByLabel('Reason').fill('A lawsuit');
  await form.getByRole('button', { name: 'Place a legal hold' }).press('Enter');
  await expect(form.getByText(/excluded from backups on request. End the exclusion/)).toBeVisible();
  await page.keyboard.press('Escape');

  await page.goto(`${portal.url}/o365/restore/outlook`);
  await expect(page.getByText(`and have no restore points: ${name}`)).toBeVisible();

  await page.goto(`${portal.url}/o365/organizations`);
  await page.locator('[data-entry]').first().press('Enter');
  await section.getByRole('button', { name: `End exclusion of ${name}` }).press('Enter');
  await dialog(page).getByRole('button', { name: 'End exclusion' }).press('Enter');
  await expect(dialog(page).getByText('Enter a reason.')).toBeVisible();
  await dialog(page).getByLabel('Reason').fill('Revoked');
  await dialog(page).getByRole('button', { name: 'End exclusion' }).press('Enter');
  await expect(section.getByText(/Ended on/)).toBeVisible();
  expect(errors).toEqual([]);
});
