import { answerPage } from './answer.ts';
import { getCache, isFixed, isServers } from './build.ts';
import type { Build } from './build.ts';
import { dropOthers, keepBuild, findCachedFile, findCachedShell } from './build-cache.ts';
import { HOME_LINK, openWindow, parsePush } from './push.ts';
import type { PushTexts } from './push.ts';

/**
 * The service worker opens the page offline, from the cached build. It stores files of the build
 * and nothing else: data and calls never pass through it. It shows push notifications and opens
 * their pages.
 *
 * A newer build is cached beside the current one and takes over when the last page of the older one
 * is closed, never earlier. Until then each page gets the files of its own build, because addresses
 * change with their content.
 */
declare const self: ServiceWorkerGlobalScope;
/** Inserted by the bundler. */
declare const BUILD: Build;
/** Inserted by the bundler, by the tags of the languages. */
declare const PUSH_TEXTS: Readonly<Record<string, PushTexts>> & { readonly en: PushTexts };

const build = BUILD; // referenced once, because the value is long
const FILES: ReadonlySet<string> = new Set(build.files.map(([address]) => address));

/**
 * Static routes, which the browser handles without starting the worker: calls go to the server, and
 * files of this build come straight from its cache.
 */
interface Route {
  readonly condition: object;
  readonly source: 'network' | { readonly cacheName: string };
}
const ROUTES: readonly Route[] = [
  {
    condition: {
      or: [{ urlPattern: { pathname: '/api/*' } }, { urlPattern: { pathname: '/ping/*' } }],
    },
    source: 'network',
  },
  {
    condition: {
      or: [...FILES].filter(isFixed).map((address) => ({ urlPattern: getPattern(address) })),
    },
    source: { cacheName: getCache(build) },
  },
];

self.addEventListener('install', (event) => {
  const { addRoutes } = event as ExtendableEvent & {
    readonly addRoutes?: (rules: readonly Route[]) => Promise<void>;
  };
  event.waitUntil(addRoutes?.call(event, ROUTES).catch(() => {}) ?? Promise.resolve());
  event.waitUntil(keepBuild({ caches, fetch: (...request) => fetch(...request) }, build));
});

self.addEventListener('activate', (event) => {
  const { registration, clients } = self;
  const another = registration.installing !== null || registration.waiting !== null;
  // The first page was opened without this worker. From now on it loads missing files through it.
  event.waitUntil(
    Promise.all([
      dropOthers(caches, build, another),
      registration.navigationPreload.enable(),
      clients.claim(),
    ]),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin || isServers(pathname)) return;
  if (request.mode === 'navigate') {
    const network = fromNetwork(event);
    event.waitUntil(network.catch(() => {}));
    event.respondWith(answerPage({ network, readCache: () => findCachedShell(caches), after }));
  } else if (pathname.startsWith('/assets/') || FILES.has(pathname + search)) {
    event.respondWith(
      findCachedFile(caches, pathname + search).then((stored) => stored ?? fetch(request)),
    );
  }
});

self.addEventListener('push', (event) => {
  const { title, body, tag, link } = parsePush(
    event.data?.text(),
    PUSH_TEXTS[navigator.language] ??
      PUSH_TEXTS[navigator.language.replace(/-.*/, '')] ??
      PUSH_TEXTS.en,
  );
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: link }));
});

self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  const link: unknown = notification.data;
  notification.close();
  event.waitUntil(
    openWindow(self.clients, typeof link === 'string' ? link : HOME_LINK, self.location.origin),
  );
});

async function fromNetwork(event: FetchEvent): Promise<Response> {
  const ahead = await (event.preloadResponse as Promise<Response | undefined>);
  return ahead ?? fetch(event.request);
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

function getPattern(address: string): { readonly pathname: string; readonly search: string } {
  const { pathname, search } = new URL(address, self.location.origin);
  return { pathname, search: search.slice(1) };
}
