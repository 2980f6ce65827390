import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { approveCode } from './cloud-suite.ts';
import { collectErrors, goOffline, sound, withoutConnectionErrors } from './page-checks.ts';
import { enter, expectText } from './people.ts';
import { startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

// The demo has an organization with a repository and jobs.
test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const panel = (page: Page, name: string) => page.getByRole('region', { name });
const dialog = (page: Page) => page.getByRole('dialog');

test('OBJ-6: a new repository in a bucket is locked by keyboard, and the form refuses to keep it for ever', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/repositories');
  await page.getByRole('button', { name: 'New repository' }).press('Enter');
  const form = panel(page, 'New repository');
  await form.getByRole('textbox', { name: 'Name' }).fill('Vault');
  await form.getByRole('radio', { name: /^Folder on the server/ }).press('ArrowDown');
  const lock = form.getByRole('group', { name: 'Object Lock (immutability)' });
  await lock.getByRole('radio', { name: /^Off/ }).press('ArrowDown');
  await expect(lock.getByRole('radio', { name: /^Governance mode/ })).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await expect(lock.getByRole('radio', { name: /^Compliance mode/ })).toBeChecked();
  await form.getByLabel('Keep backups').selectOption('Keep forever');
  await form.getByLabel('Endpoint').fill('https://s3.example.com');
  await form.getByLabel('Bucket', { exact: true }).fill('backups');
  await form.getByLabel('Access key ID').fill('KEY');
  await form.getByLabel('Secret access key').fill('secret');
  await form.getByRole('button', { name: 'Create repository' }).press('Enter');
  await expect(form.getByText(/can't keep backups forever/)).toBeVisible();
  await expect(form.getByLabel('Keep backups')).toBeFocused();
  await sound(page, 'repository with Object Lock in error');
  await lock.scrollIntoViewIfNeeded();
  await sound(page, 'repository with Object Lock');
  expect(errors).toEqual([]);
});

test('SUITE-20: a repository is created, edited, and kept from a deletion and a shorter retention, by keyboard', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/repositories');
  const first = page.locator('[data-entry]').first();
  await expect(first).toBeVisible();
  await sound(page, 'repositories with one', { sidebar: true });

  // What is missing is named. An own password is typed twice.
  await page.getByRole('button', { name: 'New repository' }).press('Enter');
  const form = panel(page, 'New repository');
  await form.getByRole('button', { name: 'Create repository' }).press('Enter');
  await expect(form.getByText('Enter a name.')).toBeVisible();
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Cold storage');
  await form.getByLabel('Keep backups').selectOption('7 years');
  await form.getByRole('switch', { name: /^Use my own encryption password/ }).press('Space');
  await form.getByLabel('Encryption password').fill('correct horse');
  await form.getByLabel('Repeat the password').fill('correct mule');
  await form.getByRole('button', { name: 'Create repository' }).press('Enter');
  await expect(form.getByText("The passwords don't match.")).toBeVisible();
  await sound(page, 'new repository in error');

  // Closing the panel asks before the form is lost.
  await form.getByLabel('Repeat the password').press('Escape');
  await dialog(page).getByRole('button', { name: 'Keep editing' }).press('Enter');
  await form.getByLabel('Repeat the password').fill('correct horse');
  await form.getByRole('button', { name: 'Create repository' }).press('Enter');
  const cold = panel(page, 'Cold storage');
  await expect(cold.getByText('7 years, per restore point')).toBeVisible();

  await cold.getByRole('button', { name: 'Edit repository' }).press('Enter');
  await cold.getByLabel('Keep backups').selectOption('1 year');
  await expect(cold.getByText(/^Older restore points are deleted/)).toBeVisible();
  await cold.getByRole('button', { name: 'Save repository' }).press('Enter');
  await expect(cold.getByText(/^The portal keeps backups for 1 year from/)).toBeVisible();
  await sound(page, 'shortened retention');
  await cold.getByRole('button', { name: 'Keep for 7 years' }).press('Enter');
  await expect(cold.getByText(/^The portal keeps backups for/)).toBeHidden();

  await cold.getByRole('button', { name: 'Change password' }).press('Enter');
  await dialog(page).getByLabel('Encryption password').fill('battery staple');
  await dialog(page).getByLabel('Repeat the password').fill('battery staple');
  await dialog(page).getByLabel('Password hint').fill('Not battery staple');
  await dialog(page).getByRole('button', { name: 'Change password' }).press('Enter');
  await expect(dialog(page).getByText('The hint contains the password.')).toBeVisible();
  await dialog(page).getByLabel('Password hint').fill('The usual picture');
  await dialog(page).getByRole('button', { name: 'Change password' }).press('Enter');
  await expect(cold.getByText('The usual picture')).toBeVisible();

  await cold.getByRole('button', { name: 'Delete repository' }).press('Enter');
  await expect(dialog(page).getByText(/after seven days/)).toBeVisible();
  await dialog(page).getByLabel('Name of the repository').fill('Cold storage');
  await page.keyboard.press('Enter');
  await expect(cold.getByText(/^This repository will be deleted on/)).toBeVisible();
  await cold.getByRole('button', { name: 'Keep repository' }).press('Enter');
  await expect(cold.getByText(/^This repository will be deleted on/)).toBeHidden();

  // One in use names its jobs instead.
  await cold.getByRole('button', { name: 'Delete repository' }).press('Escape');
  await page.locator('[data-entry]', { hasNotText: 'Cold storage' }).press('Enter');
  await page.getByRole('button', { name: 'Delete repository' }).press('Enter');
  await expect(dialog(page).getByRole('link')).not.toHaveCount(0);
  await expect(dialog(page).getByRole('button', { name: 'Delete repository' })).toHaveCount(0);
  expect(errors).toEqual([]);
});

test('BILL-12, SUITE-40: licensing and its users are shown for a period, saved as a file, and on a phone; menus stay in the app', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/dashboard');
  const sidebar = page.getByRole('navigation', { name: 'Main' });
  await sidebar.getByRole('link', { name: 'Licensing' }).press('Enter');
  await expect(page).toHaveURL(/\/o365\/licensing$/);
  const figure = page.getByRole('region', { name: 'Licensed users per day' });
  await expect(figure.locator('.text-head')).toHaveText(/^[1-9]\d*$/);
  await sound(page, 'licensing', { sidebar: true });

  // The users are as many as the figure, but for those without a license. A session may end, and add
  // to both, between the two pages.
  await expect(async () => {
    await page.goto(`${portal.url}/o365/licensing`);
    await expect(figure.locator('.text-head')).toHaveText(/^[1-9]\d*$/);
    const licensed = Number(await figure.locator('.text-head').innerText());
    await sidebar.getByRole('link', { name: 'Licensed Users' }).press('Enter');
    await page.getByRole('combobox', { name: 'License' }).selectOption('licensed');
    await expect(page).toHaveURL(/license=licensed/);
    await expect(page.getByText(new RegExp(`\\b${licensed} users?$`))).toBeVisible({
      timeout: 10_000,
    });
  }).toPass({ timeout: 120_000 });
  await sound(page, 'licensed users');
  const name = await page.locator('tbody tr span').first().innerText();
  await page.getByRole('searchbox').fill(name);
  await expect(page.getByText('1 user', { exact: true })).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).press('Enter'),
  ]);
  expect(file.suggestedFilename()).toMatch(/^O365Consumption-.+\.csv$/);
  await page.getByRole('searchbox').fill('nobody has this name');
  await expect(page.getByText('No matching users')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await expect(page.locator('tbody tr')).not.toHaveCount(0);
  await sound(page, 'licensed users on a phone');
  await page.goto(`${portal.url}/o365/licensing`);
  await expect(figure).toBeVisible();
  await sound(page, 'licensing on a phone');

  // The account's own pages open in the app.
  await page.setViewportSize({ width: 1440, height: 900 });
  await sidebar.getByRole('link', { name: 'Profile' }).press('Enter');
  await expect(page).toHaveURL(/\/o365\/profile$/);
  await expect(sidebar.getByRole('link', { name: 'Organizations' })).toBeVisible();
  expect(errors).toEqual([]);
});

/** Signs in to the tenant with the code on the page, as somebody on the demo tenant's page. */
async function useCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Get a code' }).press('Enter');
  const code = await page.locator('.select-all').innerText();
  await approveCode(portal, page.context(), code);
  await expect(page.getByText(/^Signed in\./)).toBeVisible();
}

test('SUITE-21, WIZ-11, WIZARD-2: an organization gets a certificate, a new one, and is deleted', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/organizations');
  const entry = page.locator('[data-entry]').first();
  await entry.press('Enter');
  const name = await page.locator('[data-entry] span').first().innerText();
  const organization = panel(page, name);
  await expect(organization.getByText('Modern with legacy protocols')).toBeVisible();

  // What is stored chooses the sign-in method; from now on it is a certificate.
  await organization.getByRole('button', { name: 'Edit organization' }).press('Enter');
  await expect(page.getByRole('radio', { name: /^Modern with legacy/ })).toBeChecked();
  await page.getByRole('radio', { name: /^Modern An application/ }).check();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('radio', { name: /^Create a new application/ }).check();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('textbox', { name: 'Application name' }).fill('Daybook backup');
  await page.keyboard.press('Control+Enter');
  await useCode(page);
  await page.getByRole('button', { name: /^Save organization/ }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Organizations' })).toBeVisible();
  await expect(page).toHaveURL(/\/o365\/organizations$/);

  await entry.press('Enter');
  await sound(page, 'organization');
  const thumbprint = organization.locator('code').filter({ hasText: /^[\dA-F]{40}$/ });
  const former = await thumbprint.innerText();
  await organization.getByRole('button', { name: 'Renew certificate' }).press('Enter');
  await expect(page.getByText(former)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Renew certificate' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await sound(page, 'renew certificate');
  await useCode(page);
  await page.getByRole('button', { name: 'Renew certificate' }).press('Enter');
  await expectText(page, 'Certificate renewed');
  await sound(page, 'renewed certificate');
  await page.getByRole('button', { name: 'Back to the organization' }).press('Enter');
  await expect(thumbprint).toBeVisible();
  await expect(thumbprint).not.toHaveText(former);

  await goOffline(page);
  await expect(page.getByText(/^You're offline\. This list is from/)).toBeVisible();
  const remove = organization.getByRole('button', { name: 'Delete organization' });
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await page.context().setOffline(false);
  await expect(remove).not.toHaveAttribute('aria-disabled', 'true', { timeout: 70_000 });
  await remove.press('Enter');
  await expect(dialog(page).getByText(/30 days/)).toBeVisible();
  await expect(dialog(page).getByText(/backup jobs are deleted/)).toBeVisible();
  await sound(page, 'delete organization');
  await dialog(page).getByLabel('Name of the organization').fill(name);
  await page.keyboard.press('Enter');
  await expect(
    panel(page, 'Get started').getByText('Please start by creating a new Organization'),
  ).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'No organizations yet' })).toBeVisible();
  expect(withoutConnectionErrors(errors)).toEqual([]);
});
