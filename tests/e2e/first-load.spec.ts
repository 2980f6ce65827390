import { expect, test } from '@playwright/test';
import { createKey, post, getRow, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { focusSearch } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-8: the first load is at most 100 kB of JavaScript in brotli, without the worker', async ({
  page,
}) => {
  const sizes = new Map<string, { bytes: number; encoding: string }>();
  page.on('response', (response) => {
    if (!/javascript/.test(response.headers()['content-type'] ?? '')) return;
    sizes.set(new URL(response.url()).pathname, {
      bytes: Number(response.headers()['content-length']),
      encoding: response.headers()['content-encoding'] ?? 'none',
    });
  });
  await page.goto(portal.url);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  const listScripts = (): Promise<string[]> =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname)
        .filter((path) => path.endsWith('.js')),
    );
  await expect
    .poll(async () => (await listScripts()).filter((path) => !sizes.has(path)))
    .toEqual([]);
  const all = [...sizes];
  const own = all.filter(([path]) => !/worker/.test(path));
  const sum = own.reduce((total, [, { bytes }]) => total + bytes, 0);
  console.log(
    `first load: ${sum} bytes of JavaScript in ${own.length} files; worker beside it: ${all
      .filter(([path]) => /worker/.test(path))
      .map(([, { bytes }]) => bytes)
      .join()} bytes`,
  );
  expect(own.length).toBeGreaterThan(1);
  expect([...new Set(all.map(([, { encoding }]) => encoding))]).toEqual(['br']);
  expect(sum).toBeLessThanOrEqual(100_000);
});

test('E2E-8: performance marks show what a user waits for', async ({ page }) => {
  const secret = await createKey(portal);
  await post(portal.url, secret, [
    { job: 'Marked job', status: 'Failed', message: 'no space left on device' },
  ]);
  await signIn(page, portal.url, 'admin', portal.password);
  await expect(getRow(page, 'Marked job')).toBeVisible();
  const measures = (name: string): Promise<number[]> =>
    page.evaluate((of) => performance.getEntriesByName(of).map(({ duration }) => duration), name);
  await expect.poll(() => measures('daybook:open').then(({ length }) => length)).toBe(1);
  await focusSearch(page);
  await page.keyboard.type('mark');
  await expect(page).toHaveURL(/q=mark/);
  await expect
    .poll(() => measures('daybook:filter').then(({ length }) => length))
    .toBeGreaterThan(0);
  await post(portal.url, secret, [
    { job: 'Marked job two', status: 'Failed', message: 'no space left on device' },
  ]);
  await expect(getRow(page, 'Marked job two')).toBeVisible();
  await expect
    .poll(() => measures('daybook:change').then(({ length }) => length))
    .toBeGreaterThan(0);
  console.log(
    `open ${String(await measures('daybook:open'))} ms, filter ${String(await measures('daybook:filter'))} ms, change ${String(await measures('daybook:change'))} ms`,
  );
});
