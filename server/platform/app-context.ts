import type { Ms } from '#contract/ids.ts';
import type { Store } from './db/store.ts';

/** What the outside is to the server: given once, so that tests give another. */
export interface AppContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly config: Config;
}

export interface Clock {
  now(): Ms;
  after(ms: Ms, work: () => void): { cancel(): void };
}

export interface Chance {
  /** Bytes fit for secrets. */
  bytes(count: number): Uint8Array;
  uuid(): string;
}

/**
 * One line of JSON an entry. Never give it a secret: keys in addresses are masked before they come
 * here.
 */
export interface Log {
  info(what: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(what: string, fields?: Readonly<Record<string, unknown>>): void;
  error(what: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface Config {
  readonly port: number;
  /** Where the embedded database, the lock and the made password live. */
  readonly dataDir: string;
  /** PostgreSQL to use instead of the embedded database. */
  readonly databaseUrl: string | null;
  /** Folder of the built page; null where only the API is served. */
  readonly pageDir: string | null;
  /** Addresses of proxies whose `X-Forwarded-*` may be believed. */
  readonly trustedProxies: readonly string[];
  /**
   * 32 bytes in base64url under which secrets are sealed, former ones behind it with commas; null:
   * a file in the data folder.
   */
  readonly secretKey: string | null;
  /**
   * What the server may reach besides the public internet: networks, and whether without TLS. Set
   * by its operator alone. `push`: networks in which push services may stand; any user names one of
   * those, and the networks of `allow` are for systems that administrators set.
   */
  readonly outbound?: {
    readonly allow: readonly string[];
    readonly http: boolean;
    readonly push?: readonly string[];
  };
  /** An address at which all of Intuit's are asked instead of their own: for trying. */
  readonly quickBooks?: string | null;
}
