/**
 * A file of the build: its address on this site and the SHA-256 of its bytes in base64, as
 * `integrity` writes it.
 */
export type BuiltFile = readonly [address: string, sha256: string];

/**
 * What the bundler writes into the service worker: every file of the build but itself, and a name
 * that changes with any of them.
 */
export interface Build {
  readonly version: string;
  readonly files: readonly BuiltFile[];
}

/** The page itself: the same for every address that a person opens and for every provider. */
export const SHELL = '/index.html';

const PREFIX = 'daybook-build-';
export const cacheOf = (build: Build): string => `${PREFIX}${build.version}`;
export const isOurs = (cache: string): boolean => cache.startsWith(PREFIX);

/** The address itself changes with the content: what stands under it once stands for ever. */
export const isFixed = (address: string): boolean =>
  address.startsWith('/assets/') || address.includes('?v=');

/**
 * Addresses that the server answers itself, also where a person opens them: the page is no answer
 * to them.
 */
export const isServers = (path: string): boolean =>
  /^\/(api|ping|chat)(\/|$)/.test(path) || path === '/sw.js';
