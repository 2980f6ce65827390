import type { Transaction } from 'kysely';
import type { Database } from './database.ts';

/**
 * A transaction of `store.system`: settings of the server itself, which belong to no provider.
 */
export type ServerSettingsTx = Transaction<Database>;

/** The setting with the size of the demo data. A database without them has none. */
export const DEMO_SETTING = 'estate';

/** Returns null if it is not set. */
export const readSetting = async (sql: ServerSettingsTx, name: string): Promise<string | null> =>
  (
    await sql
      .selectFrom('server_setting')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst()
  )?.value ?? null;

/** If several servers write at once, the first value wins. */
export async function insertSetting(
  sql: ServerSettingsTx,
  name: string,
  value: string,
): Promise<void> {
  await sql
    .insertInto('server_setting')
    .values({ name, value })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
}

/** Changes nothing if another server has changed it meanwhile. */
export async function replaceSetting(
  sql: ServerSettingsTx,
  name: string,
  before: string,
  value: string,
): Promise<void> {
  await sql
    .updateTable('server_setting')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', before)
    .execute();
}
