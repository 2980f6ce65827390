import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import {
  SHAREPOINT,
  details,
  getCellTexts,
  goToNode,
  list,
  node,
  openUniqueItem,
  restorePanel,
  submit,
  tree,
  TASK,
} from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

/** Each provider of the demo has an organization, whose sites are backed up when the portal starts. */
let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

/** Opens a list or library of the Intranet site on the tenant's own page, in another tab. */
async function openIntranet(page: Page, part: string): Promise<Page> {
  const tenant = await page.context().newPage();
  await tenant.goto(`${portal.url}/demo/tenant`);
  await submit(
    tenant
      .getByRole('row')
      .filter({ hasText: '/intranet' })
      .filter({ hasNotText: 'handbook' })
      .getByRole('link', { name: part }),
  );
  return tenant;
}

test('RES-40, RES-35: a row that was deleted in the tenant is found by keyboard, shown, tried, restored, seen in the tenant and undone', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openIntranet(page, 'Tasks');
  await page.bringToFront();
  await enter(portal, page, 'm365', SHAREPOINT);
  await expectTitle(page, 'Restore sites');
  await expect(node(page, /^Intranet/)).toBeVisible();
  await tree(page).focus();
  await goToNode(page, 'Intranet');
  await page.keyboard.press('ArrowRight');
  await expect(node(page, /^Subsites/)).toBeVisible();
  await goToNode(page, 'Content');
  await page.keyboard.press('ArrowRight');
  await expect(node(page, /^Tasks/)).toBeVisible();
  await goToNode(page, 'Tasks');
  await page.keyboard.press('Enter');
  await expect(list(page, 'Tasks').getByRole('option').first()).toContainText('Status:');
  const title = await openUniqueItem(page, tenant);
  await details(page).getByRole('button', { name: 'Show row' }).click();
  await expect(details(page).getByText('Status', { exact: true })).toBeVisible();
  await sound(page, 'restore sites', { sidebar: true });

  const rows = tenant.getByRole('row').filter({ hasText: title });
  // SharePoint sets the date of a row itself.
  const getFields = async (): Promise<string[][]> =>
    (await getCellTexts(rows)).map((row) => row.split('\t').slice(0, 2));
  const before = await getFields();
  await submit(tenant.getByRole('button', { name: `Delete row: ${title}`, exact: true }));
  await expect(rows).toHaveCount(0);
  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('r');
  const panel = restorePanel(page);
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(TASK);
  await sound(page, 'dry run of a row');
  await panel.getByRole('button', { name: 'Restore 1 item' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeFocused(TASK);
  await tenant.reload();
  expect(await getFields()).toEqual(before);
  await panel.getByRole('button', { name: 'Undo restore' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Restore undone' })).toBeFocused(TASK);
  await tenant.reload();
  await expect(rows).toHaveCount(0);
  expect(errors).toEqual([]);
});

test('RES-40, DL-8: a file of a library that was deleted in the tenant is downloaded, restored and seen there', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openIntranet(page, 'Drawings');
  await page.bringToFront();
  await enter(portal, page, 'm365', SHAREPOINT);
  await node(page, /^Intranet/).click();
  await tree(page).focus();
  for (const name of ['Intranet', 'Content']) {
    await goToNode(page, name);
    await page.keyboard.press('ArrowRight');
  }
  await node(page, /^Drawings/).click();
  await expect(list(page, 'Drawings').getByRole('option').first()).toBeVisible();
  const name = await openUniqueItem(page, tenant);
  const rows = tenant.getByRole('row').filter({ hasText: name });
  // Its name, folder and size. The restore makes another version of it, now.
  const getFile = async (): Promise<string[][]> =>
    (await getCellTexts(rows)).map((row) => row.split('\t').slice(0, 3));
  const before = await getFile();
  await submit(tenant.getByRole('button', { name: `Delete file: ${name}`, exact: true }));
  await expect(rows).toHaveCount(0);

  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('d');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(name);
  expect(before[0]?.[2]?.replace(/\D/g, '')).toBe(String(statSync(await file.path()).size));

  await list(page).focus();
  await page.keyboard.press('r');
  const panel = restorePanel(page);
  await panel.getByRole('button', { name: 'Dry run' }).click();
  await expect(panel.getByText('Will be created.')).toBeVisible(TASK);
  await panel.getByRole('button', { name: 'Restore 1 item' }).click();
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeVisible(TASK);
  await tenant.reload();
  await expect.poll(getFile).toEqual(before);
  expect(errors).toEqual([]);
});

test('RES-40, RES-35, DL-8: on a phone, a library of a subsite is found on a path and downloaded as an archive that another program reads', async ({
  browser,
}) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const page = await context.newPage();
  await enter(portal, page, 'm365', SHAREPOINT);
  await node(page, /^Intranet/).click();
  for (const name of ['Subsites', 'Handbook', 'Content', 'Documents'])
    await page
      .getByRole('list', { name: 'Folders' })
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .click();
  await expect(list(page, 'Documents').getByRole('option').first()).toBeVisible();
  await sound(page, 'a library on a phone');
  await page.getByRole('button', { name: /^Download/ }).click();
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(zip.suggestedFilename()).toMatch(/-library\.zip$/);
  const report = execFileSync('unzip', ['-t', await zip.path()], { encoding: 'utf8' });
  expect(report).toContain('No errors');
  await context.close();
});
