import { createHash } from 'node:crypto';
import type { Build } from '#src/service-worker/build.ts';

/** A browser's caches in memory, in the order in which they were made. */
export function makeCaches(): CacheStorage {
  const all = new Map<string, Map<string, Response>>();
  return {
    open: async (name: string) => {
      const held = all.get(name) ?? new Map<string, Response>();
      all.set(name, held);
      return getCache(held);
    },
    keys: async () => [...all.keys()],
    delete: async (name: string) => all.delete(name),
    match: async (request: RequestInfo | URL, { cacheName }: MultiCacheQueryOptions = {}) =>
      [...all]
        .filter(([name]) => cacheName === undefined || name === cacheName)
        .map(([, held]) => held.get(getAddress(request)))
        .find((one) => one !== undefined)
        ?.clone(),
  } as Partial<CacheStorage> as CacheStorage;
}

export interface Site {
  readonly fetch: typeof fetch;
  /** `how address`, in order. */
  readonly asked: string[];
  files: Readonly<Record<string, string>>;
  policy: string;
  /** Files that the browser's own cache still has, with the policy of then. */
  readonly remembered: Map<string, string>;
}

/** A server and a browser that checks `integrity` as browsers do. */
export function makeSite(files: Readonly<Record<string, string>>): Site {
  const site: Site = {
    files,
    policy: 'one',
    asked: [],
    remembered: new Map(),
    fetch: async (address, { cache, integrity } = {}) => {
      const path = getAddress(address);
      const body = site.files[path];
      site.asked.push(`${cache} ${path}`);
      if (body !== undefined && integrity !== `sha256-${getHash(body)}`)
        throw new TypeError('Failed to fetch');
      const policy = (cache === 'default' ? site.remembered.get(path) : undefined) ?? site.policy;
      return new Response(body ?? 'Not found', {
        status: body === undefined ? 404 : 200,
        headers: { 'content-security-policy': policy },
      });
    },
  };
  return site;
}

export const getBuild = (version: string, files: Readonly<Record<string, string>>): Build => ({
  version,
  files: Object.entries(files).map(([address, body]) => [address, getHash(body)]),
});

const getCache = (held: Map<string, Response>): Cache =>
  ({
    put: async (request: RequestInfo | URL, response: Response) => {
      held.set(getAddress(request), response);
    },
    match: async (request: RequestInfo | URL) => held.get(getAddress(request))?.clone(),
  }) as Partial<Cache> as Cache;
const getAddress = (request: RequestInfo | URL): string =>
  typeof request === 'string'
    ? request
    : request instanceof URL
      ? request.pathname
      : new URL(request.url).pathname;

const getHash = (body: string): string => createHash('sha256').update(body).digest('base64');
