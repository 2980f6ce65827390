import { answerPage } from './answer.ts';
import { isServers } from './build.ts';
import type { Build } from './build.ts';
import { dropOthers, keepBuild, keptFile, keptShell } from './keep.ts';

/**
 * The service worker: the page opens with no network, from the build that is kept on this device. It holds files of the build and nothing
 * else: data and calls never pass through it.
 *
 * A newer build is kept beside the one in use and takes over when the last page of the older one is closed; it never takes over before.
 * Until then each page finds the files of its own build, by addresses that change with their content.
 */
declare const self: ServiceWorkerGlobalScope;
/** Written in by the bundler. */
declare const BUILD: Build;

const build = BUILD; // named once: it is long
const FILES: ReadonlySet<string> = new Set(build.files.map(([address]) => address));

self.addEventListener('install', (event) => {
  // Calls to the server need no service worker: a browser that can be told so does not wake it for them.
  const { addRoutes } = event as ExtendableEvent & { readonly addRoutes?: (rules: readonly object[]) => Promise<void> };
  const past = ['/api/*', '/ping/*'].map((pathname) => ({ condition: { urlPattern: { pathname } }, source: 'network' }));
  event.waitUntil(addRoutes?.call(event, past).catch(() => {}) ?? Promise.resolve());
  event.waitUntil(keepBuild({ caches, fetch: (...asked) => fetch(...asked) }, build));
});

self.addEventListener('activate', (event) => {
  const { registration, clients } = self;
  const another = registration.installing !== null || registration.waiting !== null;
  // The very first page was opened without us: from now on what it has not loaded yet comes from here.
  event.waitUntil(Promise.all([dropOthers(caches, build, another), registration.navigationPreload.enable(), clients.claim()]));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin || isServers(pathname)) return;
  if (request.mode === 'navigate') {
    const network = fromNetwork(event);
    event.waitUntil(network.catch(() => {}));
    event.respondWith(answerPage({ network, kept: () => keptShell(caches), after }));
  } else if (pathname.startsWith('/assets/') || FILES.has(pathname + search)) {
    event.respondWith(keptFile(caches, pathname + search).then((kept) => kept ?? fetch(request)));
  }
});

async function fromNetwork(event: FetchEvent): Promise<Response> {
  const ahead = await (event.preloadResponse as Promise<Response | undefined>);
  return ahead ?? fetch(event.request);
}

const after = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });
