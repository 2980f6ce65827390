import { chromium, expect, test } from '@playwright/test';
import type { BrowserContext, Page } from '@playwright/test';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeFor } from './outbox.ts';
import { createKey, expectTitle, getRow, post, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { signInAt, typeCode, withSettings } from './ways-in.ts';

test.use({ serviceWorkers: 'allow' });
let portal: Portal;
let profile: string;
test.beforeEach(async () => {
  portal = await startPortal('none', [], 'embedded');
  profile = mkdtempSync(join(tmpdir(), 'daybook-profile-'));
});
test.afterEach(async () => {
  await portal.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Words of the data that stand nowhere else: in names of jobs and computers, and in what they said.
 */
const WORDS = Array.from(
  { length: 20 },
  (_, n) => `plantedword${String.fromCharCode(97 + n)}qz${n}`,
);
const PHONE = '+15550100777';

/** A browser with a folder of its own, as a person has one. */
function open(): Promise<BrowserContext> {
  const executablePath = process.env['CHROMIUM'];
  return chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
  });
}

/** All that a script of the page can read of what is kept, and the page itself. */
const loadDump = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const said: unknown[] = [
      location.href,
      document.cookie,
      document.documentElement.outerHTML,
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      history.state,
    ];
    document.querySelectorAll('input').forEach((one) => said.push(one.value));
    const legible = (value: unknown): unknown => {
      if (value instanceof ArrayBuffer) return new TextDecoder('latin1').decode(value);
      if (ArrayBuffer.isView(value)) return new TextDecoder('latin1').decode(value);
      if (Array.isArray(value)) return value.map(legible);
      return value !== null && typeof value === 'object' && !(value instanceof CryptoKey)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, legible(one)]))
        : String(value);
    };
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((done, failed) => {
        const request = indexedDB.open(name ?? '');
        request.addEventListener('success', () => {
          done(request.result);
        });
        request.addEventListener('error', () => {
          failed(new Error('a database could not be opened'));
        });
      });
      said.push(name);
      for (const store of database.objectStoreNames) {
        const rows = await new Promise<unknown[]>((done) => {
          const request = database.transaction(store).objectStore(store).getAll();
          request.addEventListener('success', () => {
            done(request.result);
          });
        });
        said.push(store, rows.map(legible));
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        said.push(
          request.url,
          /\.(?:js|css|woff2?)(?:\?|$)/.test(request.url)
            ? ''
            : await (await cache.match(request))?.text(),
        );
    }
    return JSON.stringify(said);
  });

/** Every file of the browser's folder, as bytes; texts stand there in eight or in sixteen bits. */
const readFolder = (): readonly { readonly path: string; readonly bytes: Buffer }[] =>
  readdirSync(profile, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
const foundIn = (
  files: ReturnType<typeof readFolder>,
  words: readonly string[],
): readonly string[] =>
  words.flatMap((word) =>
    files
      .filter(
        ({ bytes }) =>
          bytes.includes(Buffer.from(word)) || bytes.includes(Buffer.from(word, 'utf16le')),
      )
      .map(({ path }) => `${word} in ${path.slice(profile.length)}`),
  );

test('G39, G41: the browser and its folder hold no credentials, and no data after signing out', async () => {
  const secret = await createKey(portal);
  await post(
    portal.url,
    secret,
    WORDS.map((word, n) => ({
      job: `Job ${word}`,
      computer: `SRV-${word}`,
      status: n % 2 === 0 ? 'Failed' : 'Success',
      message: `said ${word}`,
      log: `line ${word}\n`,
    })),
  );
  const secrets = new Set<string>([portal.password]);
  let context = await open();
  await withSettings(portal, { secondFactor: 'sms' }, async () => {
    const page = context.pages()[0] ?? (await context.newPage());
    const heard: Promise<{ data?: { token?: string } } | null>[] = [];
    context.on('response', (answer) => {
      if (answer.url().includes('/api/v1/auth/'))
        heard.push(
          answer.json().catch(() => null) as Promise<{ data?: { token?: string } } | null>,
        );
    });
    await signInAt(page, portal, 'dana');
    await expectTitle(page, 'Your mobile phone');
    await page.getByLabel('Mobile phone').fill(PHONE);
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Enter the code');
    const code = await codeFor(portal.url, PHONE);
    secrets.add(code);
    await typeCode(page, code);
    await expectTitle(page, 'Daily checks');
    await expect(getRow(page, WORDS[0] ?? '')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
    for (const details of await Promise.all(heard))
      if (details?.data?.token !== undefined) secrets.add(details.data.token);
    const cookies = await context.cookies();
    expect(cookies.filter(({ name }) => name.startsWith('__Host-')).length).toBeGreaterThan(0);
    for (const { name, httpOnly, secure, sameSite, path, value } of cookies) {
      expect({ name, httpOnly, secure, sameSite, path }).toEqual({
        name,
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
        path: '/',
      });
      secrets.add(value);
    }
    const dump = await loadDump(page);
    expect(dump).toContain(WORDS[0]);
    // Six digits may be anywhere by chance: as a value of its own the code may not.
    for (const one of secrets)
      expect(
        dump.includes(one === code ? `"${one}"` : one),
        `${one.length} characters of what signs in`,
      ).toBe(false);
  });
  // What the browser writes it writes by the time it has ended. Its own store of cookies is
  // encrypted where the machine has a keyring, and not the page's.
  await context.close();
  const stored = readFolder().filter(({ path }) => !/[/\\]Cookies(?:-journal)?$/.test(path));
  expect(stored.length).toBeGreaterThan(10);
  expect(secrets.size).toBeGreaterThan(3);
  expect(
    foundIn(
      stored,
      [...secrets].filter((one) => one.length > 6),
    ),
  ).toEqual([]);

  context = await open();
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(getRow(page, WORDS[0] ?? '')).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  await expect
    .poll(async () => {
      const left = await loadDump(page);
      return WORDS.filter((word) => left.includes(word));
    })
    .toEqual([]);
  await context.close();
  expect(foundIn(readFolder(), WORDS)).toEqual([]);
});
