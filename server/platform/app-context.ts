import type { Ms } from '#contract/ids.ts';
import type { Store } from './db/store.ts';

/** The server's access to the outside world. Tests pass their own. */
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
  /** Cryptographically secure random bytes. */
  bytes(count: number): Uint8Array;
  uuid(): string;
}

/** Writes one line of JSON per entry. Never pass a secret: callers must mask keys in addresses. */
export interface Log {
  info(what: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(what: string, fields?: Readonly<Record<string, unknown>>): void;
  error(what: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface Config {
  readonly port: number;
  /** Folder of the embedded database, the lock and the initial password. */
  readonly dataDir: string;
  /** URL of PostgreSQL; null uses the embedded database. */
  readonly databaseUrl: string | null;
  /** Folder of the built page; null serves only the API. */
  readonly pageDir: string | null;
  /** Addresses of proxies whose `X-Forwarded-*` headers the server trusts. */
  readonly trustedProxies: readonly string[];
  /**
   * The master key, 32 bytes in base64url, followed by former keys, separated by commas; null: the
   * keys are in a file in the data folder.
   */
  readonly secretKey: string | null;
  /**
   * What the server may reach besides the public internet: networks, and whether without TLS. Only
   * the operator sets it. `push`: networks that push services may be in. Any user can name a push
   * service, while `allow` is for systems that administrators configure.
   */
  readonly outbound?: {
    readonly allow: readonly string[];
    readonly http: boolean;
    readonly push?: readonly string[];
  };
  /** Replaces the addresses of Intuit's services, for tests. */
  readonly quickBooks?: string | null;
}
