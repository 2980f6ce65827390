import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { createKey, post, getRow, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';

let portal: SharedPortal;
const ended = (job: string, status: string, hours: number, message?: string) => {
  const at = Date.now() - hours * 3_600_000;
  return {
    job,
    status,
    startTime: new Date(at - 600_000).toISOString(),
    endTime: new Date(at).toISOString(),
    ...(message === undefined ? {} : { message }),
  };
};
test.beforeEach(async () => {
  portal = await openPortal();
  await post(portal.url, await createKey(portal), [
    ended('Files nightly', 'Success', 30),
    ended('Files nightly', 'Failed', 2, 'No space left on device'),
    ended('Mail nightly', 'Success', 3),
    ended('Web nightly', 'Warning', 4, '2 files were skipped'),
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('SLA-5, E2E-7: a failed result leads to an alarm for its job, which is broken; the report names its formula, opens what it counts, and is downloaded', async ({
  page,
}) => {
  await signIn(page, portal.url, 'dana', portal.password);
  await getRow(page, 'Files nightly').click();
  await page.getByRole('link', { name: 'Create SLA alarm for this job' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New alarm' })).toBeFocused();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(
    'Files nightly, First company',
  );
  await page.getByLabel('Maximum backup age (hours)').fill('');
  await page.getByRole('button', { name: 'Create alarm' }).click();
  await expect(
    page.getByText('Enter a maximum backup age, a success rate, or both.'),
  ).toBeVisible();
  await page.getByLabel('Maximum backup age (hours)').fill('26');
  await page.getByLabel('Users').selectOption({ label: 'Dana Reyes' });
  await sound(page, 'alarm');
  await shot(page, 'sla-editor');
  await page.getByRole('button', { name: 'Create alarm' }).click();
  const alarm = page.getByRole('listitem').filter({ hasText: 'Good backup every 26 hours' });
  await expect(alarm).toContainText('Target missed');
  await expect(alarm).toContainText('Too old');
  await expect(alarm).toContainText('Emails 1 user');
  await page.getByRole('button', { name: 'New alarm' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Everything, most of the time');
  await page.getByLabel('Maximum backup age (hours)').fill('');
  await page.getByLabel('Minimum success rate (%)').fill('60');
  await page.getByRole('button', { name: 'Create alarm' }).click();
  await expect(
    page.getByRole('listitem').filter({ hasText: 'Everything, most of the time' }),
  ).toContainText('75.0 % good');
  await sound(page, 'alarms');
  await shot(page, 'sla-alarms');

  await page.getByRole('tab', { name: 'Report' }).click();
  await expect(page.getByText('75.0 % good out of 4 results')).toBeVisible();
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText('Files nightly');
  await expect(first).toContainText('50.0 %');
  await expect(first).toContainText('No');
  await sound(page, 'report');
  await shot(page, 'sla-report');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^SLA_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect([
    lines.length,
    lines[1]?.startsWith('First company,Files nightly,1,2,1,0,1,0,50,'),
  ]).toEqual([4, true]);
  await page.getByLabel('Group by', { exact: true }).selectOption('company');
  await page.getByRole('link', { name: 'First company' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  await expect(getRow(page, 'Mail nightly').first()).toBeVisible();
  await page.goBack();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText('75.0 % good out of 4 results')).toBeVisible();
  await sound(page, 'report on a phone');
  await shot(page, 'sla-report-phone');
  await page.getByRole('tab', { name: 'Alarms' }).click();
  await shot(page, 'sla-alarms-phone');
  await page.getByRole('button', { name: /Files nightly, First company/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete alarm' }).click();
  await expect(
    page.getByRole('listitem').filter({ hasText: 'Good backup every 26 hours' }),
  ).toHaveCount(0);
});
