import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { CSP } from '../../server/platform/http/security-headers.ts';
import { startFront } from './front.ts';
import { createKey, getRow, loadApi, post, signIn, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { axe, countStoredResults, waitForBuild } from './page-checks.ts';

test.use({ serviceWorkers: 'allow' });
let portal: Portal;
const folders: string[] = [];

test.beforeEach(async () => {
  portal = await startPortal('none', [], 'embedded');
  await post(
    portal.url,
    await createKey(portal),
    Array.from({ length: 3 }, (_, i) => ({
      job: `Mountain hut ${i + 1}`,
      status: 'Failed',
      message: `Unable to connect to host srv-${i}.example.net: timed out`,
      log: 'start\nerror: timed out\n',
    })),
  );
});
test.afterEach(async () => {
  await portal.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Signs in on a device, keeps the build on it, and opens the browser again without the server. */
async function reopenOffline(username: string): Promise<{ context: BrowserContext; page: Page }> {
  const profile = makeFolder('profile');
  const { context, page } = await launch(profile);
  await signIn(page, portal.url, username, portal.password);
  await expect(getRow(page, 'Mountain hut 2')).toBeVisible();
  await waitForBuild(page);
  // Shown may be a moment before stored.
  await expect.poll(() => countStoredResults(page)).toBeGreaterThan(0);
  await context.close();
  await portal.kill();
  return launch(profile);
}

test('OFF-1, OFF-3: without the server every page opens cold from the device, under the content policy', async () => {
  const { context, page } = await reopenOffline('admin');
  const policy: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) policy.push(message.text());
  });
  const shown = await page.goto(`${portal.url}/monitoring/daily-checks`);
  expect([
    shown?.status(),
    shown?.fromServiceWorker(),
    shown?.headers()['content-security-policy'],
  ]).toEqual([200, true, CSP]);
  await expect(getRow(page, 'Mountain hut 2')).toBeVisible();
  const opened = await page.evaluate(() =>
    performance.getEntriesByName('daybook:open').map(({ duration }) => Math.round(duration)),
  );
  console.log(`opened cold with no server: first rows after ${String(opened)} ms`);
  await page.getByRole('button', { name: /^Offline since/ }).click();
  await expect(page.getByText(/Showing data from .* \(\d\d\/\d\d\/\d\d/)).toBeVisible();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByText('Connecting… Retrying automatically.')).toBeVisible();
  await expect(page.getByText('No failures')).toBeVisible(); // of the sources, as of the last sync
  await page.keyboard.press('Escape');

  await page.goto(`${portal.url}/monitoring/sources`);
  await expect(page.getByRole('heading', { level: 1, name: 'Connect a source' })).toBeVisible();
  await expect(page.getByText("You're offline. Reconnect to add or edit sources.")).toBeVisible();
  await expect(page.getByRole('button', { name: 'New source' })).toBeDisabled();
  for (const [path, words] of [
    ['/monitoring/forbidden', /You don.t have access/],
    ['/no/such/page', /could not be found/],
    ['/', /Mountain hut 3/],
  ] as const) {
    await page.goto(portal.url + path);
    await expect(page.getByText(words).first()).toBeVisible();
    await page.reload();
    await expect(page.getByText(words).first()).toBeVisible();
  }
  expect(policy).toEqual([]);
  await portal.start();
  await context.close();
});

test('E2E-5, OFF-5: a review made offline waits over a reload and arrives once; what could not load comes when the server is back', async () => {
  const { context, page } = await reopenOffline('admin');
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await getRow(page, 'Mountain hut 1')
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(getRow(page, 'Mountain hut 1')).toContainText('not sent yet');
  await getRow(page, 'Mountain hut 2').click();
  await expect(page.getByText("You're offline. Reconnect and try again.")).toBeVisible();
  await expect(page).toHaveURL(/run=/);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
  await expect(page.getByText("You're offline. Reconnect and try again.")).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByText("You're offline. Reconnect to send your changes.")).toBeVisible();
  await page.getByText('Send now').click();
  await page.getByRole('button', { name: 'Send and log out' }).click();
  await expect(
    page
      .getByRole('alert')
      .filter({ hasText: "The server can't be reached, so your changes can't be sent." }),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Stay logged in' }).click();

  await portal.start();
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 70_000 });
  // The log that could not load offline.
  await expect(page.getByText('error: timed out')).toBeVisible();
  const api = await loadApi(portal, 'dana');
  const loadReviewed = async (): Promise<{ lastRun: number }[]> => {
    const { problems } = (await api('GET', 'sync/bootstrap')) as {
      problems: { lastRun: number; review: object | null }[];
    };
    return problems.filter(({ review }) => review !== null);
  };
  await expect.poll(loadReviewed).toHaveLength(1);
  await context.close();
  const reviewed = await loadReviewed();
  expect(reviewed).toHaveLength(1);
  const { jobName, history } = (await api(
    'GET',
    `monitoring/backoffice/jobExecutions/${reviewed[0]?.lastRun}`,
  )) as { jobName: string; history: { what: string }[] };
  expect([jobName, history.filter(({ what }) => what === 'Reviewed').length]).toEqual([
    'Mountain hut 1',
    1,
  ]);
});

const networkSentence = (page: Page): Locator =>
  page.getByText("You're offline. Reconnect to sign in.");

test('OFF-5, A11: past the offline limit, the sign-in page says that signing in needs the network', async () => {
  const { context, page } = await launch(makeFolder('profile'));
  await signIn(page, portal.url, 'dana', portal.password);
  await waitForBuild(page);
  await portal.kill();
  await expect(page.getByRole('button', { name: /^Offline/ })).toBeVisible({ timeout: 70_000 });
  // The limit has passed, as far as this device knows.
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const open = indexedDB.open('daybook');
        open.addEventListener('error', () => reject(open.error ?? new Error('no register')));
        open.addEventListener('success', () => {
          const entries = open.result.transaction('entries', 'readwrite').objectStore('entries');
          const all = entries.getAll();
          all.addEventListener('success', () => {
            for (const entry of all.result as object[]) entries.put({ ...entry, offlineUntil: 1 });
          });
          entries.transaction.addEventListener('complete', () => {
            open.result.close();
            resolve();
          });
        });
      }),
  );
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  const sentence = networkSentence(page);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await expect(sentence).toBeVisible();
  await expect(
    page.getByText('Your session has expired. Please log in again to continue.'),
  ).toBeVisible();
  await axe(page, 'sign-in');
  await submitSignIn(page, 'dana', portal.password);
  await expect(page.getByText('No response received from server. Try again later.')).toBeVisible();
  await expect(sentence).toBeVisible();
  await portal.start();
  // The session is still valid, so the page unlocks automatically.
  await expect(getRow(page, 'Mountain hut 2')).toBeVisible({ timeout: 60_000 });
  await context.close();
});

test('OFF-5: after signing out, the sign-in page says that signing in needs the network until the server answers', async () => {
  const { context, page } = await launch(makeFolder('profile-out'));
  await signIn(page, portal.url, 'dana', portal.password);
  await waitForBuild(page);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await portal.kill();
  await page.goto(portal.url);
  const sentence = networkSentence(page);
  await expect(sentence).toBeVisible();
  await portal.start();
  await expect(sentence).toBeHidden({ timeout: 60_000 });
  await expect(page.getByText(/^Use your .* account\.$/)).toBeVisible();
  await context.close();
});

test('OFF-5: signing out offline warns first, then says that signing in needs the network', async () => {
  const { context, page } = await launch(makeFolder('profile-offline'));
  await signIn(page, portal.url, 'dana', portal.password);
  await waitForBuild(page);
  await portal.kill();
  await expect(page.getByRole('button', { name: /^Offline/ })).toBeVisible({ timeout: 70_000 });
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByText("You can't log in again until you're online.")).toBeVisible();
  await axe(page, 'expired');
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
  await expect(networkSentence(page)).toBeVisible();
  await portal.start();
  await context.close();
});

test('OFF-2, OFF-3: a new build takes over when the last page of the old one is closed, and no page runs both', async () => {
  const other = makeFolder('dist');
  // The same sources, not minified: every chunk has another name.
  const made = spawnSync(
    process.env['DAYBOOK_NODE'] ?? process.execPath,
    [
      'node_modules/vite/bin/vite.js',
      'build',
      '--minify',
      'false',
      '--outDir',
      other,
      '--logLevel',
      'warn',
    ],
    { encoding: 'utf8' },
  );
  expect(made.stderr).toBe('');
  const [older, newer] = [getFiles('dist'), getFiles(other)];
  const front = await startFront(portal.url, 'dist');
  const { context, page } = await launch(makeFolder('profile'));
  /** Which builds the scripts and styles of a page are of. */
  const builds = async (of: Page): Promise<string[]> => {
    const loaded = await of.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name))
        .map(({ pathname, search }) => pathname + search),
    );
    const own = loaded.filter((address) => address.startsWith('/assets/'));
    expect(own.length).toBeGreaterThan(5);
    return [
      ...new Set(
        own.map((address) =>
          older.has(address) && newer.has(address)
            ? 'both'
            : older.has(address)
              ? 'older'
              : newer.has(address)
                ? 'newer'
                : address,
        ),
      ),
    ].filter((one) => one !== 'both');
  };
  await signIn(page, front.url, 'admin', portal.password);
  await waitForBuild(page);
  const first = await here(page);
  expect(first.files).toEqual([...older.keys()].sort());
  expect(await builds(page)).toEqual(['older']);

  front.use(other);
  const second = await context.newPage();
  await second.goto(`${front.url}/monitoring/daily-checks?review=any`);
  await expect(getRow(second, 'Mountain hut 2')).toBeVisible();
  await expect.poll(async () => (await here(second)).waiting, { timeout: 60_000 }).toBe(true);
  expect(await builds(second)).toEqual(['newer']);
  // The first page still runs its own build, which the server no longer has.
  await page.getByRole('link', { name: 'Connect a source' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Connect a source' })).toBeVisible();
  expect(await builds(page)).toEqual(['older']);
  expect((await here(page)).caches).toHaveLength(2);

  front.be('away');
  for (const one of [page, second]) {
    await one.goto(`${front.url}/monitoring/daily-checks?review=any`);
    await expect(getRow(one, 'Mountain hut 2')).toBeVisible();
    expect(await builds(one)).toEqual(['newer']);
  }
  await page.close();
  await second.goto('about:blank');
  // Without an open page the newer build takes over and removes the files of the older one.
  await expect
    .poll(
      async () => {
        const all = await Promise.all(
          context.serviceWorkers().map((one) => one.evaluate(() => caches.keys()).catch(() => [])),
        );
        return Math.max(...all.map(({ length }) => length));
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  const third = await context.newPage();
  await third.goto(`${front.url}/monitoring/daily-checks?review=any`);
  await expect(getRow(third, 'Mountain hut 2')).toBeVisible();
  const last = await here(third);
  expect(last.caches).not.toEqual(first.caches);
  expect(last).toMatchObject({ waiting: false, files: [...newer.keys()].sort() });
  await context.close();
  await front.stop();
});

test('OFF-4: a server that does not answer within three seconds leaves the page to the device', async () => {
  const front = await startFront(portal.url, 'dist');
  const { context, page } = await launch(makeFolder('profile'));
  await signIn(page, front.url, 'admin', portal.password);
  await waitForBuild(page);
  front.be('silent');
  const late = await page.goto(`${front.url}/monitoring/daily-checks?review=any`);
  expect(late?.fromServiceWorker()).toBe(true);
  await expect(getRow(page, 'Mountain hut 2')).toBeVisible();
  // The page waited for the server first.
  const waitedMs = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation');
    if (!(entry instanceof PerformanceNavigationTiming)) throw new Error('no navigation');
    return entry.responseStart - entry.workerStart;
  });
  expect(waitedMs).toBeGreaterThan(2_500);
  await context.close();
  await front.stop();
});

/** What of builds is on this device; `files` of the oldest. */
const here = (of: Page): Promise<{ caches: string[]; files: string[]; waiting: boolean }> =>
  of.evaluate(async () => {
    const [name = ''] = await caches.keys();
    const registration = await navigator.serviceWorker.getRegistration();
    const files = (await (await caches.open(name)).keys())
      .map(({ url }) => new URL(url))
      .map(({ pathname, search }) => pathname + search);
    return {
      caches: await caches.keys(),
      files: files.sort(),
      waiting: registration?.waiting != null,
    };
  });

/** Addresses and hashes as the build's own service worker names them. */
function getFiles(dist: string): Map<string, string> {
  const pairs = readFileSync(join(dist, 'sw.js'), 'utf8').matchAll(
    /\[\s*[`"']([^`"']+)[`"'],\s*[`"']([A-Za-z0-9+/]{43}=)[`"']\s*\]/g,
  );
  return new Map([...pairs].map(([, address = '', hash = '']) => [address, hash]));
}

function makeFolder(what: string): string {
  const folder = mkdtempSync(join(tmpdir(), `daybook-${what}-`));
  folders.push(folder);
  return folder;
}

async function launch(profile: string): Promise<{ context: BrowserContext; page: Page }> {
  const executablePath = process.env['CHROMIUM'];
  const context = await chromium.launchPersistentContext(profile, {
    headless: true,
    args: ['--no-sandbox', '--disable-background-networking'],
    viewport: { width: 1440, height: 900 },
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  return { context, page: context.pages()[0] ?? (await context.newPage()) };
}
