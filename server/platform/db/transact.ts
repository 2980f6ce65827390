import { CompiledQuery, type DatabaseConnection, PostgresDialect, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Db } from './store.ts';

/**
 * Runs a transaction whose statements are sent as issued, without waiting for earlier ones. The
 * database runs them in this order. `begin` may be several statements. `on` is called before
 * `begin` and before the commit are sent. Statements issued after the end are refused.
 */
export function inTransaction<T>(
  db: Db,
  begin: string,
  work: (tx: Transaction<Database>) => Promise<T>,
  on: { readonly begin: () => void; readonly commit: () => void },
): Promise<T> {
  const executor = db.getExecutor();
  return executor.provideConnection(async (connection) => {
    let over = false;
    const guarded: DatabaseConnection = {
      executeQuery: (query) =>
        over
          ? Promise.reject(new Error('The transaction is over.'))
          : connection.executeQuery(query),
      streamQuery: () => {
        throw new Error('Cursors are declared in SQL here.');
      },
    };
    const tx = new Transaction<Database>({
      ...UNUSED,
      executor: executor.withConnectionProvider({
        provideConnection: (consumer) => consumer(guarded),
      }),
    });
    try {
      on.begin();
      await connection.executeQuery(CompiledQuery.raw(begin));
      const value = await work(tx);
      over = true;
      on.commit();
      const {
        rows: [ended],
      } = await connection.executeQuery<{ readonly command: string }>(CompiledQuery.raw('commit'));
      if (ended?.command !== 'COMMIT')
        throw new Error('The transaction was taken back: one of its statements had failed.');
      return value;
    } catch (error) {
      over = true;
      // If this fails, the connection is not used again.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
      throw error;
    }
  });
}

/** A transaction can't open connections or nested transactions. */
const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('A transaction opens nothing.')),
});
const UNUSED = { config: { dialect }, dialect, driver: dialect.createDriver() };
