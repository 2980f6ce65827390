import { CompiledQuery, type DatabaseConnection, PostgresDialect, Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Db } from './store.ts';

/**
 * A transaction whose statements go to the database as they are given, without waiting for those
 * before: the database does them in this order. `begin` may be several statements. `on` is
 * called before they and before the commit are sent. What is given after the end is refused.
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
      // Where this fails the connection is not used again.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
      throw error;
    }
  });
}

/** What a transaction would open connections and transactions with, which it refuses. */
const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('A transaction opens nothing.')),
});
const UNUSED = { config: { dialect }, dialect, driver: dialect.createDriver() };
