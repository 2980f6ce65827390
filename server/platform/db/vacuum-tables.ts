import { CompiledQuery, sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';
import { LONG_MESSAGE_MS } from './embedded.ts';
import { repeat } from './repeat.ts';
import type { Db } from './store.ts';

const EVERY_MS: Ms = 10_000;
/** A database with more transactions a second is busy: it is only vacuumed when much is due. */
const BUSY_PER_SECOND = 20;
/** How many times as many rows as usual are due before a busy database is vacuumed, too. */
const BUSY_FACTOR = 4;
/** Rows of the sample for the planner are 300 times this number. Limits how long readers wait. */
const STATISTICS_TARGET = 10;

interface VacuumOptions {
  /** @default 10,000 */
  readonly everyMs?: Ms;
  /** Whether nothing may be written, because the disk is full. */
  readonly isPaused: () => Promise<boolean>;
}

/**
 * Vacuums and analyzes the tables of the embedded database, one table at a time, while it has little to
 * do. PGlite has no autovacuum: without this, deleted rows and former versions of rows never give
 * their space back. Tables are done often, so that each time is short: the only connection, and
 * with it all readers, wait meanwhile.
 *
 * @returns a function that stops it. Its promise resolves when no table is being vacuumed.
 */
export function vacuumTables(
  db: Db,
  clock: Clock,
  log: Log,
  allow: (ms: Ms) => void,
  { everyMs = EVERY_MS, isPaused }: VacuumOptions,
): () => Promise<void> {
  let before: number | null = null;

  async function vacuumNext(isStopped: () => boolean): Promise<void> {
    if (await isPaused()) return;
    const { rows } = await db.executeQuery(TRANSACTIONS);
    const transactions = rows[0]?.transactions ?? 0;
    const isBusy = before === null || transactions - before > (BUSY_PER_SECOND * everyMs) / 1_000;
    before = transactions;
    const [due] = (await db.executeQuery(findDue(isBusy ? BUSY_FACTOR : 1))).rows;
    if (due === undefined || isStopped()) return;
    await db.connection().execute(async (connection) => {
      allow(LONG_MESSAGE_MS);
      await sql`vacuum ${sql.raw(due.name)}`.execute(connection);
      await sql`set default_statistics_target = ${sql.lit(STATISTICS_TARGET)}`.execute(connection);
      await sql`analyze ${sql.raw(due.name)}`.execute(connection);
      await sql`reset default_statistics_target`.execute(connection);
    });
  }

  return repeat(clock, everyMs, vacuumNext, (error) => {
    log.warn('a table could not be vacuumed, and is tried again', { error });
  });
}

const TRANSACTIONS = CompiledQuery.raw(
  'select xact_commit::bigint as transactions from pg_stat_database where datname = current_database()',
) as CompiledQuery<{ readonly transactions: number }>;

/**
 * Finds the table with the most rows that are due: deleted, replaced or added since its last vacuum, more
 * than 1,000 and a twentieth of the table. Due, too: a table of ours of more than 16 pages whose counts
 * were lost in a crash, and one whose transaction numbers are old (PostgreSQL stops writing when they
 * are 2,000 million transactions old).
 */
const findDue = (factor: number): CompiledQuery<{ readonly name: string }> =>
  CompiledQuery.raw(`
    select c.oid::regclass::text as name
    from pg_stat_all_tables as s join pg_class as c on c.oid = s.relid
    where c.relkind = 'r' and c.relpersistence = 'p' and (
      greatest(s.n_dead_tup, s.n_ins_since_vacuum) > ${factor} * (1000 + 0.05 * greatest(c.reltuples, 0))
      or (s.last_vacuum is null and s.schemaname = 'public' and pg_relation_size(c.oid) > 16 * 8192)
      or age(c.relfrozenxid) > 150000000)
    order by greatest(s.n_dead_tup, s.n_ins_since_vacuum) desc, age(c.relfrozenxid) desc
    limit 1`);
