import type { Ms } from '#contract/ids.ts';
import type { KnownSessions } from './auth/known-sessions.ts';
import type { SessionKey } from './auth/session-key.ts';
import type { Keyring } from './crypto/master-key.ts';
import type { Store } from './db/store.ts';
import type { RunningCommands } from './http/idempotent-command.ts';
import type { Issuers } from './outbound/issuer.ts';
import type { SharedLimits } from './rate-limit/shared-limits.ts';

/** The server's access to the outside world. Tests pass their own. */
export interface Environment {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly config: Config;
}

/**
 * What all code of a server works with: the outside world, and the services that live as long as
 * the server. `server/make-app-context.ts` makes them, and declares those of the features, which the
 * platform does not know.
 */
export interface AppContext extends Environment {
  /** Names this server for others on its database: its leases, and its presence. */
  readonly serverId: string;
  readonly knownSessions: KnownSessions;
  readonly keyring: Keyring;
  readonly sessionKey: SessionKey;
  readonly issuers: Issuers;
  readonly runningCommands: RunningCommands;
  readonly sharedLimits: SharedLimits;
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
  /** Folder of the backup repositories; null: `repositories` in the data folder. */
  readonly repositoriesDir?: string | null;
  /** Folder of downloads in the background; null: `downloads` in the data folder. */
  readonly downloadsDir?: string | null;
  /** Folder of archived events; null: `archive` in the data folder. */
  readonly archiveDir?: string | null;
  /** After how many days events are archived; 0: never, which is the default. */
  readonly archiveAfterDays?: number;
  /** After how many days logs of results and sessions are deleted; 0: never, which is the default. */
  readonly deleteLogsAfterDays?: number;
  /** URL of PostgreSQL; null uses the embedded database. */
  readonly databaseUrl: string | null;
  /** Whether the embedded database is flushed to disk before a change is confirmed; it is by default. */
  readonly flushes?: boolean;
  /** After which place of its log the embedded database may have lost acknowledged changes. */
  readonly acceptedLoss?: string | null;
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
  /** An origin to call instead of Microsoft's clouds: a gateway, or a stand-in for tests. */
  readonly graph?: string | null;
}
