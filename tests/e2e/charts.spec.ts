import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { startWithinDay } from './one-day.ts';
import { createKey, getRow, post, openPortal, signIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { collectErrors } from './page-checks.ts';

const DAY = 86_400_000;
let now = 0;
let portal: SharedPortal;

test.beforeEach(async () => {
  now = await startWithinDay();
  portal = await openPortal();
  const secret = await createKey(portal);
  const runs = (job: string, fails: number, warns: number) =>
    Array.from({ length: 9 }, (_, i) => ({
      job,
      startTime: new Date(now - i * DAY - 60_000).toISOString(),
      endTime: new Date(now - i * DAY - 1_000).toISOString(),
      bytesTransferred: 4e9,
      ...(i < fails
        ? { status: 'Failed', message: 'Unable to connect to host sql.example.net: timed out' }
        : i < fails + warns
          ? { status: 'Warning', message: '3 files were skipped' }
          : { status: 'Success' }),
    }));
  await post(portal.url, secret, [
    ...runs('SQL nightly', 4, 2),
    ...runs('Mail archive', 1, 4),
    ...runs('Files', 0, 1),
  ]);
  for (const [day, usedBytes] of [
    [9, 2e11],
    [4, 5e11],
    [0, 8e11],
  ] as const) {
    const answer = await fetch(`${portal.url}/api/v1/ingest/repositories`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'authorization': `Bearer ${secret}` },
      body: JSON.stringify([
        {
          name: 'NAS-04',
          uid: 'nas-4',
          capacityBytes: 1e12,
          usedBytes,
          freeBytes: 1e12 - usedBytes,
          at: new Date(now - day * DAY).toISOString(),
        },
      ]),
    });
    expect(answer.status, await answer.text()).toBeLessThan(300);
  }
});
test.afterEach(async () => {
  await portal.stop();
});

/** Returns a chart's bars of one fill: values from the left, read off the chart's own scale. */
async function readBars(chart: Locator, fill: string): Promise<readonly number[]> {
  await expect(chart.locator(`${fill} rect`).first()).toBeAttached();
  return chart.locator(fill).evaluate((series) => {
    const drawing = series.closest('svg');
    const lines = [...(drawing?.querySelectorAll('.recharts-cartesian-grid line') ?? [])].map(
      (line) => Number(line.getAttribute('y1')),
    );
    const labels = [...(drawing?.querySelectorAll('.recharts-yAxis text') ?? [])].map((label) =>
      Number(label.textContent),
    );
    const px = Math.max(...lines) - Math.min(...lines);
    return [...series.querySelectorAll('rect')]
      .toSorted((a, b) => Number(a.getAttribute('x')) - Number(b.getAttribute('x')))
      .map((bar) => (Number(bar.getAttribute('height')) / px) * Math.max(...labels));
  });
}

/** Returns a column of a table, its last row first. */
async function readTable(page: Page, name: string, head: string): Promise<readonly number[]> {
  const table = page.getByRole('table', { name });
  const heads = await table.getByRole('columnheader').allTextContents();
  const at = heads.indexOf(head);
  expect(at).toBeGreaterThan(0);
  const cells = await table.locator(`tbody tr td:nth-child(${at + 1})`).allTextContents();
  return cells.map(Number).toReversed();
}

/** Results arrive all the time: both are read again until they are of one moment. */
const expectSame = (
  page: Page,
  chart: Locator,
  { fill, table, head }: { readonly fill: string; readonly table: string; readonly head: string },
): Promise<void> =>
  expect(async () => {
    const bars = await readBars(chart, fill);
    const values = await readTable(page, table, head);
    expect(values.filter((value) => value > 0).length).toBeGreaterThan(1);
    expect(bars.map((value) => Math.round(value * 100) / 100)).toEqual(values);
  }).toPass({ timeout: 60_000 });

const getToken = (page: Page, token: string): Promise<string> =>
  page.evaluate((name) => {
    const probe = document.createElement('i');
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }, token);

test("CHART-1: bars have the values of their chart's table, and each kind has its own fill in both themes", async ({
  page,
}) => {
  const errors = collectErrors(page);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/dashboard`);
  const chart = page.getByRole('slider', { name: 'Day of the chart' });
  await expectSame(page, chart, {
    fill: '.fill-red-500',
    table: 'Results per day',
    head: 'Failed',
  });
  await expectSame(page, chart, {
    fill: '.fill-amber-500',
    table: 'Results per day',
    head: 'Warning',
  });
  await expectSame(page, chart, {
    fill: '.fill-green-500',
    table: 'Results per day',
    head: 'Success',
  });
  const getFill = (series: string) =>
    chart.locator(series).evaluate((one) => {
      const { fill, stroke } = getComputedStyle(one);
      return { fill, stroke };
    });
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    expect((await getFill('.fill-red-500')).fill).toBe(await getToken(page, '--failed-mark'));
    const missed = await getFill('.fill-stone-500');
    expect(missed).toEqual({
      fill: await getToken(page, '--sheet'),
      stroke: await getToken(page, '--missed-mark'),
    });
    const ruled = /^url\("?(#[^")]+)"?\)/.exec((await getFill('.fill-amber-500')).fill)?.[1] ?? '';
    const lines = chart.locator(`pattern[id="${ruled.slice(1)}"] path`);
    expect(await lines.evaluate((one) => getComputedStyle(one).stroke)).toBe(
      await getToken(page, '--warning-mark'),
    );
  }

  await page.goto(`${portal.url}/monitoring/analytics/trends?date=last-7`);
  const trends = page.getByRole('slider', { name: 'Day of the chart' });
  await expectSame(page, trends, {
    fill: '.fill-red-500',
    table: 'Failures and warnings per day',
    head: 'Failed',
  });
  await expectSame(page, trends, {
    fill: '.fill-amber-500',
    table: 'Failures and warnings per day',
    head: 'Warning',
  });
  expect(errors).toEqual([]);
});

/** Returns the boxes of a ranking's bars, from the top. */
const getRanking = (scope: Locator) =>
  scope
    .locator('.ranking > :first-child > * > *')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().toJSON() as DOMRect));

/** The page may still be moving: both are read again until they are of one moment. */
const expectInRows = (scope: Locator, rows: Locator): Promise<void> =>
  expect(async () => {
    const bars = await getRanking(scope);
    const boxes = await rows.evaluateAll((all) =>
      all.map((row) => row.getBoundingClientRect().toJSON() as DOMRect),
    );
    expect(bars.length).toBeGreaterThan(1);
    expect(bars).toHaveLength(boxes.length);
    for (const [i, { top, bottom }] of bars.entries()) {
      expect(top).toBeGreaterThanOrEqual((boxes[i]?.top ?? Infinity) - 1);
      expect(bottom).toBeLessThanOrEqual((boxes[i]?.bottom ?? 0) + 1);
    }
  }).toPass({ timeout: 60_000 });

/** Returns the length of the second bar in percent of the first one. */
async function getSecondShare(scope: Locator): Promise<number> {
  const [first, second] = await getRanking(scope);
  return Math.round((100 * (second?.width ?? 0)) / (first?.width ?? 1));
}

test('CHART-1: bars of a ranking have the lengths of its values, each in its own row', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/dashboard`);
  const section = page.getByRole('region', { name: 'Most failures' });
  await expect.poll(() => getSecondShare(section)).toBe(25);
  await expectInRows(section, section.getByRole('listitem'));

  await page.goto(`${portal.url}/monitoring/rankings`);
  const table = page.getByRole('table');
  await expect.poll(() => getSecondShare(table)).toBe(25);
  await expectInRows(table, table.locator('tbody tr'));
  await expect(table.getByRole('row').nth(2)).toContainText('25 %');
});

test('CHART-2: the library loads only with a chart, nothing moves when it arrives, and bars have their height at once', async ({
  page,
}) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/bar-drawing-[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await signIn(page, portal.url, 'admin', portal.password);
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  expect(loaded.filter((path) => /-drawing-|spark-line/.test(path))).toEqual([]);

  await page.goto(`${portal.url}/monitoring/analytics/trends?date=last-7`);
  const chart = page.getByRole('slider', { name: 'Day of the chart' });
  const tabs = page.getByRole('tablist', { name: 'Group by' });
  await expect(chart).toBeVisible();
  await expect.poll(() => loaded.some((path) => path.includes('bar-drawing'))).toBe(true);
  const bars = chart.locator('.fill-red-500 rect');
  await expect(bars).toHaveCount(0);
  // All that is above the chart has arrived.
  await expect(
    page.getByRole('table', { name: 'Failures and warnings per day' }).getByRole('row'),
  ).toHaveCount(8);
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
  const before = [await chart.boundingBox(), await tabs.boundingBox()];
  // Already without a drawing, the chart works by keyboard.
  await chart.focus();
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuenow', '1');
  const heights = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const seen = new Set<string>();
        let frames = 0;
        const look = (): void => {
          const drawn = [...document.querySelectorAll('.fill-red-500 rect')];
          if (drawn.length > 0) {
            seen.add(drawn.map((bar) => bar.getAttribute('height')).join());
            frames += 1;
          }
          if (frames < 60) requestAnimationFrame(look);
          else resolve([...seen]);
        };
        look();
      }),
  );
  held.resolve();
  await expect(bars).toHaveCount(7);
  expect(await heights).toHaveLength(1);
  expect([await chart.boundingBox(), await tabs.boundingBox()]).toEqual(before);
});

test('CHART-3: the history of a repository is read by keyboard day by day, and its line goes through the sizes', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/repositories`);
  await page.getByRole('button', { name: 'History of NAS-04' }).click();
  const chart = page.getByRole('slider', { name: 'Day of the history of NAS-04' });
  await expect(chart).toHaveAttribute('aria-valuetext', /Used: 800 GB\. Capacity: 1 TB\.$/);
  await chart.focus();
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuetext', /Used: 200 GB\. Capacity: 1 TB\.$/);
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute(
    'aria-valuetext',
    /Used: Not reported\. Capacity: Not reported\.$/,
  );
  await page.keyboard.press('End');
  await expect(chart).toHaveAttribute('aria-valuenow', '10');
  // The ends of the line and its one corner: 200, 500 and 800 of a scale to 1,000, five and four days
  // apart.
  const line = chart.locator('.stroke-gray-500 .recharts-area-curve');
  const readPoints = () =>
    line.evaluate((path) =>
      [...(path.getAttribute('d') ?? '').matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => ({
        x: Number(x),
        y: Number(y),
      })),
    );
  await expect.poll(readPoints).toHaveLength(3);
  const points = await readPoints();
  const [a, b, c] = points.map(({ x }) => x);
  const [high, middle, low] = points.map(({ y }) => y);
  expect(((b ?? 0) - (a ?? 0)) / ((c ?? 0) - (b ?? 0))).toBeCloseTo(5 / 4, 2);
  expect(((high ?? 0) - (middle ?? 0)) / ((middle ?? 0) - (low ?? 0))).toBeCloseTo(1, 2);
});
