import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { startWithinDay } from './one-day.ts';
import { createKey, getRow, post, openPortal, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { collectErrors, expectActiveOutOfSight, sound } from './page-checks.ts';

const DAY = 86_400_000;
const getDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
let now = 0;
let portal: SharedPortal;

test.beforeEach(async () => {
  now = await startWithinDay();
  portal = await openPortal();
  const secret = await createKey(portal);
  const runs = (job: string, fails: number, bytes: number) =>
    Array.from({ length: 20 }, (_, i) => ({
      job,
      startTime: new Date(now - i * DAY - 60_000).toISOString(),
      endTime: new Date(now - i * DAY - 1_000).toISOString(),
      bytesTransferred: bytes,
      ...(i < fails
        ? { status: 'Failed', message: 'Unable to connect to host sql.example.net: timed out' }
        : i === 6
          ? { status: 'Warning', message: '3 files were skipped' }
          : { status: 'Success' }),
    }));
  await post(portal.url, secret, [
    ...runs('SQL nightly', 3, 4e9),
    ...runs('Mail archive', 1, 9e12),
    ...runs(
      'A job with a name that is much longer than any column could hold at once, and longer still',
      0,
      1e3,
    ),
  ]);
  const send = async (what: string, body: object): Promise<void> => {
    const answer = await fetch(`${portal.url}/api/v1/ingest/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'authorization': `Bearer ${secret}` },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).toBeLessThan(300);
  };
  await send('computers', [{ hostName: 'BARE-01' }, { hostName: 'BARE-02' }]);
  for (let i = 9; i >= 0; i--)
    await send('repositories', [
      {
        name: 'NAS-04',
        uid: 'nas-4',
        capacityBytes: 1e12,
        freeBytes: 5e10 + i * 1e10,
        usedBytes: 95e10 - i * 1e10,
        at: new Date(now - i * DAY).toISOString(),
      },
    ]);
  await send('repositories', [
    { name: 'Tape vault', uid: 'tape', at: new Date(now - 5 * DAY).toISOString() },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

async function opens(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${portal.url}${path}`);
  const opened = page.getByRole('heading', { level: 1, name: title });
  const username = page.getByLabel('Username');
  await expect(opened.or(username)).toBeVisible();
  if (await username.isVisible()) await submitSignIn(page, 'dana', portal.password);
  await expect(opened).toBeVisible();
}

test('TREND-3, TREND-6, PAGE-3: trends are calculated on the device, every figure and bar leads to its results, and longer periods come from the server', async ({
  page,
  context,
}) => {
  const errors = collectErrors(page);
  await opens(page, '/monitoring/analytics/trends?date=last-7', 'Trends');
  await expect(
    page.getByText(/^Calculated on this device · Compared with the previous 7 days$/),
  ).toBeVisible();
  const figure = (title: string) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: title, exact: true }) });
  await expect(figure('Failed')).toContainText('4 runs');
  await expect(figure('Failed')).toContainText('+4');
  await expect(figure('Warnings')).toContainText('3 runs');
  await expect(
    page.getByRole('table', { name: 'Failures and warnings per day' }).getByRole('row'),
  ).toHaveCount(8);
  await sound(page, 'trends');

  const chart = page.getByRole('slider', { name: 'Day of the chart' });
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(chart).toHaveAttribute(
    'aria-valuetext',
    /: 1 failed, 0 warnings; 0 in the previous period$/,
  );
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(
    new RegExp(`from=${getDay(now - DAY)}&to=${getDay(now - DAY)}.*state=Failed,Error,Warning`),
  );
  await expect(getRow(page, 'SQL nightly')).toHaveCount(1);
  await page.goBack();
  await page.getByRole('tab', { name: /^By source/ }).click();
  await expect(page).toHaveURL(/by=source$/);
  await page.getByRole('link', { name: /: 4 failed$/ }).click();
  await expect(page).toHaveURL(/source=/);
  await expect(getRow(page, 'SQL nightly')).toHaveCount(3);
  await page.goBack();

  await page.getByLabel('Days', { exact: true }).selectOption('last-90');
  await expect(
    page.getByText(/^From the server at .*No results in the previous 90 days$/),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Failures and warnings per week' })).toBeVisible();
  await expect(figure('Failed')).toContainText('4 runs');
  expect(errors).toEqual([]);
  await context.route('**/reporting/jobs/analytics**', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: JSON.stringify({
        success: false,
        message: 'x',
        error: { kind: 'server-error', message: 'x' },
      }),
    }),
  );
  await page.goto(`${portal.url}/monitoring/analytics/trends?date=last-200`);
  await expect(
    page.getByText('Error while trying to get the trends, try again later.'),
  ).toBeVisible();
  await context.unroute('**/reporting/jobs/analytics**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(
    page.getByRole('heading', { name: 'Failures and warnings per month' }),
  ).toBeVisible();
  await context.setOffline(true);
  await page.getByLabel('Days', { exact: true }).selectOption('last-year');
  await expect(
    page.getByText(/These days are not on this device\. You're offline. Reconnect/),
  ).toBeVisible();
  await page.getByLabel('Days', { exact: true }).selectOption('last-7');
  await expect(figure('Failed')).toContainText('4 runs');
});

test('TREND-4: rankings by failures, duration and transfer lead to their jobs', async ({
  page,
}) => {
  await opens(page, '/monitoring/rankings', 'Rankings');
  await expect(page.getByText(/^Calculated on this device · 2 jobs$/)).toBeVisible();
  await expect(page.getByRole('row').nth(1)).toContainText(/1\s*SQL nightly.*3$/s);
  await sound(page, 'rankings');
  await page.getByRole('tab', { name: 'Failures' }).focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('row').nth(1)).toContainText('Mail archive');
  await page.getByLabel('Days', { exact: true }).selectOption('last-90');
  await expect(page.getByText(/^From the server/)).toBeVisible();
  await expect(page.getByRole('row').nth(1)).toContainText('Mail archive');
  await page.getByRole('link', { name: /Mail archive/ }).click();
  await expect(getRow(page, 'Mail archive').first()).toBeVisible();
});

test('TREND-7, TREND-9: repositories and computers show their status, and lead to details', async ({
  page,
}) => {
  await opens(page, '/monitoring/repositories', 'Repositories');
  await expect(
    page.getByText(
      '2 repositories · 1 full within 14 days · 1 without recent data · 1 without a size',
    ),
  ).toBeVisible();
  await expect(page.getByRole('row').nth(1)).toContainText(/NAS-04.*95 %.*full in [45] days/s);
  await expect(page.getByRole('row').nth(2)).toContainText(
    /Tape vault.*Not reported.*No data for/s,
  );
  await page.getByRole('button', { name: 'History of NAS-04' }).press('Enter');
  await expect(
    page.getByRole('table', { name: 'Storage used in NAS-04' }).getByRole('row'),
  ).toHaveCount(11);
  await expect(page).toHaveURL(/open=/);
  await sound(page, 'repositories');
  await opens(page, '/monitoring/computers', 'Computers');
  await expect(
    page.getByText(/^\d+ computers: \d+ with a job, 2 without a job, 0 ignored$/),
  ).toBeVisible();
  await sound(page, 'computers');
  await page
    .getByRole('row', { name: /BARE-02/ })
    .getByRole('link', { name: 'No job' })
    .click();
  await expect(
    page
      .getByRole('row', { name: /BARE-02/ })
      .getByRole('button', { name: /Ignore/ })
      .first(),
  ).toBeVisible();
});

test('TREND-5, TREND-8: keys move through the cells of the spreadsheet, it is downloaded, and days that are not on the device come from the server', async ({
  page,
}) => {
  await opens(page, '/monitoring/spreadsheet', 'Spreadsheet report');
  const grid = page.getByRole('grid', { name: 'Days of jobs' });
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  await expect(grid).toHaveAttribute('aria-colcount', '17');
  await expect(page.getByRole('list', { name: 'Totals' })).toContainText(/Failed 4.*Warning 3/s);
  await sound(page, 'spreadsheet');
  await grid.focus();
  await page.keyboard.press('Control+ArrowDown');
  await page.keyboard.press('End');
  const cell = page.locator('[data-cursor]');
  await expect(cell).toHaveText('Failed');
  await page.keyboard.press('Home');
  await expect(cell).toHaveText('Success');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^Spreadsheet_.*\.csv$/);
  await page.getByLabel('Rows', { exact: true }).selectOption('company');
  await expect(page.getByRole('grid', { name: 'Days of companies' })).toHaveAttribute(
    'aria-rowcount',
    '2',
  );
  await page.getByLabel('Rows', { exact: true }).selectOption('job');
  await page.getByLabel('Days', { exact: true }).selectOption('last-90');
  await expect(page.getByText(/^From the server · 3 jobs$/)).toBeVisible();
  await grid.focus();
  await page.keyboard.press('Control+ArrowDown');
  await page.keyboard.press('End');
  await expect(cell).toHaveText('Failed');
  await expectActiveOutOfSight(grid);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(
    new RegExp(`date=${getDay(now)}\\.\\.${getDay(now)}.*q=SQL(?:%20|\\+)nightly`),
  );
  await expect(getRow(page, 'SQL nightly')).toHaveCount(1);
});
