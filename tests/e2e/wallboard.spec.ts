import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { createKey, post, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { axe, collectErrors } from './page-checks.ts';

let portal: Portal;
let secret: string;
test.beforeEach(async () => {
  portal = await startPortal();
  secret = await createKey(portal);
  await post(portal.url, secret, [
    {
      job: 'SQL nightly',
      status: 'Failed',
      message: 'Unable to connect to host sql.example.net: timed out',
    },
    { job: 'Files nightly', status: 'Warning', message: '3 files were skipped' },
    { job: 'Mail archive', status: 'Success' },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

async function enter(page: Page, username = 'dana'): Promise<void> {
  await page.goto(`${portal.url}/monitoring/wall`);
  await submitSignIn(page, username, portal.password);
  await expect(page.getByText('Needs attention', { exact: true })).toBeVisible();
}
const figure = (page: Page, word: string): Locator =>
  page
    .locator('.wall-figures > div')
    .filter({ has: page.getByText(word, { exact: true }) })
    .locator('dd');
const places = (page: Page): Promise<string[]> =>
  page.locator('.wall-figures > div, .wall-needs, .wall-foot, .wall-clock').evaluateAll((all) =>
    all.map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [x, y, width, height].map(Math.round).join(' ');
    }),
  );

test('WALL-1, WALL-2, WALL-4: the wallboard updates automatically, nothing moves, it says when its data are old, and Esc leaves', async ({
  page,
}) => {
  await enter(page);
  await expect(figure(page, 'Failed')).toHaveText('1');
  await expect(figure(page, 'To check')).toHaveText(/^2\s*of 2$/);
  await expect(page.locator('.wall-data b')).toHaveText('Live');
  await expect(
    page.getByRole('listitem').filter({ hasText: 'Unable to connect to host' }),
  ).toContainText('SQL nightly');
  const before = await places(page);
  await post(portal.url, secret, [
    { job: 'Web nightly', status: 'Failed', message: 'No space left on device' },
  ]);
  await expect(figure(page, 'Failed')).toHaveText('2');
  await expect(page.getByRole('listitem').filter({ hasText: 'Web nightly' })).toBeVisible();
  const seconds = page.locator('.wall-clock small');
  const tick = await seconds.textContent();
  await expect(seconds).not.toHaveText(tick ?? '');
  expect(await places(page)).toEqual(before);
  await portal.kill();
  await expect(page.locator('.wall-data b')).toHaveText(/^Offline since/, { timeout: 60_000 });
  await expect(figure(page, 'Failed')).toHaveText('2');
  expect(await places(page)).toEqual(before);
  await portal.start();
  await expect(page.locator('.wall-data b')).toHaveText('Live', { timeout: 70_000 });
  const isFull = (): Promise<boolean> => page.evaluate(() => document.fullscreenElement !== null);
  await page.keyboard.press('f');
  await expect.poll(isFull).toBe(true);
  await page.keyboard.press('f');
  await expect.poll(isFull).toBe(false);
  // Not waited for, each turn still goes on from the one before.
  for (let times = 0; times < 3; times++) await page.keyboard.press('f');
  await expect.poll(isFull).toBe(true);
  await page.keyboard.press('f');
  await expect.poll(isFull).toBe(false);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/monitoring\/daily-checks/);
});

test("WALL-4, FRAME-2: the palette opens the wallboard, which has its own theme, and the page's theme returns afterwards", async ({
  browser,
}) => {
  const context = await browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  await enter(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog').getByRole('combobox');
  await expect(palette).toBeFocused();
  await palette.fill('wall');
  await expect(page.getByRole('option', { name: /Wallboard/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/monitoring\/wall$/);
  await expect(page.getByText('Needs attention', { exact: true })).toBeVisible();
  await page.keyboard.press('d');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.getByText('Needs attention', { exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await context.close();
});

test('E2E-7, E2E-9: the wallboard passes axe in both themes, on a phone too', async ({ page }) => {
  const errors = collectErrors(page);
  await enter(page, 'rita');
  for (const size of [
    { width: 1920, height: 1080 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(size.width);
    for (const theme of ['dark', 'light'] as const) {
      await page.keyboard.press('d'); // its light is its own
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      await axe(page, `${size.width}, ${theme}`);
    }
  }
  expect(errors).toEqual([]);
});
