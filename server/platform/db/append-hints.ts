import { Client } from 'pg';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';

/** A provider's log has grown. The payload is the ID of the provider. */
const APPENDED = 'daybook_appended';
/** A server has begun to listen. Without a payload. */
const JOINED = 'daybook_joined';
/** The first number of the session locks of those that listen. It must never change. */
const LISTENER_LOCK = 7_203_414;
/** Hints of this time are sent together, one for each provider. */
const GATHER_MS: Ms = 20;
/** How often it checks its connection, and whether others listen. */
const CHECK_MS: Ms = 10_000;
/** How long PostgreSQL may take to answer, or to return the notification about itself. */
const ANSWER_MS: Ms = 10_000;
const FIRST_RETRY_MS: Ms = 1_000;
const LONGEST_RETRY_MS: Ms = 30_000;

/** Hints between servers. Lost ones are found by polling. */
export interface AppendHints {
  /** Resolves when it listens to the others, or when its first attempt failed. */
  readonly connected: Promise<void>;
  /** Returns whether no other server listens. False while it is unknown. */
  isAlone(): boolean;
  /** Tells the others that the log of a provider has grown. */
  send(tenant: TenantId): void;
  end(): Promise<void>;
}

/** Returns the wait in ms before this attempt to connect again; `attempt` begins with 1. */
export const reconnectWait = (attempt: number): Ms =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(20, attempt - 1));

/**
 * Connects to the other servers on this PostgreSQL database, by LISTEN and NOTIFY on a connection of
 * its own: `NOTIFY` locks the whole database while its transaction commits, which no transaction
 * that stores data may wait for (SYNC-20). `onAppended` is called for appends of other servers.
 */
export function connectAppendHints(
  url: string,
  clock: Clock,
  log: Log,
  onAppended: (tenant: TenantId) => void,
): AppendHints {
  const pending = new Set<TenantId>();
  let client: Client | null = null;
  /** Whether another server listens. */
  let hasOthers = false;
  let isConnected = false;
  let isEnded = false;
  let failures = 0;
  /** Ends when the connection is free: it takes one statement at a time. */
  let free: Promise<unknown> = Promise.resolve();
  let flush: { cancel(): void } | null = null;
  let later: { cancel(): void } | null = null;

  function ask<R extends object>(
    of: Client,
    text: string,
    values: readonly string[] = [],
  ): Promise<readonly R[]> {
    const answer = free.then(async () => (await of.query<R>(text, [...values])).rows);
    free = answer.catch(() => undefined);
    return answer;
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    hasOthers = false;
    isConnected = false;
    pending.clear();
    later?.cancel();
    void lost.end().catch(() => undefined);
    if (isEnded) return;
    failures += 1;
    later = clock.after(reconnectWait(failures), () => void connect());
  }

  async function connect(): Promise<void> {
    const next = new Client({
      connectionString: url,
      application_name: 'daybook-hints',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client = next;
    const echo = Promise.withResolvers<void>();
    let own: number | null = null;
    next.on('error', () => {
      lose(next);
    });
    next.on('end', () => {
      lose(next);
    });
    next.on('notification', ({ channel, payload, processId }) => {
      if (processId === own) return channel === JOINED ? echo.resolve() : undefined;
      if (channel === JOINED) hasOthers = true;
      else if (payload !== undefined && payload !== '') onAppended(payload as TenantId);
    });
    try {
      await next.connect();
      const { rows } = await next.query<{ pid: number }>('select pg_backend_pid() as pid');
      own = rows[0]?.pid ?? null;
      // A lost hint is harmless, so its commit doesn't wait for the disk while it has the lock.
      await next.query(
        `set synchronous_commit = off; select pg_advisory_lock_shared(${LISTENER_LOCK}, 0); listen ${APPENDED}; listen ${JOINED}`,
      );
      await next.query(`notify ${JOINED}`);
      const timer = clock.after(ANSWER_MS, () => {
        echo.reject(new Error('PostgreSQL returned no notification. Is a pooler in between?'));
      });
      await echo.promise.finally(() => {
        timer.cancel();
      });
      await check(next);
      failures = 0;
    } catch (error) {
      // Each series of failures is logged once.
      if (failures === 0 && !isEnded)
        log.warn('hints of other servers are not received, so browsers hear of them by polling', {
          error: error instanceof Error ? error.message : String(error),
        });
      lose(next);
    }
  }

  async function check(of: Client): Promise<void> {
    const [row] = await ask<{ readonly others: boolean }>(
      of,
      `select count(*) > 1 as others from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database()) and classid::bigint = ${LISTENER_LOCK}`,
    );
    if (client !== of) return;
    hasOthers = row?.others === true;
    isConnected = true;
    later = clock.after(CHECK_MS, () => {
      check(of).catch(() => {
        lose(of);
      });
    });
  }

  function sendPending(): void {
    flush = null;
    const to = client;
    if (to === null || pending.size === 0) return;
    const tenants = `{${[...pending].join(',')}}`;
    pending.clear();
    ask(to, 'select pg_notify($1, tenant) from unnest($2::text[]) as t(tenant)', [
      APPENDED,
      tenants,
    ]).catch(() => {
      lose(to);
    });
  }

  return {
    connected: connect(),
    isAlone: () => isConnected && !hasOthers,
    send(tenant) {
      if (!hasOthers || isEnded) return;
      pending.add(tenant);
      flush ??= clock.after(GATHER_MS, sendPending);
    },
    async end() {
      isEnded = true;
      flush?.cancel();
      later?.cancel();
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
}

/** The embedded database has one server. */
export const NO_APPEND_HINTS: AppendHints = {
  connected: Promise.resolve(),
  isAlone: () => true,
  send: () => undefined,
  end: () => Promise.resolve(),
};
