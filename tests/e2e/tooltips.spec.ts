import { expect, test } from '@playwright/test';
import { createKey, post, getRow, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { takePictures } from './person.ts';
import { axe, goOffline } from './page-checks.ts';

const LONG =
  'A job with a name that is much longer than any column of the list could hold at once, whatever its width';
let portal: SharedPortal;

test.beforeEach(async () => {
  portal = await openPortal();
  const at = new Date(Date.now() - 3_600_000).toISOString();
  await post(portal.url, await createKey(portal), [
    { job: LONG, status: 'Failed', message: 'The disk is full', startTime: at, endTime: at },
    { job: 'Mail', status: 'Failed', message: 'The disk is full', startTime: at, endTime: at },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

test('TIP-1: a truncated name is shown in full 400 ms after the pointer rests on it, and stays while the pointer does', async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  const tip = page.getByRole('tooltip');
  const name = getRow(page, LONG).getByText(LONG);
  await expect(name).toBeVisible();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await name.hover();
  await page.clock.runFor(399);
  await expect(tip).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(tip).toHaveText(LONG);
  // It is drawn above everything, and wholly inside the window.
  const place = (): Promise<{ readonly isInside: boolean; readonly isOnTop: boolean }> =>
    tip.evaluate((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return {
        isInside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
        isOnTop: document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === one,
      };
    });
  await expect.poll(place).toEqual({ isInside: true, isOnTop: true });
  await tip.hover();
  await page.clock.runFor(2_000);
  await expect(tip).toHaveText(LONG);
  await page.keyboard.press('Escape');
  await expect(tip).toHaveCount(0);
  // A name that is seen in full needs none.
  await getRow(page, 'Mail').getByText('Mail', { exact: true }).hover();
  await page.clock.runFor(2_000);
  await expect(tip).toHaveCount(0);
  await name.hover();
  await page.clock.runFor(400);
  await page.clock.resume();
  await expect(tip).toHaveText(LONG);
  await axe(page, 'a tooltip');
});

test('TIP-1: keyboard focus opens a tooltip immediately, it describes its element, and closes on Escape and on blur', async ({
  page,
  context,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/rules`);
  await expect(page.getByRole('heading', { level: 1, name: 'Rules' })).toBeVisible();
  const tip = page.getByRole('tooltip');
  const sync = page.getByRole('button', { name: /Live/ });
  await expect(sync).toBeVisible();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  for (
    let steps = 0;
    steps < 60 && !(await sync.evaluate((one) => one === document.activeElement));
    steps += 1
  )
    await page.keyboard.press('Tab');
  await expect(sync).toBeFocused();
  await expect(tip).toHaveText('Sync status and unsent changes');
  await expect(sync).toHaveAccessibleDescription('Sync status and unsent changes');
  await takePictures(page, 'tooltip');
  await page.keyboard.press('Escape');
  await expect(tip).toHaveCount(0);
  await expect(sync).toHaveAccessibleDescription('');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(tip).toHaveText('Sync status and unsent changes');
  await page.keyboard.press('Tab');
  await expect(tip.filter({ hasText: 'Sync status and unsent changes' })).toHaveCount(0);
  await page.clock.resume();
  // What cannot be pressed now says why, by keyboard as well.
  await goOffline(page);
  const make = page.getByRole('button', { name: 'New rule' }).first();
  await expect(make).toBeDisabled();
  await make.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(make).toBeFocused();
  await expect(tip).toContainText("You're offline.");
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/monitoring\/rules$/);
  await context.setOffline(false);
});

test("TIP-1: pointing at and pressing a tooltip in a dialog doesn't close the dialog", async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.getByRole('button', { name: /Live/ }).click();
  const close = page.getByRole('dialog').getByRole('button', { name: 'Close' });
  const tip = page.getByRole('tooltip');
  await close.hover();
  await expect(tip).toHaveText('Close');
  await tip.hover();
  await tip.click();
  await expect(tip).toHaveText('Close');
  await expect(close).toBeVisible();
});
