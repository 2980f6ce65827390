import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { loadApi, createKey, post, getRow, signIn, openPortal } from './portal.ts';
import type { SharedPortal, Result } from './portal.ts';
import { axe, axeInBoth, expectTouchable } from './page-checks.ts';

let portal: SharedPortal;
let secret: string;
const DAY = 86_400_000;
const HOUR = 3_600_000;
const LONG =
  'A machine whose name is much longer than the panel is wide, as people give them when a project, a place and an owner must all be in it';
const REFUSED = 'Unable to connect to host farm.example.net: refused';
const getEnd = (box: { x: number; width: number } | null): number =>
  box ? box.x + box.width : Infinity;
const iso = (at: number): string => new Date(at).toISOString();

const objects = Array.from({ length: 12 }, (_, i) => ({
  name: i === 9 ? LONG : `VM-${String(i + 1).padStart(2, '0')}`,
  status: i === 9 ? 'Failed' : i === 4 ? 'Warning' : 'Success',
  startTime: iso(Date.now() - HOUR),
  durationSec: 60 + i,
  bytesTransferred: 1e9 * (i + 1),
  ...(i === 9 ? { message: 'No route to this machine' } : {}),
}));

/** A job that went well for some nights, and then did not. */
const nights = (job: string, last: object): Result[] => [
  ...Array.from({ length: 9 }, (_, i) => ({
    job,
    status: 'Success',
    bytesTransferred: 9e9 + i * 1e8,
    startTime: iso(Date.now() - (10 - i) * DAY),
    endTime: iso(Date.now() - (10 - i) * DAY + HOUR / 2),
  })),
  {
    job,
    status: 'Failed',
    message: REFUSED,
    startTime: iso(Date.now() - HOUR),
    endTime: iso(Date.now() - HOUR / 2),
    ...last,
  },
];

test.beforeEach(async () => {
  portal = await openPortal();
  secret = await createKey(portal);
  await post(portal.url, secret, [
    ...nights('VM farm', { tasks: objects, log: 'start\nerror: no route\n' }),
    ...nights('Plain files', { log: 'start\nerror: refused\n' }),
    {
      job: 'Old trouble',
      status: 'Failed',
      message: REFUSED,
      startTime: iso(Date.now() - 2 * DAY),
      endTime: iso(Date.now() - 2 * DAY + 1_000),
    },
    {
      job: 'Old trouble',
      status: 'Failed',
      message: REFUSED,
      startTime: iso(Date.now() - 2 * HOUR),
      endTime: iso(Date.now() - HOUR),
    },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

const panel = (page: Page) => page.getByRole('complementary', { name: 'Job result' });

/** The list beside it is judged with the other screens. */
const PANEL = { only: '.rp' };

test('TASK-1, PANEL-1, E2E-7: a run lists its objects, worst first, eight and then all, in both themes', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await getRow(page, 'VM farm').click();
  const list = panel(page)
    .getByRole('listitem')
    .filter({ hasText: /VM-|machine/ });
  await expect(panel(page).getByText('11 of 12 done, 1 failed, 1 with a warning')).toBeVisible();
  await expect(list).toHaveCount(8);
  await expect(list.first()).toContainText(/^Failed.*No route to this machine$/);
  await expect(list.nth(1)).toContainText(/^Warning.*VM-05/);
  await expect
    .poll(() => panel(page).evaluate((at) => at.scrollWidth <= at.clientWidth))
    .toBe(true);
  await panel(page).getByRole('button', { name: 'Show all 12 objects' }).click();
  await expect(list).toHaveCount(12);
  await axeInBoth(page, 'objects', PANEL);
  await panel(page).getByRole('button', { name: 'As a table' }).click();
  await expect(panel(page).getByRole('table', { name: 'Last runs' })).toBeVisible();
  await axeInBoth(page, 'table', PANEL);
  await page.keyboard.press('Escape');
  await getRow(page, 'Plain files').click();
  await expect(panel(page).getByText('error: refused')).toBeVisible();
  await expect(panel(page).getByRole('heading', { name: 'Objects' })).toHaveCount(0);
});

test('PANEL-4: keys reach a point of the chart and open its run, the table does too, and Back returns to the run before', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await getRow(page, 'VM farm').click();
  await expect(panel(page).getByRole('heading', { name: 'Last 10 runs' })).toBeVisible();
  const chart = panel(page).getByRole('slider', { name: /^Transferred of 10 runs, 1 failed/ });
  // All of the panel, whose scroll bar takes some of the chart's width.
  await expect(panel(page).getByText('No route to this machine')).toBeVisible();
  await expect(panel(page).getByText('error: no route')).toBeVisible();
  await chart.focus();
  await expect(chart).toHaveAttribute('aria-valuenow', '10');
  const loadWidth = async (): Promise<number> => (await chart.boundingBox())?.width ?? 0;
  const wide = await loadWidth();
  await page.keyboard.press('ArrowLeft');
  await expect(chart).toHaveAttribute('aria-valuetext', /Success, 9.8 GB$/);
  const first = page.url();
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(first);
  await expect(panel(page).getByText('not in the list')).toBeVisible();
  await expect(panel(page).getByText('No problems reported')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(first);
  await expect(panel(page).getByText('No route to this machine')).toBeVisible();

  await panel(page).getByRole('button', { name: 'As a table' }).click();
  const rows = panel(page).getByRole('table', { name: 'Last runs' }).getByRole('row');
  await expect(rows).toHaveCount(11);
  await expect(rows.nth(1)).toContainText(/Failed30 min–$/);
  await rows.nth(3).getByRole('button').click();
  await expect(panel(page).getByText('not in the list')).toBeVisible();
  await panel(page).getByRole('button', { name: 'As a chart' }).click();
  // A press at its right end, once it stands there again.
  await expect.poll(loadWidth).toBe(wide);
  await chart.click({ position: { x: wide - 3, y: 10 } });
  await expect(page).toHaveURL(first);
});

test('PANEL-3, PANEL-5, RUN-6: the history says who did what and when, and the same failure on the next day is known', async ({
  page,
}) => {
  const api = await loadApi(portal, 'dana');
  const { problems } = (await api('GET', 'sync/bootstrap')) as {
    problems: { lastRun: number; runs: number }[];
  };
  const old = problems.find(({ runs }) => runs === 2)?.lastRun;
  const change = (what: object): Promise<unknown> =>
    api('PUT', `monitoring/backoffice/jobExecutions/${old}`, { change: what });
  await change({ kind: 'ticket', ticket: '#48213' });
  await change({ kind: 'review', comment: 'the host is being moved' });
  await post(portal.url, secret, [
    {
      job: 'Old trouble',
      status: 'Failed',
      message: REFUSED,
      startTime: iso(Date.now() + 5_000),
      endTime: iso(Date.now() + 6_000),
    },
  ]);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/daily-checks?review=cleared`);
  await getRow(page, 'Old trouble').click();
  const head = panel(page).getByText(/^Known, day [2-4]\. Reviewed \d\d:\d\d [AP]M by Dana Reyes$/);
  await expect(head).toBeVisible();
  await expect(panel(page).getByRole('definition').filter({ hasText: '#48213' })).toBeVisible();
  const history = panel(page)
    .getByRole('listitem')
    .filter({ hasText: /Dana Reyes|Problem started/ });
  await expect(history).toContainText([
    /^Dana Reyes reviewed it.*the host is being moved$/,
    /^Dana Reyes linked ticket #48213/,
    /^Problem started/,
  ]);
  await axe(page, 'history', PANEL);
});

test('PANEL-2, OFF-5: offline, each part of the panel that needs the network says so, and loads after reconnecting', async ({
  page,
  context,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await getRow(page, 'Plain files').click();
  await expect(panel(page).getByText('error: refused')).toBeVisible();
  await context.setOffline(true);
  await getRow(page, 'VM farm').click();
  await expect(panel(page).getByText("You're offline. Reconnect and try again.")).toBeVisible();
  await expect(
    panel(page).getByText("You're offline. Reconnect to see the objects."),
  ).toBeVisible();
  await expect(
    panel(page).getByText("You're offline. Reconnect to see the history."),
  ).toBeVisible();
  // Its other runs are on this device.
  await panel(page)
    .getByRole('slider', { name: /^Duration/ })
    .focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByText('No problems reported')).toBeVisible();
  await page.goBack();
  // What was read before is told again, with its time.
  await getRow(page, 'Plain files').click();
  await expect(panel(page).getByText('error: refused')).toBeVisible();
  await expect(
    panel(page).getByText(/^The details below are from .*You're offline. Reconnect/),
  ).toBeVisible();
  await getRow(page, 'VM farm').click();
  await expect(panel(page).getByText("You're offline. Reconnect and try again.")).toBeVisible();
  await context.setOffline(false);
  await expect(panel(page).getByText('error: no route')).toBeVisible({ timeout: 70_000 });
  await expect(panel(page).getByText('No route to this machine')).toBeVisible();
});

test('PANEL-1, E2E-7: on a phone the sheet shows objects, chart and table, and every control is large enough to touch', async ({
  browser,
}) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await signIn(page, portal.url, 'admin', portal.password);
  await getRow(page, 'VM farm').click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Show all 12 objects' }).tap();
  await expect(sheet.getByText(LONG)).toBeVisible();
  for (const name of ['Show fewer', 'As a table'])
    await expectTouchable(sheet.getByRole('button', { name }));
  await sheet.getByRole('button', { name: 'As a table' }).tap();
  await expect(sheet.getByRole('table', { name: 'Last runs' })).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await axe(page, 'phone', PANEL);
  await context.close();
});

test('DAY-23: no row moves when a result opens beside the list, or when new ones arrive under the mouse, at 1,440 and 1,280 px', async ({
  browser,
}) => {
  for (const width of [1440, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await signIn(page, portal.url, 'admin', portal.password);
    const row = getRow(page, 'Plain files');
    const loadTop = async (): Promise<number | undefined> => (await row.boundingBox())?.y;
    await expect(page.getByRole('button', { name: 'Hand over' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
    await expect(row).toBeVisible();
    await row.hover(); // somebody is at the rows: what comes waits
    const top = await loadTop();
    await post(portal.url, secret, [
      {
        job: `Came at ${width}`,
        status: 'Failed',
        message: REFUSED,
        startTime: iso(Date.now() - 2_000),
        endTime: iso(Date.now() - 1_000),
      },
    ]);
    await expect(page.getByRole('button', { name: /^\d+ new, press/ })).toBeVisible();
    await expect.poll(loadTop, `${width} px, new ones wait`).toBe(top);
    await row.click();
    await expect(panel(page).getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
    await expect.poll(loadTop, `${width} px, beside the panel`).toBe(top);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1000, height: 800 });
    const ring = page.locator('header').getByText(/ cleared$/);
    const search = page.getByRole('searchbox');
    await expect
      .poll(
        async () =>
          getEnd(await ring.boundingBox()) <= ((await search.boundingBox()) ?? { x: 0 }).x,
      )
      .toBe(true);
    await context.close();
  }
});

test('DAY-24: a ticket number that is too long shows its end', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page, portal.url, 'admin', portal.password);
  await getRow(page, 'Plain files').click();
  await panel(page)
    .getByRole('button', { name: /^Ticket/ })
    .click();
  await page.getByRole('button', { name: 'Link an existing ticket' }).click();
  await page.getByLabel('Ticket number').fill('T20261119.0107');
  await page.keyboard.press('Enter');
  const cell = getRow(page, 'Plain files').locator('.dc-tk');
  await expect(cell).toHaveText('T20261119.0107');
  await expect(async () => {
    const edges = await cell.evaluate((at) => ({
      ends: at.getBoundingClientRect().right,
      last: at.firstElementChild?.getBoundingClientRect().right,
      cut: at.scrollWidth > at.clientWidth,
    }));
    expect(edges.cut).toBe(true);
    expect(edges.last).toBeLessThanOrEqual(edges.ends + 0.5);
  }).toPass({ timeout: 30_000 });
  await context.close();
});
