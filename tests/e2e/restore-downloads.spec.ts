import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';
import { toolMissing } from './tools.ts';

let portal: Portal;
const OUTLOOK = '/o365/restore/outlook';
const DOWNLOADS = '/o365/restore/downloads';
const folder = mkdtempSync(join(tmpdir(), 'daybook-pst-'));
const noReader = toolMissing('readpst', 'pst-utils');

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(async () => {
  await portal.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('DL-3, DL-4: a mailbox is prepared as a PST file in the background, downloaded on a phone, read by another program, and deleted', async ({
  page,
}) => {
  test.skip(noReader !== null, noReader ?? '');
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', DOWNLOADS);
  await expectTitle(page, 'Downloads');
  await expect(page.getByText('No downloads yet')).toBeVisible();
  await sound(page, 'no downloads');

  await page.goto(`${portal.url}${OUTLOOK}`);
  // The tree begins with a line that says that it is loading.
  await page
    .getByRole('tree')
    .getByRole('treeitem', { name: /items$/ })
    .first()
    .click();
  await expect(page.getByRole('button', { name: 'Download', exact: false })).toBeVisible();
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Download' });
  await dialog.getByRole('radio', { name: /^PST/ }).focus();
  await page.keyboard.press('Space');
  await expect(dialog.getByText(/^\d+ items?, about /)).toBeVisible();
  await expect(dialog.getByRole('checkbox')).toBeChecked();
  await expect(
    dialog.getByText(
      'Independent programs read it completely. It has not been tested with Outlook',
    ),
  ).toBeVisible();
  await sound(page, 'download dialog');
  await dialog.getByRole('button', { name: 'Download' }).click();
  await page.getByRole('link', { name: 'Open Downloads' }).click();
  await expect(page).toHaveURL(/\/o365\/restore\/downloads\/[\da-f-]{36}$/);
  const file = page.getByRole('button', { name: /^Download .+-mailbox\.pst$/ });
  await expect(file).toBeVisible({ timeout: 60_000 });
  await sound(page, 'a download that is ready');
  const checksum = await page.locator('code').innerText();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('link', { name: 'All downloads' }).click();
  await expectTitle(page, 'Downloads');
  await expect(page.getByText('Ready')).toBeVisible();
  await sound(page, 'downloads on a phone');
  const [saved] = await Promise.all([page.waitForEvent('download'), file.click()]);
  expect(saved.suggestedFilename()).toMatch(/-mailbox\.pst$/);
  const path = join(folder, 'mailbox.pst');
  await saved.saveAs(path);
  expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(checksum);
  execFileSync('readpst', ['-j', '0', '-D', '-e', '-q', '-8', '-o', folder, path]);
  const mails = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.eml'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(mails.length).toBeGreaterThan(1);
  for (const mail of mails) expect(mail).toMatch(/^Subject: \S/m);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete download' }).click();
  await expect(page.getByText('No downloads yet')).toBeVisible();
  expect(errors).toEqual([]);
});
