import { type RawBuilder, sql, type Transaction } from 'kysely';
import { Client, type QueryResultRow } from 'pg';
import type { Ms } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';
import type { Database } from './database.ts';

/** The first number of the session locks of servers. It must never change. */
const PRESENCE_LOCK = 7_203_413;
/** Heartbeats have this first number and those that follow, in turns. */
const BEAT_LOCK = 7_204_000;
const BEAT_LOCKS = 997;
/** How long it waits before it connects again. */
const RECONNECT_MS: Ms = 500;
/** A connection or a heartbeat that takes longer has failed. */
const ANSWER_MS: Ms = 3_000;
/** Ends the connection of a server whose machine is gone within six seconds. */
const KEEPALIVE =
  'set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3';

/** A server that others see as long as it lives. */
export interface Presence {
  /** Resolves when others see it, or when its first attempt failed. */
  readonly announced: Promise<void>;
  /** Shows again that the server lives. Rejects if the database doesn't confirm it in time. */
  beat(): Promise<void>;
  /**
   * Returns the mark of the last heartbeat of each of these servers that has a connection; null if
   * none came over it. Two heartbeats in succession have different marks.
   */
  readBeats(owners: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  end(): Promise<void>;
}

/**
 * Shows the other servers on this PostgreSQL database that this one lives: a session lock named
 * after `owner`, on a connection of its own, which PostgreSQL ends with the process, and for each
 * heartbeat another lock, which replaces the one before (JOB-3). Locks write nothing to disk, and
 * every role can read them. They are shared, so that a new connection doesn't wait for the end of a
 * broken one.
 */
export function holdPresence(url: string, owner: string, clock: Clock, log: Log): Presence {
  let client: Client | null = null;
  let ready: Client | null = null;
  let waiting: { cancel(): void } | null = null;
  let isEnded = false;
  let beats = 0;

  async function connect(): Promise<void> {
    waiting = null;
    const next = new Client({
      connectionString: url,
      application_name: 'daybook-presence',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client = next;
    const lost = (): void => {
      if (client !== next) return;
      client = null;
      ready = null;
      if (!isEnded) waiting = clock.after(RECONNECT_MS, () => void connect());
    };
    next.on('error', lost);
    next.on('end', lost);
    try {
      await next.connect();
      await next.query(KEEPALIVE);
      await next.query('select pg_advisory_lock_shared($1, hashtext($2))', [PRESENCE_LOCK, owner]);
      ready = next;
    } catch (error) {
      log.warn('the database does not show that this server lives', {
        error: error instanceof Error ? error.message : String(error),
      });
      await next.end().catch(() => undefined);
      lost();
    }
  }

  /** A connection that didn't answer is replaced. */
  async function query<R extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<R[]> {
    const own = ready;
    if (own === null) throw new Error('The connection that shows that this server lives is lost.');
    try {
      return (await own.query<R>(text, [...values])).rows;
    } catch (error) {
      void own.end().catch(() => undefined);
      throw error;
    }
  }

  return {
    announced: connect(),
    async beat() {
      const before = BEAT_LOCK + (beats % BEAT_LOCKS);
      beats += 1;
      await query(
        `select pg_advisory_lock_shared($1::int, hashtext($3)), case when exists (
          select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and classid::bigint = $2::int
        ) then pg_advisory_unlock_shared($2::int, hashtext($3)) end`,
        [BEAT_LOCK + (beats % BEAT_LOCKS), before, owner],
      );
    },
    async readBeats(owners) {
      const rows = await query<{ readonly owner: string; readonly mark: string | null }>(
        `select o.owner, string_agg(l.classid::text || '-' || l.pid, ' ' order by l.pid, l.classid)
          filter (where l.classid::bigint <> $2::int) as mark
        from unnest($1::text[]) as o(owner) join pg_locks as l on l.objid::bigint = hashtext(o.owner)::bigint & 4294967295
        where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
          and (l.classid::bigint = $2::int or l.classid::bigint between ${BEAT_LOCK} and ${BEAT_LOCK + BEAT_LOCKS})
          and l.database = (select oid from pg_database where datname = current_database())
        group by o.owner`,
        [owners, PRESENCE_LOCK],
      );
      return new Map(rows.map(({ owner: other, mark }) => [other, mark]));
    },
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
  beat: () => Promise.resolve(),
  readBeats: () => Promise.resolve(new Map()),
  end: () => Promise.resolve(),
};

/** A condition: the process with this name has a connection that shows that it lives. */
export const isPresent = (owner: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from pg_locks as l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint = ${PRESENCE_LOCK} and l.objid::bigint = hashtext(${owner})::bigint & 4294967295)`;

/** Whether the process with this name has such a connection. Citus refuses the condition in an INSERT. */
export async function isServerPresent(db: Transaction<Database>, owner: string): Promise<boolean> {
  const { rows } = await sql<{ readonly isThere: boolean }>`
    select ${isPresent(sql`${owner}::text`)} as "isThere"`.execute(db);
  return rows[0]?.isThere ?? false;
}
