import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { collectErrors, sound } from './page-checks.ts';
import { createUser, enter, entry, NEW_PASSWORD } from './people.ts';
import { expectTitle, openPortal, startPortal, waitForBackups } from './portal.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const next = (page: Page, step: string) =>
  page.getByRole('button', { name: `Next: ${step}`, exact: false });
const stored = (page: Page) => expect(page.getByText('Draft saved on this device.')).toBeVisible();
const RESTORED = 'You continue from your draft. Drafts contain no passwords and no codes.';
/** What a browser says about requests without a network. */
const OFFLINE = /ERR_INTERNET_DISCONNECTED|Failed to load resource/;

/** What each sign-in method asks for, and what of it comes back: no secret does. */
const VARIANTS = [
  {
    method: /^Basic/,
    steps: ['Exchange account', 'SharePoint account'],
    fields: { 'Service account': 'backup@example.com' },
    secrets: { Password: 'a secret of the tenant' },
  },
  {
    method: /^Modern with legacy protocols/,
    steps: ['Application and secret', 'Service accounts'],
    fields: {
      'Application ID': '0a1b2c3d-0000-4000-8000-000000000000',
      'Tenant domain': 'copperline.example.com',
    },
    secrets: { 'Application secret': 'a secret of the tenant' },
  },
] as const;

for (const { method, steps, fields, secrets } of VARIANTS) {
  test(`WIZ-9, WIZ-11: the draft of an organization with ${steps[0]} survives a reload, also offline, without its secrets`, async ({
    page,
  }) => {
    const portal = await openPortal();
    await createUser(portal, 'olin', 'Olin Cloud', ['o365_admin']);
    const errors = collectErrors(page);
    await enter(portal, page, 'olin', '/o365/organizations/new/1', NEW_PASSWORD);
    await page.getByLabel('Company').selectOption({ index: 1 });
    await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
    await page.getByRole('radio', { name: method }).click();
    await next(page, steps[0]).click();
    await expect(heading(page, steps[0])).toBeFocused();
    for (const [name, value] of Object.entries({ ...fields, ...secrets }))
      await page.getByLabel(name, { exact: true }).fill(value);
    await stored(page);
    await page.reload();
    await expect(page.getByText(RESTORED)).toBeVisible();
    await expect(heading(page, steps[0])).toBeVisible();
    for (const [name, value] of Object.entries(fields))
      await expect(page.getByLabel(name, { exact: true })).toHaveValue(value);
    for (const name of Object.keys(secrets))
      await expect(page.getByLabel(name, { exact: true })).toHaveValue('');
    await sound(page, `draft of ${steps[0]}`);

    await page.context().setOffline(true);
    await page.reload();
    await expect(page.getByText(/^You're offline\. The draft stays on this device/)).toBeVisible();
    for (const [name, value] of Object.entries(fields))
      await expect(page.getByLabel(name, { exact: true })).toHaveValue(value);
    await page.context().setOffline(false);
    expect(errors.filter((error) => !OFFLINE.test(error))).toEqual([]);
    await portal.stop();
  });
}

test('WIZ-9, WIZ-12: the draft of a job survives a reload and being offline, and ends with the job', async ({
  page,
}) => {
  const portal = await startPortal('small');
  await waitForBackups(portal);
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/jobs');
  await expectTitle(page, 'Jobs');
  await page.getByRole('button', { name: 'New job' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mail of the head office');
  await page.getByRole('combobox', { name: 'Organization' }).selectOption({ index: 1 });
  await next(page, 'What to back up').click();
  await page.getByRole('radio', { name: /^Selected items/ }).click();
  const first = page.getByRole('listbox').getByRole('option').first();
  const person = (await first.innerText()).split('\n')[0] ?? '';
  await first.click();
  await stored(page);

  await page.reload();
  await expect(heading(page, 'What to back up')).toBeVisible();
  await expect(page.getByText(RESTORED)).toBeVisible();
  await expect(page.getByText(person).first()).toBeVisible();
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText(/^You're offline\. The draft stays on this device/)).toBeVisible();
  await next(page, 'What to leave out').click();
  await next(page, 'Schedule').click();
  await page.getByRole('combobox', { name: 'Runs' }).selectOption('Manually only');
  await stored(page);
  await sound(page, 'job wizard offline');
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Runs' })).toHaveValue('Disabled');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Create job' }).click();
  await expectTitle(page, 'Jobs');
  await expect(entry(page, 'Mail of the head office')).toBeVisible();
  await page.getByRole('button', { name: 'New job' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  expect(errors.filter((error) => !OFFLINE.test(error))).toEqual([]);
  await portal.stop();
});
