import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyStore, embedded, freshStore, missing } from './databases.ts';
import { parseNoted, takeNoted } from './noted-statements.ts';

test.skipIf(missing !== '')(
  `STORE-1: what a suite sends to PostgreSQL alone is refused if the embedded database doesn't understand it${missing}`,
  async () => {
    const store = await anyStore();
    await store.across(
      async (tx) => {
        await sql`reset role`.execute(tx);
        await sql`create table only_here (n int)`.execute(tx);
        await sql`select n from only_here where n in (1, ${2})`.execute(tx);
      },
      { readOnly: false },
    );
    await expect(parseNoted(takeNoted(), embedded)).rejects.toThrow(
      'select n from only_here where n in (1, $1)',
    );
    await expect(
      store.system((tx) => sql`select from tenant_list where tenant_id = 'none'`.execute(tx)),
    ).rejects.toThrow('invalid input syntax');
    await store.system((tx) => sql`select tenant_id from tenant_list`.execute(tx));
    await expect(parseNoted(takeNoted(), embedded)).resolves.toBeUndefined();
  },
);

test.skipIf(missing !== '')(
  `SCALE-1, STORE-24: what a store with a PostgreSQL database of its own sends is noted, too${missing}`,
  async () => {
    const store = await freshStore('postgres');
    await store.system((tx) => sql`select value as noted from server_setting`.execute(tx));
    expect(takeNoted().map(({ text }) => text)).toContain(
      'select value as noted from server_setting',
    );
  },
);
