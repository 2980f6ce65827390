/**
 * A file of the build: its address on this site and the SHA-256 of its bytes in base64, as in
 * `integrity`.
 */
export type BuiltFile = readonly [address: string, sha256: string];

/**
 * Written into the service worker by the bundler: every file of the build except itself, and a name
 * that changes with any of them.
 */
export interface Build {
  readonly version: string;
  readonly files: readonly BuiltFile[];
}

/** The page itself: the same for every address and every provider. */
export const SHELL = '/index.html';

const PREFIX = 'daybook-build-';
export const getCache = (build: Build): string => `${PREFIX}${build.version}`;
export const isOurs = (cache: string): boolean => cache.startsWith(PREFIX);

/** Addresses with a content hash never change their content. */
export const isFixed = (address: string): boolean =>
  address.startsWith('/assets/') || address.includes('?v=');

/**
 * Returns whether the server answers this address itself; navigations to it must not get the cached
 * page.
 */
export const isServers = (path: string): boolean =>
  /^\/(api|ping|chat|preview|download)(\/|$)/.test(path) || path === '/sw.js';
