import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { startWithinDay } from './one-day.ts';
import { createKey, getRow, post, openPortal, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { axe, axeInBoth, collectErrors } from './page-checks.ts';

const DAY = 86_400_000;
let now = 0;
let portal: SharedPortal;
test.beforeEach(async () => {
  now = await startWithinDay();
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

async function begin(page: Page, username = 'admin'): Promise<void> {
  await page.goto(portal.url);
  await submitSignIn(page, username, portal.password);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page).toHaveURL(/\/monitoring\/dashboard$/);
}

const getDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
const figure = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Figures' }).getByRole('listitem').filter({ hasText: title });
const section = (page: Page, title: string | RegExp) => page.getByRole('region', { name: title });

test('DASH-9: without any result, the dashboard says why and what to do', async ({ page }) => {
  await begin(page, 'dana');
  await expect(page.getByRole('heading', { name: 'No results yet' })).toBeVisible();
  await expect(page.getByText(/Ask an administrator to connect one\.$/)).toBeVisible();
  await axe(page, 'empty');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
  await begin(page);
  await expect(section(page, 'First steps')).toContainText('Connect a source');
  await expect(page.getByRole('list', { name: 'Figures' })).toBeHidden();
  await axe(page, 'first steps');
  await page.getByRole('link', { name: 'Connect a source' }).last().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Connect a source' })).toBeVisible();
});

const runs = (job: string, fails: number, entityGroup: string) =>
  Array.from({ length: 9 }, (_, i) => ({
    job,
    entityGroup,
    startTime: new Date(now - i * DAY - 60_000).toISOString(),
    endTime: new Date(now - i * DAY - 1_000).toISOString(),
    bytesTransferred: 4e9,
    ...(i < fails
      ? { status: 'Failed', message: 'Unable to connect to host sql.example.net: timed out' }
      : { status: 'Success' }),
  }));

/** Three jobs of nine days with three failures in all, two computers and a repository. */
async function postResults(): Promise<void> {
  const secret = await createKey(portal);
  await post(portal.url, secret, [
    ...runs('SQL nightly', 2, 'managed-servers'),
    ...runs('Mail archive', 1, 'office365'),
    ...runs('Files', 0, 'managed-servers'),
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
}

test('DASH-2, DASH-5, DASH-6, DASH-7, DASH-8: the dashboard shows its figures, and every line opens what it counts', async ({
  page,
}) => {
  await postResults();
  await begin(page);
  await expect(figure(page, 'Failed')).toContainText('3 runs');
  await expect(figure(page, 'Unprotected computers')).toContainText('2 computers');
  await expect(section(page, 'Repositories filling up')).toContainText(/NAS-04.*full in [45] days/);
  await expect(section(page, 'Needs attention')).toContainText('2 jobs');
  await expect(section(page, 'Needs attention')).toContainText('Repository NAS-04 full in');
  await expect(section(page, 'Last sync')).toContainText(/API.*Succeeded/);

  await figure(page, 'Failed').getByRole('link', { name: 'Failed' }).click();
  await expect(page).toHaveURL(
    ({ pathname, searchParams }) =>
      pathname.endsWith('/daily-checks') &&
      searchParams.get('from') === getDay(now - 6 * DAY) &&
      searchParams.get('to') === getDay(now) &&
      searchParams.get('instructionType') === 'all' &&
      searchParams.get('state') === 'Failed,Error',
  );
  await expect(getRow(page, 'SQL nightly')).toHaveCount(2);
  await expect(getRow(page, 'Mail archive')).toHaveCount(1);
  await page.goBack();

  await page
    .getByRole('list', { name: 'Entity groups' })
    .getByRole('link', { name: /^Microsoft 365/ })
    .click();
  await expect(page).toHaveURL(/instructionType=office365/);
  await expect(getRow(page, 'Mail archive')).toHaveCount(7);
  await expect(getRow(page, 'SQL nightly')).toHaveCount(0);
  await page.goBack();

  await page.getByRole('link', { name: /^Open group: Unable to connect/ }).click();
  await expect(getRow(page, 'SQL nightly')).toHaveCount(1);
  await expect(getRow(page, 'Files')).toHaveCount(0);
  await page.goBack();

  const chart = page.getByRole('slider', { name: 'Day of the chart' });
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(chart).toHaveAttribute(
    'aria-valuetext',
    /: 1 failed, 0 did not run, 0 warnings, 2 succeeded$/,
  );
  await expect(page.getByRole('table', { name: 'Results per day' }).getByRole('row')).toHaveCount(
    31,
  );
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`from=${getDay(now - DAY)}&to=${getDay(now - DAY)}`));
  await page.goBack();

  await section(page, 'Most failures')
    .getByRole('button', { name: /SQL nightly/ })
    .click();
  await expect(page).toHaveURL(/job=\d+/);
  await expect(getRow(page, 'SQL nightly')).toHaveCount(7);
  await page.goBack();

  await figure(page, 'Unprotected computers').getByRole('link').click();
  await expect(page.getByText('BARE-02')).toBeVisible();
});

test('DASH-1, DASH-9: the address stores the days of each figure, and a period without results says so', async ({
  page,
}) => {
  await postResults();
  await begin(page);
  await page.getByLabel('Days of Failed').selectOption('last-30');
  await expect(page).toHaveURL(/failed-date=last-30$/);
  await page.reload();
  await expect(page.getByLabel('Days of Failed')).toHaveValue('last-30');
  await expect(figure(page, 'Failed').getByRole('link')).toHaveAttribute(
    'href',
    new RegExp(`from=${getDay(now - 29 * DAY)}`),
  );
  await page.goto(`${portal.url}/monitoring/dashboard?date=2020-01-01..2020-01-02`);
  await expect(page.getByRole('heading', { name: 'No results in this period' })).toBeVisible();
  await page.getByRole('button', { name: 'Show last 30 days' }).click();
  await expect(figure(page, 'Failed')).toContainText('3 runs');
});

test('DASH-10: the days of a figure are chosen by keyboard as a range or a number, and an empty day changes nothing', async ({
  page,
}) => {
  await postResults();
  await begin(page);
  const days = page.getByLabel('Days of Failed');
  const dialog = page.getByRole('dialog');
  await days.selectOption('range');
  await expect(dialog.getByLabel('First day')).toBeFocused();
  await dialog.getByLabel('First day').fill('2026-01-05');
  await dialog.getByLabel('Last day').fill('2026-01-09');
  await axe(page, 'days of a figure');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/failed-date=2026-01-05\.\.2026-01-09/);
  await expect(days).toHaveValue('2026-01-05..2026-01-09');
  await expect(figure(page, 'Failed')).toContainText('5 d');
  const request = new URL(
    (await figure(page, 'Failed').getByRole('link', { name: 'Failed' }).getAttribute('href')) ?? '',
    portal.url,
  ).searchParams;
  expect([request.get('from'), request.get('to'), request.get('instructionType')]).toEqual([
    '2026-01-05',
    '2026-01-09',
    'all',
  ]);
  const before = page.url();
  await days.selectOption('range');
  await dialog.getByLabel('Last day').fill('');
  await dialog.getByRole('button', { name: 'Show days' }).click();
  await expect(dialog).toHaveCount(0);
  await days.selectOption('number');
  await expect(dialog.getByLabel('Number of days, including today')).toBeVisible();
  expect(page.url()).toBe(before);
  await dialog.getByLabel('Number of days, including today').fill('');
  await dialog.getByLabel('Number of days, including today').pressSequentially('1x2345');
  await expect(dialog.getByLabel('Number of days, including today')).toHaveValue('123');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/failed-date=last-123/);
  await expect(figure(page, 'Failed')).toContainText('123 d');
  await days.selectOption('');
  await expect(page).not.toHaveURL(/failed-date/);
});

test('E2E-7, E2E-9: the dashboard passes axe in both themes and fits a phone', async ({ page }) => {
  const errors = collectErrors(page);
  await postResults();
  await begin(page);
  await expect(page.locator('.spark .recharts-curve').first()).toBeVisible();
  await axeInBoth(page, 'dashboard', { sidebar: true });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await expect
    .poll(() => page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth))
    .toBe(0);
  await axeInBoth(page, 'phone');
  expect(errors).toEqual([]);
});

test('DASH-9, OFF-5: offline, the figures stay, and what only the server knows says why it is missing', async ({
  page,
  context,
}) => {
  await postResults();
  await begin(page, 'rita');
  await expect(figure(page, 'Failed')).toContainText('3 runs');
  await expect(section(page, 'Last sync')).toContainText('Succeeded');
  const away = async (): Promise<void> => {
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Daily checks/ })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  };
  await away();
  await page.goBack();
  await context.setOffline(true);
  await away();
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Dashboard' })
    .click();
  await expect(figure(page, 'Failed')).toContainText('3 runs');
  await expect(section(page, 'Repositories filling up')).toContainText(UNANSWERED);
  await expect(section(page, 'Last sync')).toContainText('Succeeded');
  await context.setOffline(false);
  // A page that knew that it was offline has requested it again by now.
  const filling = section(page, 'Repositories filling up');
  const again = filling.getByRole('button', { name: 'Try again' });
  await expect(async () => {
    if (await again.isVisible()) await again.click({ timeout: 5_000 });
    await expect(filling).not.toContainText(UNANSWERED, { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
});

/** Until the portal knows that there is no network, and after that. */
const UNANSWERED =
  /No response received from server\. Try again later\.|You're offline\. Reconnect and try again\./;
