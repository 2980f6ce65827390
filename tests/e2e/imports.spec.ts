import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { type Dovecot, missing, PASSWORD, startDovecot } from '#tests/server/imports/dovecot.ts';
import { list, node } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let dovecot: Dovecot | null = null;

test.beforeEach(async () => {
  [portal, dovecot] = await Promise.all([
    withEnvironment(LOOPBACK, () => startPortal('small')),
    missing === '' ? startDovecot() : null,
  ]);
});
test.afterEach(async () => {
  await Promise.all([portal.stop(), dovecot?.stop()]);
});

const LONG = { timeout: 120_000 };
const IMPORTS = '/o365/repositories?tab=imports';
const MAIL = [
  'From: Ann Fletcher <ann@example.com>',
  'To: Ben Ortiz <ben@example.org>',
  'Subject: Rota for the harbour office',
  'Message-ID: <rota-1@example.com>',
  'Date: Tue, 03 Nov 2020 10:11:12 +0100',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Monday is Cora’s.',
  '',
].join('\n');

const getDialog = (page: Page, name = 'New import'): Locator => page.getByRole('dialog', { name });

/** Chooses a file as a keyboard does. */
async function chooseFile(page: Page, name: string, content: string): Promise<void> {
  const path = test.info().outputPath(name);
  writeFileSync(path, content);
  const chooser = page.waitForEvent('filechooser');
  await getDialog(page)
    .getByRole('button', { name: /^Choose file/ })
    .press('Enter');
  await (await chooser).setFiles(path);
  await expect(getDialog(page).getByText(name)).toBeVisible();
}

test('IMP-1, IMP-3: an mbox file is imported, browsed and downloaded with the keyboard alone, and a damaged file is explained on a phone', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', IMPORTS);
  await expect(page.getByText('No imports yet')).toBeVisible();
  await sound(page, 'no imports');
  await page.getByRole('button', { name: 'New import' }).first().press('Enter');
  await getDialog(page).getByRole('button', { name: 'Start import' }).press('Enter');
  await expect(getDialog(page).getByText('Choose a file.')).toBeVisible();
  await expect(getDialog(page).getByText('Enter a name.')).toBeVisible();
  await sound(page, 'import in error');
  await chooseFile(page, 'harbour.mbox', `From ann@example.com Tue Nov  3 09:11:12 2020\n${MAIL}`);
  await getDialog(page)
    .getByRole('textbox', { name: 'Name of the mailbox' })
    .fill('Ann before 2021');
  await page.keyboard.press('Enter');

  const details = page.getByRole('region', { name: 'harbour.mbox' });
  await expect(details.getByText('Imported', { exact: true })).toBeVisible(LONG);
  await expect(details.getByText('1 imported')).toBeVisible();
  await sound(page, 'an imported archive');
  await details.getByRole('link', { name: 'Open in restore' }).press('Enter');
  await node(page, /^Ann before 2021/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^harbour/).click();
  await list(page)
    .getByRole('option', { name: /Rota for the harbour office/ })
    .click();
  await page.getByRole('button', { name: 'Download', exact: true }).first().press('Enter');
  const download = page.getByRole('dialog', { name: 'Download' });
  const saved = page.waitForEvent('download');
  await download.getByRole('button', { name: 'Download' }).press('Enter');
  const path = await (await saved).path();
  expect(readFileSync(path, 'utf8')).toContain('Monday is Cora’s.');

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${portal.url}${IMPORTS}`);
  await page.getByRole('button', { name: 'New import' }).click();
  await chooseFile(page, 'holiday.zip', 'This is no archive.\u0000');
  await getDialog(page).getByRole('textbox', { name: 'Name of the mailbox' }).fill('Damaged');
  await getDialog(page).getByRole('button', { name: 'Start import' }).click();
  await expect(page.getByText('This file is not an archive that can be imported.')).toBeVisible(
    LONG,
  );
  await sound(page, 'a damaged archive on a phone');
  expect(errors).toEqual([]);
});

test('IMP-8: a folder is imported as a drive and found in the explorer', async ({ page }) => {
  const errors = collectErrors(page);
  const share = test.info().outputPath('Share');
  mkdirSync(join(share, 'Plans'), { recursive: true });
  writeFileSync(join(share, 'Rota.txt'), 'Monday');
  writeFileSync(join(share, 'Plans', 'Harbour.txt'), 'x'.repeat(3_000_000));
  await enter(portal, page, 'm365', IMPORTS);
  await page.getByRole('button', { name: 'New import' }).first().click();
  const dialog = getDialog(page);
  await dialog.getByRole('radio', { name: /^Files/ }).press('Space');
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose folder' }).press('Enter');
  await (await chooser).setFiles(share);
  await expect(dialog.getByText('Share.zip')).toBeVisible();
  await sound(page, 'import of a folder');
  await dialog.getByRole('textbox', { name: 'Name of the drive' }).fill('Old share');
  await dialog.getByRole('button', { name: 'Start import' }).click();
  const details = page.getByRole('region', { name: 'Share.zip' });
  await expect(details.getByText('Imported', { exact: true })).toBeVisible(LONG);
  await details.getByRole('link', { name: 'Open in restore' }).click();
  await node(page, /^Old share/).click();
  await expect(list(page).getByRole('option', { name: /Rota\.txt/ })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Plans/).click();
  await expect(list(page).getByRole('option', { name: /Harbour\.txt/ })).toBeVisible();
  expect(errors).toEqual([]);
});

test('IMP-6, IMP-7: a mailbox on a server is imported, after its password was wrong and its certificate was pinned', async ({
  page,
}) => {
  test.skip(dovecot === null, missing);
  if (dovecot === null) return;
  dovecot.deliver('ann', [Buffer.from(MAIL), Buffer.from(MAIL.replace('Rota', 'Keys'))]);
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', IMPORTS);
  await page.getByRole('button', { name: 'New import' }).first().click();
  const dialog = getDialog(page);
  await dialog.getByRole('radio', { name: /^Mailbox on an IMAP server/ }).press('Space');
  const start = dialog.getByRole('button', { name: 'Start import' });
  await start.press('Enter');
  await expect(dialog.getByText('Enter the name of the server.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1');
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(dovecot.tlsPort));
  await dialog.getByRole('textbox', { name: 'Username' }).fill('ann');
  await dialog.getByLabel('Password').fill('not the password');
  await dialog.getByRole('textbox', { name: 'Name of the mailbox' }).fill('Ann on the old server');
  await start.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText(
    'The certificate of 127.0.0.1 is not trusted, or belongs to another host.',
    LONG,
  );
  await sound(page, 'an untrusted IMAP server');
  await dialog.getByRole('button', { name: 'Pin this certificate' }).press('Enter');
  await start.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText(
    '127.0.0.1 refused the username and password.',
    LONG,
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await sound(page, 'a wrong IMAP password on a phone');
  await dialog.getByLabel('Password').fill(PASSWORD);
  await start.press('Enter');
  const details = page.getByRole('dialog', { name: 'ann (127.0.0.1)', exact: true });
  await expect(details.getByText('2 imported')).toBeVisible(LONG);
  await sound(page, 'an imported mailbox on a phone');

  // Once more: nothing is new, and nothing but the password is asked for.
  await details.getByRole('button', { name: 'Import new mail' }).click();
  const again = getDialog(page, 'Import again from ann (127.0.0.1)');
  await again.getByLabel('Password').fill(PASSWORD);
  await again.getByRole('button', { name: 'Start import' }).click();
  await expect(page.getByText('The mailbox on the server has no new mail.')).toBeVisible(LONG);
  expect(errors.filter((error) => !/status of 4\d\d/.test(error))).toEqual([]);
});
