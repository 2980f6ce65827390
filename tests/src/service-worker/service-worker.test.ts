import { expect, test } from 'vitest';
import { answerPage } from '#src/service-worker/answer.ts';
import { isFixed, isServers } from '#src/service-worker/build.ts';
import {
  dropOthers,
  keepBuild,
  findCachedFile,
  findCachedShell,
} from '#src/service-worker/build-cache.ts';
import { getBuild, makeCaches, makeSite } from './fixtures.ts';

const OLD = {
  '/index.html': 'old page',
  '/assets/app-11111111.js': 'old app',
  '/assets/vendor-22222222.js': 'vendor',
  '/theme.js?v=33333333': 'theme',
  '/mark.svg': 'mark',
};
const NEW = {
  '/index.html': 'new page',
  '/assets/app-44444444.js': 'new app',
  '/assets/vendor-22222222.js': 'vendor',
  '/theme.js?v=33333333': 'theme',
  '/mark.svg': 'mark',
};
const old = getBuild('old', OLD);
const next = getBuild('new', NEW);
const text = async (response: Promise<Response | undefined>): Promise<string | undefined> =>
  (await response)?.text();

test('OFF-3: a build is cached completely, and files of another build are not fetched again', async () => {
  const caches = makeCaches();
  const site = makeSite(OLD);
  const keeping = { caches, fetch: site.fetch };
  await keepBuild(keeping, old);
  expect(site.asked.toSorted()).toEqual([
    'default /assets/app-11111111.js',
    'default /assets/vendor-22222222.js',
    'default /theme.js?v=33333333',
    'no-cache /index.html',
    'no-cache /mark.svg',
  ]);
  for (const [address, body] of Object.entries(OLD))
    expect(await text(findCachedFile(caches, address))).toBe(body);
  site.files = NEW;
  site.asked.length = 0;
  await keepBuild(keeping, next);
  expect(site.asked.toSorted()).toEqual([
    'default /assets/app-44444444.js',
    'no-cache /index.html',
    'no-cache /mark.svg',
  ]);
  site.asked.length = 0;
  await keepBuild(keeping, next); // the same again, by another worker
  expect(site.asked).toEqual([]);
});

test('OFF-3: if a file is missing or of another build, nothing is cached and the previous build stays', async () => {
  const caches = makeCaches();
  const site = makeSite(OLD);
  const keeping = { caches, fetch: site.fetch };
  await keepBuild(keeping, old);
  const { '/assets/app-44444444.js': _gone, ...missing } = NEW;
  const halfRolledOut = { ...NEW, '/index.html': 'old page' };
  const changedOnItsWay = { ...NEW, '/assets/app-44444444.js': 'new app<script>' };
  for (const files of [missing, halfRolledOut, changedOnItsWay]) {
    site.files = files;
    await expect(keepBuild(keeping, next)).rejects.toThrow(TypeError);
    expect(await caches.keys()).toEqual(['daybook-build-old']);
    expect(await text(findCachedShell(caches))).toBe('old page');
  }
  await expect(keepBuild(keeping, getBuild('none', {}))).rejects.toThrow('a build without a page');
  expect(await caches.keys()).toEqual(['daybook-build-old']);
});

test('OFF-3: cached pages have the content policy of their page, wherever they came from', async () => {
  const caches = makeCaches();
  const site = makeSite(OLD);
  const keeping = { caches, fetch: site.fetch };
  await keepBuild(keeping, old);
  site.files = NEW;
  site.policy = 'two';
  site.remembered.set('/assets/vendor-22222222.js', 'one');
  await keepBuild(keeping, next);
  expect(site.asked).toContain('reload /assets/vendor-22222222.js');
  await dropOthers(caches, next, false);
  for (const address of Object.keys(NEW))
    expect((await findCachedFile(caches, address))?.headers.get('content-security-policy')).toBe(
      'two',
    );
});

test('OFF-2: the newest complete build is shown; the older one is deleted once the newer one is active, not while it is being cached', async () => {
  const caches = makeCaches();
  const site = makeSite(OLD);
  const keeping = { caches, fetch: site.fetch };
  expect(await findCachedShell(caches)).toBeUndefined();
  await keepBuild(keeping, old);
  await caches.open('daybook-build-new'); // begun, not whole
  expect(await text(findCachedShell(caches))).toBe('old page');
  site.files = NEW;
  await keepBuild(keeping, next);
  expect(await text(findCachedShell(caches))).toBe('new page');
  // a page of the older build is open still
  expect(await text(findCachedFile(caches, '/assets/app-11111111.js'))).toBe('old app');
  await caches.open('daybook-build-third');
  await caches.open('of-somebody-else');
  await dropOthers(caches, next, true);
  expect(await caches.keys()).toEqual([
    'daybook-build-new',
    'daybook-build-third',
    'of-somebody-else',
  ]);
  await dropOthers(caches, next, false);
  expect(await caches.keys()).toEqual(['daybook-build-new', 'of-somebody-else']);
});

test('OFF-4: if the server does not answer in time, the cached page is used; without one, the network is awaited', async () => {
  const never = new Promise<never>(() => {});
  const loadStored = (): Promise<Response> => page('kept');
  const waited: number[] = [];
  const soon = (ms: number): Promise<void> => {
    waited.push(ms);
    return new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  };
  expect(
    await text(answerPage({ network: page('server'), readCache: loadStored, after: soon })),
  ).toBe('server');
  expect(
    await text(
      answerPage({ network: page('no such host', 404), readCache: loadStored, after: soon }),
    ),
  ).toBe('no such host');
  expect(
    await text(
      answerPage({
        network: Promise.reject(new TypeError('Failed to fetch')),
        readCache: loadStored,
        after: () => never,
      }),
    ),
  ).toBe('kept');
  for (const status of [500, 502, 503, 504])
    expect(
      await text(
        answerPage({ network: page('gateway', status), readCache: loadStored, after: () => never }),
      ),
    ).toBe('kept');
  expect(await text(answerPage({ network: never, readCache: loadStored, after: soon }))).toBe(
    'kept',
  );
  expect(await text(answerPage({ network: late('late'), readCache: none, after: soon }))).toBe(
    'late',
  );
  expect(
    await text(answerPage({ network: page('gateway', 502), readCache: none, after: soon })),
  ).toBe('gateway');
  await expect(
    answerPage({
      network: Promise.reject(new TypeError('Failed to fetch')),
      readCache: none,
      after: soon,
    }),
  ).rejects.toThrow('Failed to fetch');
  expect(new Set(waited)).toEqual(new Set([3_000]));
});

test('OFF-3: calls, pings and the service worker itself come from the server; only addresses that change with their content are cached', () => {
  expect(
    [
      '/api',
      '/api/v1/sync/events',
      '/ping/key/job',
      '/sw.js',
      '/chat',
      '/preview/5',
      '/download/5/report.zip',
    ].filter((path) => !isServers(path)),
  ).toEqual([]);
  expect(
    ['/', '/monitoring/daily-checks', '/apiary', '/pings', '/assets/api-11111111.js'].map(
      isServers,
    ),
  ).toEqual([false, false, false, false, false]);
  expect(
    [
      '/assets/app-11111111.js',
      '/theme.js?v=33333333',
      '/index.html',
      '/mark.svg',
      '/theme.js',
    ].map(isFixed),
  ).toEqual([true, true, false, false, false]);
});
const page = (body: string, status = 200): Promise<Response> =>
  Promise.resolve(new Response(body, { status }));
const none = (): Promise<undefined> => Promise.resolve(undefined);
const late = (body: string): Promise<Response> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(new Response(body)), 30);
  });
