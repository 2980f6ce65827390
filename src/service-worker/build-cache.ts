import { SHELL, cacheOf, isFixed, isOurs } from './build.ts';
import type { Build, BuiltFile } from './build.ts';

/** What keeping a build needs of the browser. */
export interface Keeping {
  readonly caches: CacheStorage;
  readonly fetch: typeof fetch;
}

/**
 * Every file of the build onto this device, checked by its hash; the page itself last, so that a
 * cache with a page in it is whole. Throws where one cannot be had or is another build's: then
 * nothing of this build is kept, and the browser tries again later.
 */
export async function keepBuild({ caches, fetch }: Keeping, build: Build): Promise<void> {
  const name = cacheOf(build);
  // The same build again, by another worker: it may be in use.
  if (await caches.match(SHELL, { ...ANY, cacheName: name })) return;
  try {
    const cache = await caches.open(name);
    const shellHash = build.files.find(([address]) => address === SHELL)?.[1];
    if (shellHash === undefined) throw new TypeError('a build without a page');
    const shell = await had(fetch, [SHELL, shellHash], 'no-cache');
    const policy = policyOf(shell);
    await Promise.all(
      build.files
        .filter(([address]) => address !== SHELL)
        .map(async (file) => {
          await cache.put(file[0], await fileOf({ caches, fetch }, file, policy));
        }),
    );
    await cache.put(SHELL, shell);
  } catch (fault) {
    await caches.delete(name);
    throw fault;
  }
}

/**
 * From an older build's cache, the browser's own, or the server: the first whose content policy is
 * the page's. A worker lives by the policy that came with its own file, so that an old file with an
 * old policy will not do.
 */
async function fileOf(
  { caches, fetch }: Keeping,
  file: BuiltFile,
  policy: string,
): Promise<Response> {
  const [address] = file;
  if (!isFixed(address)) return had(fetch, file, 'no-cache');
  const known = await caches.match(address, ANY);
  if (known && policyOf(known) === policy) return known;
  const got = await had(fetch, file, 'default');
  return policyOf(got) === policy ? got : had(fetch, file, 'reload');
}

async function had(
  fetch: Keeping['fetch'],
  [address, sha256]: BuiltFile,
  cache: RequestCache,
): Promise<Response> {
  const response = await fetch(address, {
    cache,
    integrity: `sha256-${sha256}`,
    credentials: 'same-origin',
    redirect: 'error',
  });
  if (!response.ok) throw new TypeError(`${address} cannot be kept: ${response.status}`);
  return response;
}

const policyOf = ({ headers }: Response): string => headers.get('content-security-policy') ?? '';

/**
 * Once no page of an older build is open. What another build is just putting together stays: it
 * stands behind ours.
 */
export async function dropOthers(
  caches: CacheStorage,
  build: Build,
  anotherComes: boolean,
): Promise<void> {
  const names = (await caches.keys()).filter(isOurs);
  const own = names.indexOf(cacheOf(build));
  const gone = names.filter((_, at) => at !== own && !(anotherComes && at > own));
  await Promise.all(gone.map((name) => caches.delete(name)));
}

/**
 * The page of the newest build that is whole here: whoever has seen a build is not led back to the
 * one before.
 */
export async function keptShell(caches: CacheStorage): Promise<Response | undefined> {
  for (const name of (await caches.keys()).filter(isOurs).toReversed()) {
    const shell = await caches.match(SHELL, { ...ANY, cacheName: name });
    if (shell) return shell;
  }
  return undefined;
}

/** One kept file of any build: addresses change with the content, so none is another build's. */
export const keptFile = (caches: CacheStorage, address: string): Promise<Response | undefined> =>
  caches.match(address, ANY);

/** Kept once for every `accept` and `accept-encoding`: what is kept is unpacked. */
const ANY = { ignoreVary: true } as const;
