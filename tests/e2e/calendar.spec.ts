import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { startWithinDay } from './one-day.ts';
import { createKey, post, openPortal, submitSignIn } from './portal.ts';
import type { SharedPortal, Result } from './portal.ts';
import { axeInBoth, collectErrors, expectActiveOutOfSight, focusSearch } from './page-checks.ts';

const DAY = 86_400_000;
const AT = '/monitoring/calendar-report';
let portal: SharedPortal;

test.beforeEach(async () => {
  const now = await startWithinDay();
  portal = await openPortal();
  const secret = await createKey(portal);
  const night = (job: string, ago: number, more: Partial<Result> = {}): Result => ({
    job,
    status: 'Success',
    startTime: new Date(now - ago * DAY - 3_000).toISOString(),
    endTime: new Date(now - ago * DAY - 1_000).toISOString(),
    ...more,
  });
  await post(portal.url, secret, [
    ...Array.from({ length: 10 }, (_, i) => night('Accounts nightly', i)),
    ...Array.from({ length: 10 }, (_, i) =>
      night(
        'SQL nightly',
        i,
        i === 0
          ? { status: 'Failed', message: 'Unable to connect to host sql.example.net: timed out' }
          : {},
      ),
    ),
    ...Array.from({ length: 5 }, (_, i) =>
      night(
        'Web nightly',
        i,
        i === 2 ? { status: 'Warning', message: '3 files were skipped' } : {},
      ),
    ),
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

async function enter(page: Page, query = '', username = 'dana'): Promise<void> {
  await page.goto(`${portal.url}${AT}${query}`);
  await submitSignIn(page, username, portal.password);
  await expect(page.getByRole('heading', { level: 1, name: 'Calendar view' })).toBeVisible();
}
const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Results by job and day' });
const getLine = (page: Page, job: string): Locator =>
  grid(page).getByRole('row').filter({ hasText: job });
const today = (page: Page, job: string, word: string): Locator =>
  getLine(page, job).getByRole('gridcell', { name: new RegExp(`today: ${word}$`) });
/** Expects a cell to be the active one of the grid. */
const expectActive = async (page: Page, cell: Locator): Promise<void> =>
  expect(grid(page)).toHaveAttribute(
    'aria-activedescendant',
    (await cell.getAttribute('id')) ?? '',
  );

test('CALV-7, CALV-8, E2E-7: by keyboard alone, a user finds a job, opens its day, returns and goes on to the list', async ({
  page,
}) => {
  await enter(page);
  await expect(today(page, 'SQL nightly', 'Failed')).toBeVisible();
  await focusSearch(page);
  await page.keyboard.type('sql');
  await expect(page).toHaveURL(/q=sql/);
  await expect(getLine(page, 'Accounts nightly')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(grid(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expectActive(page, today(page, 'SQL nightly', 'Failed'));
  await page.keyboard.press('Enter');
  const day = page.getByRole('dialog', { name: 'SQL nightly' });
  await expect(day).toContainText('Unable to connect to host');
  await expect(day).toContainText('1 result');
  await expect(page).toHaveURL(/cell=job-\d+/);
  await page.keyboard.press('Escape');
  await expect(day).toBeHidden();
  await expect(grid(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(day.getByRole('link', { name: 'Open list' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/daily-checks\?date=(\S{10})\.\.\1&rows=runs&review=any&job=\d+/);
  await expect(page.getByRole('row').filter({ hasText: 'SQL nightly' })).toHaveCount(1);
});

test('CALV-3, CALV-1: the address restores collapsed companies, modes and filters', async ({
  page,
}) => {
  await enter(page);
  await expect(getLine(page, 'Web nightly')).toBeVisible();
  await page.getByRole('button', { name: 'Only with problems' }).click();
  await expect(getLine(page, 'Accounts nightly')).toHaveCount(0);
  await expect(page.getByText('2 jobs match')).toBeVisible();
  await page.getByRole('button', { name: 'Collapse all' }).click();
  await expect(getLine(page, 'SQL nightly')).toHaveCount(0);
  await page.getByLabel('Result shown for days with several results').selectOption('best');
  await expect(page).toHaveURL(/show=best&problems=only&folded=all/);
  await page.reload();
  await expect(grid(page).getByRole('row', { name: /2 jobs/ })).toBeVisible();
  await expect(getLine(page, 'SQL nightly')).toHaveCount(0);
  await page.getByRole('button', { name: /^Jobs of/ }).click();
  await expect(getLine(page, 'SQL nightly')).toBeVisible();
});

test('CALV-4, CALV-5: a quarter says which of its days are not on this device, and steps stop at today', async ({
  page,
}) => {
  await enter(page, '?date=last-90');
  await expect(
    page.getByText(/^Days before \d\d\/\d\d\/\d\d are not on this device$/).first(),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next days' })).toBeDisabled();
  await page.getByRole('button', { name: 'Quarter' }).click();
  await expect(page).toHaveURL(/date=this-quarter/);
  await page.getByRole('button', { name: 'Previous quarter' }).click();
  await expect(page).toHaveURL(/date=last-quarter/);
  await page.getByRole('button', { name: 'Previous quarter' }).click();
  await expect(
    page.getByRole('heading', { name: 'These days are not on this device' }),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Show last 30 days' }).click();
  await expect(today(page, 'SQL nightly', 'Failed')).toBeVisible();
});

test("CALV-9: printing shows all days of all matching jobs under the provider's name, and leaves the page unchanged", async ({
  page,
}) => {
  await page.addInitScript(() => {
    globalThis.print = () => {
      document.documentElement.dataset['printed'] = 'yes';
    };
  });
  await enter(page, '?folded=all&date=this-month');
  await expect(grid(page).getByRole('row', { name: /3 jobs/ })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+p');
  await expect(page.locator('html[data-printed]')).toBeAttached();
  await page.emulateMedia({ media: 'print' });
  const paper = page.locator('.cal-paper');
  await expect(paper.locator('tbody tr')).toHaveCount(4);
  await expect(paper).toContainText('SQL nightly');
  await expect(paper).toContainText(/Days begin at 12:00 AM, UTC\. Printed /);
  await expect(paper.getByRole('heading', { includeHidden: true })).not.toBeEmpty();
  await expect(page.locator('#root')).toBeHidden();
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: 'screen' });
  await expect(paper).toHaveCount(0);
  await expect(grid(page)).toBeVisible();
});

test('E2E-7, E2E-9: the calendar passes axe in both themes, on a phone too', async ({ page }) => {
  const errors = collectErrors(page);
  await enter(page);
  await expect(today(page, 'SQL nightly', 'Failed')).toBeVisible();
  await axeInBoth(page, 'calendar');
  await today(page, 'SQL nightly', 'Failed').click();
  await expect(page.getByRole('dialog', { name: 'SQL nightly' })).toContainText('1 result');
  await axeInBoth(page, 'day');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filters' }).click();
  await expect(page.getByRole('button', { name: /^Show 3 jobs/ })).toBeVisible();
  await axeInBoth(page, 'filters');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(grid(page)).toHaveAttribute('aria-colcount', '31');
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await expect
    .poll(async () => {
      const box = await today(page, 'SQL nightly', 'Failed').boundingBox();
      return Math.min(box?.width ?? 0, box?.height ?? 0);
    })
    .toBeGreaterThanOrEqual(43);
  await axeInBoth(page, 'phone');
  expect(errors).toEqual([]);
});

test('CALV-6, CALV-7: of thousands of jobs and 90 days only the visible ones are rendered, and keys keep their cell in view', async ({
  page,
}) => {
  const secret = await createKey(portal);
  for (let batch = 0; batch < 3; batch++) {
    await post(
      portal.url,
      secret,
      Array.from({ length: 1_000 }, (_, i) => ({
        job: `Zone ${String(batch * 1_000 + i).padStart(4, '0')}`,
        status: 'Success',
      })),
    );
  }
  await enter(page, '?date=last-90');
  await expect(page.getByText('3,003 jobs').first()).toBeVisible({ timeout: 60_000 });
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '3005');
  await grid(page).focus();
  for (const key of ['Home', 'ControlOrMeta+End', 'PageUp', 'Home', 'PageUp', 'End', 'PageDown']) {
    await page.keyboard.press(key);
    await expect.poll(() => isCursorInView(page), `after ${key}`).toBe(true);
  }
  await page.keyboard.press('ControlOrMeta+End');
  await expect(getLine(page, 'Zone 2999')).toBeVisible();
  await expectActive(page, today(page, 'Zone 2999', 'Success'));
  await expect.poll(() => grid(page).getByRole('row').count()).toBeLessThan(80);
  const days = getLine(page, 'Zone 2999').getByRole('gridcell');
  await expect.poll(() => days.count()).toBeLessThan(70);
  await expectActiveOutOfSight(grid(page));
});

/** Whether the active cell is inside the grid, and neither below its head nor its names. */
const isCursorInView = (page: Page): Promise<boolean> =>
  grid(page).evaluate((at) => {
    const cell = document.getElementById(at.getAttribute('aria-activedescendant') ?? '');
    const head = at.querySelector('[role="rowgroup"]');
    const name = cell?.parentElement?.firstElementChild;
    if (!cell || !head || !name) return false;
    const box = cell.getBoundingClientRect();
    const outer = at.getBoundingClientRect();
    return (
      box.top >= head.getBoundingClientRect().bottom - 1 &&
      box.left >= name.getBoundingClientRect().right - 1 &&
      box.bottom <= outer.top + at.clientHeight + 1 &&
      box.right <= outer.left + at.clientWidth + 1
    );
  });
