import { sql as raw } from 'kysely';
import { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { openStore } from '#server/store/open.ts';
import { retrying, StoreFault } from '#server/store/retry.ts';
import { freshUrl, missing, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft } from './drafts.ts';

let url = '';
beforeAll(async () => {
  if (missing === '') url = await freshUrl();
}, 180_000); // a busy machine

test.skipIf(missing !== '')(`STORE-2: a lost connection, a deadlock and a serialization failure are tried again; nothing happens twice${missing}`, async () => {
  const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
  const operator = new Client(url);
  await operator.connect();
  try {
    const tenant = await aTenant(store);
    let tries = 0;
    const logged = await store.tenant(tenant, async (tx) => {
      tries++;
      const some = await tx.append([jobDraft(1)], byClock);
      if (tries === 1) await raw`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx.sql);
      if (tries === 2) await raw`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx.sql);
      if (tries === 3) {
        const { rows: [me] } = await raw<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.sql);
        await operator.query('select pg_terminate_backend($1)', [me?.pid]);
        await tx.head();
      }
      return some;
    });
    expect(tries).toBe(4);
    expect(logged.map((one) => one.seq)).toEqual([1]);
    expect(await store.tenant(tenant, (tx) => tx.eventsAfter(0, 9))).toHaveLength(1);

    let refused = 0;
    await expect(store.tenant(tenant, async (tx) => {
      refused++;
      await raw`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx.sql);
    })).rejects.toMatchObject({ name: 'StoreFault', kind: 'deadlock' });
    expect(refused, 'bounded').toBe(5);
  } finally {
    await operator.end();
    await store.close();
  }
});

test('STORE-3: a connection lost while committing is not tried again: the outcome is not known', async () => {
  let tries = 0;
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), {});
  await expect(retrying(systemClock, () => { tries++; return Promise.reject(lost); }, () => true)).rejects.toMatchObject({ kind: 'unknown' });
  expect(tries).toBe(1);
  await expect(retrying(systemClock, () => Promise.reject(new TypeError('a bug')), () => false)).rejects.not.toBeInstanceOf(StoreFault);
});
