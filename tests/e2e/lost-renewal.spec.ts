import { expect, test } from '@playwright/test';
import { openPortal, signIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

/** Longer than two requests may race. */
const LATER_MS = 11_000;

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

test('G40: a page that is left before it has its new tokens, and opened again a while later, is still signed in', async ({
  page,
  context,
}) => {
  const address = `${portal.url}/monitoring/daily-checks`;
  const live = page.getByRole('button', { name: /^Live/ });
  await signIn(page, address, 'admin', portal.password);
  await expect(live).toBeVisible();
  const cookies = await context.cookies(address);
  const answers: number[] = [];
  await context.route(/\/auth\/refresh$/, async (route) => {
    // Under a name that every resolver knows, and whose cookies the page doesn't have.
    const url = new URL(route.request().url());
    const headers = { ...(await route.request().allHeaders()), host: url.host };
    url.hostname = 'localhost';
    const answer = await route.fetch({ url: url.href, headers });
    answers.push(answer.status());
    await route.abort('connectionreset');
  });
  await page.reload();
  await expect.poll(() => answers).toContain(200);
  await page.goto('about:blank');
  await context.unrouteAll({ behavior: 'wait' });
  await page.waitForTimeout(LATER_MS);
  expect(await context.cookies(address)).toEqual(cookies);
  await page.goto(address);
  await expect(live).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/monitoring/daily-checks');
});
