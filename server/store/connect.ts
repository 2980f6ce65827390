import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Log } from '../world.ts';
import type { Database } from './database.ts';
import type { Db } from './store.ts';

/** int8 as a number; numeric, date and interval as text: the same from both databases. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  20: (text) => Number(text),
  1700: (text) => text,
  1082: (text) => text,
  1186: (text) => text,
};

/** `dir` null: in memory. `image`: a database folder as `dumpDataDir` gives it, to start from. */
export async function connectPglite(dir: string | null, image: Blob | null): Promise<Db> {
  const pglite = await PGlite.create({ ...(dir === null ? {} : { dataDir: dir }), ...(image === null ? {} : { loadDataDir: image }), parsers: { ...PARSERS } });
  return new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) });
}

export function connectPostgres(url: string, log: Log): Db {
  const pool = new Pool({
    connectionString: url, max: 10, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 60_000,
    idle_in_transaction_session_timeout: 60_000, application_name: 'daybook',
    types: { getTypeParser: ((oid: number, format?: 'text') => PARSERS[oid] ?? types.getTypeParser(oid, format)) as typeof types.getTypeParser },
  });
  // A connection that dies, idle or in use, says so here; whoever was using it hears it from its own query.
  pool.on('error', (error) => log.warn('a database connection was lost', { error: error.message }));
  pool.on('connect', (client) => void client.on('error', (error) => log.warn('a database connection was lost', { error: error.message })));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
