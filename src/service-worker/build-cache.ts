import { SHELL, getCache, isFixed, isOurs } from './build.ts';
import type { Build, BuiltFile } from './build.ts';

/** Browser functions that caching a build needs. */
export interface Keeping {
  readonly caches: CacheStorage;
  readonly fetch: typeof fetch;
}

/**
 * Caches every file of the build and checks its hash. The page itself comes last, so that a cache
 * with a page is complete.
 * @throws if a file is unavailable or belongs to another build; then nothing of this build is
 * cached, and the browser tries again later
 */
export async function keepBuild({ caches, fetch }: Keeping, build: Build): Promise<void> {
  const name = getCache(build);
  // Another worker has already cached this build, and it can be in use.
  if (await caches.match(SHELL, { ...ANY, cacheName: name })) return;
  try {
    const cache = await caches.open(name);
    const shellHash = build.files.find(([address]) => address === SHELL)?.[1];
    if (shellHash === undefined) throw new TypeError('a build without a page');
    const shell = await had(fetch, [SHELL, shellHash], 'no-cache');
    const policy = getPolicy(shell);
    await Promise.all(
      build.files
        .filter(([address]) => address !== SHELL)
        .map(async (file) => {
          await cache.put(file[0], await loadFile({ caches, fetch }, file, policy));
        }),
    );
    await cache.put(SHELL, shell);
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
}

/**
 * Returns a file from an older build's cache, the browser's cache, or the server: the first whose
 * content security policy equals the page's. A worker uses the policy that came with its own file,
 * so an old file with an old policy does not work.
 */
async function loadFile(
  { caches, fetch }: Keeping,
  file: BuiltFile,
  policy: string,
): Promise<Response> {
  const [address] = file;
  if (!isFixed(address)) return had(fetch, file, 'no-cache');
  const known = await caches.match(address, ANY);
  if (known && getPolicy(known) === policy) return known;
  const got = await had(fetch, file, 'default');
  return getPolicy(got) === policy ? got : had(fetch, file, 'reload');
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

const getPolicy = ({ headers }: Response): string => headers.get('content-security-policy') ?? '';

/**
 * Deletes other builds. Call it when no page of an older build is open. A build that is still being
 * cached stays, because it is newer than this one.
 */
export async function dropOthers(
  caches: CacheStorage,
  build: Build,
  anotherComes: boolean,
): Promise<void> {
  const names = (await caches.keys()).filter(isOurs);
  const own = names.indexOf(getCache(build));
  const gone = names.filter((_, at) => at !== own && !(anotherComes && at > own));
  await Promise.all(gone.map((name) => caches.delete(name)));
}

/**
 * Returns the page of the newest complete build, so that a user never goes back to an older build.
 */
export async function findCachedShell(caches: CacheStorage): Promise<Response | undefined> {
  for (const name of (await caches.keys()).filter(isOurs).toReversed()) {
    const shell = await caches.match(SHELL, { ...ANY, cacheName: name });
    if (shell) return shell;
  }
  return undefined;
}

/**
 * Returns a cached file of any build. Addresses change with the content, so every match is correct.
 */
export const findCachedFile = (
  caches: CacheStorage,
  address: string,
): Promise<Response | undefined> => caches.match(address, ANY);

/** Ignores `accept` and `accept-encoding`: cached bodies are decompressed. */
const ANY = { ignoreVary: true } as const;
