import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import { Pool, type PoolClient, type PoolConfig, type QueryResult, types } from 'pg';
import type { Ms } from '#contract/ids.ts';
import { storable } from '#contract/stored-text.ts';
import type { Clock, Log } from '../app-context.ts';
import type { Database } from './database.ts';
import { openEmbedded, type EmbeddedLocation } from './embedded.ts';
import { preparedName } from './prepared.ts';
import type { SpaceWatch } from './space.ts';
import type { Db } from './store.ts';
import { makeTimelineGuard, type TimelineGuard } from './timeline.ts';

/** int8 as a number; numeric, date and interval as text: the same for both databases. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  20: (text) => Number(text),
  1700: (text) => text,
  1082: (text) => text,
  1186: (text) => text,
};

/**
 * Connects to the embedded database: its thread, and one connection, which is one session. Callers
 * wait without a limit until it is free.
 */
export async function connectPglite(
  place: EmbeddedLocation,
  log: Log,
  clock: Clock,
  space: SpaceWatch | null,
): Promise<{
  readonly db: Db;
  readonly allow: (ms: Ms) => void;
  readonly finishFlush: () => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  const embedded = await openEmbedded(place, {
    clock,
    space,
    stopped(error, againInMs) {
      log.error(
        againInMs === null
          ? 'the embedded database has stopped and is gone'
          : 'the embedded database has stopped and is begun again',
        { error, againInMs },
      );
    },
    again() {
      log.warn('the embedded database is there again');
    },
  });
  const db = getDb(
    {
      stream: () => embedded.connect(),
      max: 1,
      idleTimeoutMillis: 0,
      user: 'postgres',
      database: 'postgres',
    },
    log,
    null,
  );
  return {
    db,
    allow: (ms) => {
      embedded.allow(ms);
    },
    finishFlush: () => embedded.finishFlush(),
    close: async () => {
      await db.destroy();
      await embedded.close();
    },
  };
}

/** `connections`: how many at most. */
export const connectPostgres = (url: string, log: Log, connections = 10): Db =>
  getDb(
    {
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 60_000,
      idle_in_transaction_session_timeout: 60_000,
      application_name: 'daybook',
      // Compiling a statement takes longer than any of ours; options in the URL take precedence.
      options: '-c jit=off',
    },
    log,
    makeTimelineGuard(log),
  );

/** `pipeline`: statements issued together travel together. */
function getDb(config: PoolConfig, log: Log, guard: TimelineGuard | null): Db {
  const getTypeParser = ((oid: number, format?: 'text') =>
    PARSERS[oid] ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser;
  const pool = new Pool({ ...config, pipeline: true, types: { getTypeParser } });
  // A lost connection, idle or in use, is reported here. Its user also gets an error from the
  // query.
  pool.on('error', (error) => log.warn('a database connection was lost', { error: error.message }));
  pool.on(
    'connect',
    (client) =>
      void client.on('error', (error) =>
        log.warn('a database connection was lost', { error: error.message }),
      ),
  );
  return new Kysely<Database>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => preparing(await admitted(await pool.connect(), guard), guard),
        end: () => pool.end(),
        options: pool.options,
      },
    }),
  });
}

/** A final guard: U+0000 in a parameter would fail the whole statement (TEXT-1). */
const storableValue = (value: unknown): unknown =>
  typeof value === 'string' ? storable(value) : value;

/** Returns a connection that leads to the timeline of the devices' epochs. */
async function admitted(client: PoolClient, guard: TimelineGuard | null): Promise<PoolClient> {
  try {
    await guard?.admit(client);
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/**
 * A connection as Kysely uses it. If a rollback fails, or it leads elsewhere than before, the
 * connection is dropped.
 */
function preparing(client: PoolClient, guard: TimelineGuard | null): PostgresPoolClient {
  let broken = false;
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('Cursors are declared in SQL here.');
    const check = guard?.statement() ?? null;
    if (check !== null && /^begin\b/.test(text)) return begin(text, check);
    const query = client.query({
      name: preparedName(text),
      text,
      values: values.map(storableValue),
    });
    if (text === 'rollback')
      query.catch(() => {
        broken = true;
      });
    return query;
  }
  /** The check travels with the other statements, and is before those that change the role. */
  async function begin(text: string, check: string): Promise<QueryResult> {
    const [first = '', ...others] = text.split('; ');
    const results = await client.query([first, check, ...others].join('; '));
    const [begun, checked] = results as unknown as readonly QueryResult[];
    if (begun === undefined)
      throw new Error('PostgreSQL returned one result for several statements.');
    try {
      guard?.check(client, checked?.rows[0]);
    } catch (error) {
      broken = true;
      throw error;
    }
    return begun;
  }
  return {
    query,
    release: (destroy) => {
      client.release(destroy === true || broken);
    },
  };
}
