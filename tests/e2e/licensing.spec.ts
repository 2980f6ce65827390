import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { keyOf, post, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { sound } from './sound.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
  await post(portal.url, await keyOf(portal), [{ job: 'Files nightly', status: 'Success', computer: 'SRV-1' }, { job: 'Mail nightly', status: 'Failed', message: 'refused', computer: 'srv-1' }, { job: 'Web nightly', status: 'Success', computer: 'SRV-2' }]);
});
test.afterAll(async () => { await portal.stop(); });

const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => { if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` }); };

test('LIC-4, LIC-1, E2E-7: the month by company, what was used, the month before, a file, and all of it once more without the server', async ({ page }) => {
  await page.goto(`${portal.url}/monitoring/licensing`);
  await page.getByLabel('Username').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill(portal.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('rowheader', { name: 'First company' })).toBeVisible();
  await expect(page.getByRole('row', { name: /Monitored here, Other 2 Computers/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Monitored here, Other 3 Jobs/ })).toBeVisible();
  await sound(page, 'licensing');
  await shot(page, 'licensing');
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  expect(file.suggestedFilename()).toMatch(/^Licensing_/);
  expect(readFileSync(await file.path(), 'utf8')).toContain('First company,Daybook,Other,Computers,2,');
  await page.getByLabel('Month').selectOption({ index: 1 });
  await expect(page.getByRole('heading', { level: 2, name: 'Nothing was used in this month' })).toBeVisible();
  await sound(page, 'an empty month');
  await page.getByLabel('Month').selectOption({ index: 0 });
  await page.getByRole('searchbox', { name: 'Search companies and products' }).fill('no such thing');
  await expect(page.getByRole('heading', { level: 2, name: 'Nothing matches' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search companies and products' }).fill('');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'licensing-phone');
  await portal.kill();
  await expect(page.getByText('Without the network this is as it was told last', { exact: false })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('row', { name: /Monitored here, Other 3 Jobs/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeDisabled();
});
