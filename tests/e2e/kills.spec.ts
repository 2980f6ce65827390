import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import type { BrowserContext, Page } from '@playwright/test';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

test.use({ serviceWorkers: 'allow' });
let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('none', [], 'embedded');
});
test.afterEach(async () => {
  await portal.stop();
});

const JOBS = 12;

test('E2E-6, OUT-1, SYNC-1, G14: killing the browser five times at random moments loses no review that was shown', async () => {
  const seed = Number(process.env['SEED'] ?? 20_261_121) + test.info().repeatEachIndex;
  let state = seed;
  const chance = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  await post(
    portal.url,
    await createKey(portal),
    Array.from({ length: JOBS }, (_, i) => ({
      job: `Kill ${String(i).padStart(2, '0')}`,
      status: 'Failed',
      message: `cause ${'abcdefghijkl'[i]} went wrong`,
    })),
  );
  const profile = mkdtempSync(join(tmpdir(), 'daybook-kill-'));
  const shown = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const context = await launch(profile);
    const page = context.pages()[0] ?? (await context.newPage());
    await enter(page);
    if (round % 2 === 1) await context.setOffline(true);
    for (let tries = 0; tries < 2; tries++) {
      const job = `Kill ${String(round * 2 + tries).padStart(2, '0')}`;
      await getRow(page, job)
        .getByRole('button', { name: /^Review/ })
        .click();
      await expect(getRow(page, job)).toContainText('Reviewed');
      // Shown may be a moment before kept: "saved on this device" is what the worker answers, and
      // the toast says so.
      await expect(page.getByText(`Reviewed: ${job}`).first()).toBeVisible();
      shown.add(job);
    }
    await page.waitForTimeout(chance() * 400);
    kill(profile);
    await context.close().catch((error: unknown) => {
      expect(String(error)).toMatch(/closed/i);
    });
  }
  const context = await launch(profile);
  const page = context.pages()[0] ?? (await context.newPage());
  await enter(page);
  await page.goto(`${portal.url}/monitoring/daily-checks?review=cleared`);
  await expect(getRow(page, 'Kill')).toHaveCount(shown.size, { timeout: 60_000 });
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
  const api = await loadApi(portal, 'dana');
  const countReviewed = async (): Promise<number> => {
    const { problems } = (await api('GET', 'sync/bootstrap')) as {
      problems: { review: object | null }[];
    };
    return problems.filter(({ review }) => review !== null).length;
  };
  await expect.poll(countReviewed, { timeout: 60_000, message: `seed ${seed}` }).toBe(shown.size);
  await context.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Opens the list. A browser keeps cookies in memory for up to half a minute: killed before that, it
 * comes back with an older refresh cookie, which the server takes for a stolen one. The person
 * signs in again and finds everything that was unsent.
 */
async function enter(page: Page): Promise<void> {
  await page.goto(`${portal.url}/monitoring/daily-checks?review=any`);
  const form = page.getByRole('button', { name: 'Sign in', exact: true });
  // The first contact with the server may end the session: until then, the device shows its rows.
  const live = page.getByRole('button', { name: /^Live/ });
  await expect(form.or(live)).toBeVisible({ timeout: 60_000 });
  if (await form.isVisible())
    await signIn(
      page,
      `${portal.url}/monitoring/daily-checks?review=any`,
      'admin',
      portal.password,
    );
  await expect(getRow(page, 'Kill').first()).toBeVisible({ timeout: 60_000 });
}

/** Every process of this profile at once, as a power cut would. */
function kill(profile: string): void {
  const found = spawnSync('pgrep', ['-f', '--', `user-data-dir=${profile}`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number);
  expect(found.length).toBeGreaterThan(0);
  for (const id of found) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      /* it went with its parent */
    }
  }
}

function launch(profile: string): Promise<BrowserContext> {
  const executablePath = process.env['CHROMIUM'];
  return chromium.launchPersistentContext(profile, {
    headless: true,
    args: ['--no-sandbox', '--disable-background-networking'],
    ...(executablePath === undefined ? {} : { executablePath }),
  });
}
