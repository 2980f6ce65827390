import { type RawBuilder, sql } from 'kysely';
import { Client } from 'pg';
import type { Ms } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';

/** The first number of the session locks of servers. It must never change. */
const PRESENCE_LOCK = 7_203_413;
/** How long it waits before it connects again. */
const RECONNECT_MS: Ms = 1_000;
/** Ends the connection of a server whose machine is gone within 14 seconds. */
const KEEPALIVE =
  'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3';

/** A server that others see as long as it lives. */
export interface Presence {
  /** Resolves when others see it, or when its first attempt failed. */
  readonly announced: Promise<void>;
  end(): Promise<void>;
}

/**
 * Shows the other servers on this PostgreSQL database that this one lives: a session lock named
 * after `owner`, on a connection of its own, which PostgreSQL ends with the process (JOB-3).
 */
export function holdPresence(url: string, owner: string, clock: Clock, log: Log): Presence {
  let client: Client | null = null;
  let waiting: { cancel(): void } | null = null;
  let isEnded = false;

  async function connect(): Promise<void> {
    waiting = null;
    const next = new Client({
      connectionString: url,
      application_name: 'daybook-presence',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    client = next;
    const lost = (): void => {
      if (client !== next) return;
      client = null;
      if (!isEnded) waiting = clock.after(RECONNECT_MS, () => void connect());
    };
    next.on('error', lost);
    next.on('end', lost);
    try {
      await next.connect();
      await next.query(KEEPALIVE);
      await next.query('select pg_advisory_lock($1, hashtext($2))', [PRESENCE_LOCK, owner]);
    } catch (error) {
      log.warn('the database does not show that this server lives', {
        error: error instanceof Error ? error.message : String(error),
      });
      await next.end().catch(() => undefined);
      lost();
    }
  }

  return {
    announced: connect(),
    async end() {
      isEnded = true;
      waiting?.cancel();
      await client?.end().catch(() => undefined);
    },
  };
}

/** The embedded database has one server. */
export const NO_PRESENCE: Presence = {
  announced: Promise.resolve(),
  end: () => Promise.resolve(),
};

/** A condition: the process with this name lives. Only on PostgreSQL. */
export const isPresent = (owner: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from pg_locks as l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint = ${PRESENCE_LOCK} and l.objid::bigint = hashtext(${owner})::bigint & 4294967295)`;
