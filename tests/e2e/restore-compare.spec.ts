import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import {
  ONEDRIVE,
  OUTLOOK,
  addUniqueItem,
  backUpPerson,
  details,
  getCellTexts,
  list,
  listPeople,
  node,
  openTenant,
  restorePanel,
  submit,
} from './cloud-suite.ts';
import type { TenantPerson } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
let person: TenantPerson;
/** A mail and a file of which the backups have two versions. */
let subject = '';
let fileName = '';

test.beforeEach(async ({ browser }) => {
  portal = await startPortal('small');
  const context = await browser.newContext();
  // Whom `backUpPerson` backs up.
  const name = (await listPeople(portal))[3]?.name ?? '';
  const mails = await openTenant(portal, context, name, 'Mails');
  const flag = () => mails.getByRole('button', { name: `Flag mail: ${subject}`, exact: true });
  // Some mails arrive flagged.
  do subject = await addUniqueItem(mails, 'mail');
  while ((await flag().count()) === 0);
  const files = await openTenant(portal, context, name, 'Files');
  fileName = await addUniqueItem(files, 'file');
  const backup = await backUpPerson(portal);
  person = backup.person;
  await submit(flag());
  const isFlagged = mails.getByRole('button', { name: `Unflag mail: ${subject}`, exact: true });
  await expect(isFlagged).toBeVisible();
  const former = await getCellTexts(files.getByRole('row').filter({ hasText: fileName }));
  await submit(files.getByRole('button', { name: `Change file: ${fileName}`, exact: true }));
  await expect
    .poll(() => getCellTexts(files.getByRole('row').filter({ hasText: fileName })))
    .not.toEqual(former);
  await backup.runJob();
  await context.close();
});
test.afterEach(() => portal.stop());

/** Opens a folder of the person, and an item of it by the search of the folder. */
async function openItem(page: Page, folder: RegExp | null, name: string): Promise<void> {
  await node(page, person.name).click();
  if (folder !== null) await node(page, folder).click();
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill(name);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await list(page).getByRole('option').first().click();
}

async function pressWith(page: Page, control: Locator): Promise<void> {
  await control.focus();
  await page.keyboard.press('Enter');
}

test('RES-82: a mail and its folder are compared with production, by keyboard and on a phone', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await openItem(page, /^Inbox/, subject);
  const tenant = await openTenant(portal, page.context(), person.name, 'Mails');
  await submit(tenant.getByRole('button', { name: `Unflag mail: ${subject}`, exact: true }));
  await expect(
    tenant.getByRole('button', { name: `Flag mail: ${subject}`, exact: true }),
  ).toBeVisible();
  await page.bringToFront();

  const compare = details(page).getByRole('button', { name: 'Compare with production' });
  await pressWith(page, compare);
  const dialog = page.getByRole('dialog', { name: 'Backup and production' });
  await expect(dialog.getByText('Changed', { exact: true })).toBeVisible();
  const flagged = dialog.getByRole('row', { name: /^Flagged/ });
  await expect(flagged.getByRole('cell')).toHaveText(['Yes', 'No']);
  await expect(dialog.getByRole('row', { name: /^Subject/ }).getByRole('cell')).toHaveText([
    subject,
    subject,
  ]);
  await sound(page, 'comparison with production');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  await submit(tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }));
  await expect(tenant.getByRole('button', { name: `Delete mail: ${subject}` })).toHaveCount(0);
  await page.bringToFront();
  await pressWith(page, page.getByRole('button', { name: 'Compare folder with production' }));
  const folder = page.getByRole('dialog', { name: 'Compare “Inbox” with production' });
  await expect(folder.getByText(/\d+ items? compared/)).toBeVisible();
  await sound(page, 'folder compared with production');
  await page.setViewportSize({ width: 390, height: 844 });
  const lost = folder.getByRole('button', { name: subject, exact: true });
  await expect(lost).toBeVisible();
  await folder.getByRole('tab', { name: /^Unchanged/ }).click();
  await expect(lost).toHaveCount(0);
  await expect(folder.getByRole('listitem').first()).toBeVisible();
  expect(errors).toEqual([]);
});

test('RES-81: two versions of a mail and of a text file are compared beside each other', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  const show = async (): Promise<Locator> => {
    await pressWith(page, details(page).getByRole('button', { name: 'Show versions' }));
    const boxes = details(page).getByRole('checkbox', { name: /^Select the version of/ });
    await expect(boxes).toHaveCount(2);
    for (const box of await boxes.all()) await box.press('Space');
    await pressWith(page, details(page).getByRole('button', { name: 'Compare', exact: true }));
    return page.getByRole('dialog', { name: 'Compare versions' });
  };
  await openItem(page, /^Inbox/, subject);
  const mail = await show();
  await expect(mail.getByRole('row', { name: /^Subject/ }).getByRole('cell')).toHaveText([
    subject,
    subject,
  ]);
  await expect(mail.getByText('The text is the same.')).toBeVisible();
  await sound(page, 'versions of a mail');
  await page.keyboard.press('Escape');

  await page.goto(portal.url + ONEDRIVE);
  await openItem(page, null, fileName);
  const file = await show();
  await expect(file.getByRole('row', { name: /^Size/ })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await sound(page, 'versions of a file, phone');
  expect(errors).toEqual([]);
});

test('RES-83: after a dry run, the page says about how long the restore takes and what that assumes', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openTenant(portal, page.context(), person.name, 'Files');
  const button = tenant.getByRole('button', { name: `Delete file: ${fileName}`, exact: true });
  await submit(button);
  await expect(button).toHaveCount(0);
  await page.bringToFront();
  await enter(portal, page, 'm365', ONEDRIVE);
  await openItem(page, null, fileName);
  await page.keyboard.press('x');
  await page.keyboard.press('r');
  const restore = restorePanel(page);
  await pressWith(page, restore.getByRole('button', { name: 'Dry run' }));
  await expect(restore.getByText('Takes about a minute or less.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Compare with production' })).toHaveCount(1);
  await expect(restore.getByText(/^Assumes four parallel requests/)).toBeVisible();
  await sound(page, 'estimate of a restore');
  expect(errors).toEqual([]);
});
