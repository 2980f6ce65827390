import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { waitForFrames } from './person.ts';
import { signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

/** What moves on the page from now on, and for how long. */
async function follow(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    document.addEventListener('animationstart', ({ animationName, target }) => {
      if (target instanceof Element)
        seen.push(`${animationName} ${getComputedStyle(target).animationDuration}`);
    });
    document.addEventListener('transitionrun', ({ propertyName, target }) => {
      if (target instanceof Element && target.tagName === 'ASIDE')
        seen.push(`${propertyName} ${getComputedStyle(target).transitionDuration}`);
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: readonly string[] }).seen);
}

async function moveAround(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Calendar view' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Calendar view' })).toBeVisible();
  await page.getByRole('button', { name: 'Minimize sidebar' }).click();
  await expect(page.getByRole('button', { name: 'Pin sidebar' })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Calendar view' })).toBeVisible();
}

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`MOTION-1: pages appear in 200 ms and menus in 250 ms, and nothing moves with reduced motion: ${reducedMotion}`, async ({
    browser,
  }) => {
    const page = await (
      await browser.newContext({ reducedMotion, viewport: { width: 1440, height: 900 } })
    ).newPage();
    // A user each: the sidebar stays as its user left it.
    await signIn(page, portal.url, reducedMotion === 'reduce' ? 'dana' : 'admin', portal.password);
    const seen = await follow(page);
    await moveAround(page);
    // What begins to move does so in the next frame.
    await waitForFrames(page);
    if (reducedMotion === 'reduce') expect(await seen()).toEqual([]);
    else
      await expect
        .poll(seen)
        .toEqual(expect.arrayContaining(['page-in 0.2s', 'width 0.25s', 'drawer-in 0.25s']));
    await page.context().close();
  });
}
