import { sql as raw } from 'kysely';
import { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { openStore } from '#server/platform/db/open.ts';
import { retrying, StoreError } from '#server/platform/db/retry.ts';
import { freshUrl, missing, QUIET } from './databases.ts';
import { storeFailure } from '#server/platform/http/envelope.ts';
import { anExecution, aPlace } from '../ingest/fixtures.ts';
import { aTenant, byClock, jobDraft } from './drafts.ts';

let url = '';
beforeAll(async () => {
  if (missing === '') url = await freshUrl();
}); // a busy machine

test.skipIf(missing !== '')(
  `STORE-2: a lost connection, a deadlock and a serialization failure are retried; nothing happens twice${missing}`,
  async () => {
    const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
    const operator = new Client(url);
    await operator.connect();
    try {
      const tenant = await aTenant(store);
      let tries = 0;
      const logged = await store.tenant(tenant, async (tx) => {
        tries++;
        const some = await tx.append([jobDraft(1)], byClock);
        if (tries === 1)
          await raw`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx.sql);
        if (tries === 2)
          await raw`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx.sql);
        if (tries === 3) {
          const {
            rows: [me],
          } = await raw<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.sql);
          await operator.query('select pg_terminate_backend($1)', [me?.pid]);
          await tx.head();
        }
        return some;
      });
      expect(tries).toBe(4);
      expect(logged.map((one) => one.seq)).toEqual([1]);
      expect(await store.tenant(tenant, (tx) => tx.eventsAfter(0, 9))).toHaveLength(1);

      let refused = 0;
      await expect(
        store.tenant(tenant, async (tx) => {
          refused++;
          await raw`do $$ begin raise exception using errcode = '40P01'; end $$`.execute(tx.sql);
        }),
      ).rejects.toMatchObject({ name: 'StoreError', kind: 'deadlock' });
      expect(refused, 'bounded').toBe(5);
    } finally {
      await operator.end();
      await store.close();
    }
  },
);

test('STORE-3: a connection lost while committing is not retried: the outcome is unknown', async () => {
  let tries = 0;
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), {});
  await expect(
    retrying(
      systemClock,
      () => {
        tries++;
        return Promise.reject(lost);
      },
      () => true,
    ),
  ).rejects.toMatchObject({ kind: 'unknown' });
  expect(tries).toBe(1);
  await expect(
    retrying(
      systemClock,
      () => Promise.reject(new TypeError('a bug')),
      () => false,
    ),
  ).rejects.not.toBeInstanceOf(StoreError);
});

test.skipIf(missing !== '')(
  `STORE-13: a lack of resources is retried and distinguished from a full disk, which is not${missing}`,
  async () => {
    const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
    try {
      const tenant = await aTenant(store);
      const place = await aPlace(store);
      const failing = async (code: string): Promise<readonly [number, unknown]> => {
        let tries = 0;
        const error = await store
          .tenant(tenant, async (tx) => {
            tries += 1;
            await raw
              .raw(`do $$ begin raise exception using errcode = '${code}'; end $$`)
              .execute(tx.sql);
          })
          .catch((one: unknown) => one);
        return [tries, error instanceof StoreError ? error.kind : error];
      };
      expect(await failing('53100')).toEqual([1, 'disk-full']);
      for (const code of ['53000', '53200', '53300', '53400'])
        expect(await failing(code)).toEqual([5, 'resources']);

      // Every insert of a log fails as on a full disk, then as without memory: what was given to be
      // stored comes back later.
      const operator = new Client(url);
      await operator.connect();
      await operator.query(
        `create function no_space() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100'; end $$`,
      );
      await operator.query(
        'create trigger no_space before insert on event for each row execute function no_space()',
      );
      const refused = [await place.ping('/files'), await place.post('executions', anExecution())];
      expect(
        refused.map(({ status, headers }) => [status, Number(headers.get('retry-after')) >= 1]),
      ).toEqual([
        [507, true],
        [507, true],
      ]);
      await operator.query(
        `create or replace function no_space() returns trigger language plpgsql as $$ begin raise exception using errcode = '53200'; end $$`,
      );
      expect([
        (await place.ping('/files')).status,
        (await place.post('executions', anExecution())).status,
      ]).toEqual([503, 503]);
      await operator.query('drop trigger no_space on event');
      await operator.end();
      expect([
        (await place.ping('/files')).status,
        (await place.post('executions', anExecution())).status,
      ]).toEqual([200, 200]);
    } finally {
      await store.close();
    }
  },
);

test('STORE-3, HTTP-1: the answer to each database error, and when to retry', () => {
  expect(
    (['disk-full', 'resources', 'connection', 'unknown'] as const).map((kind) =>
      storeFailure(new StoreError(kind, null), 1_000),
    ),
  ).toMatchObject([
    { kind: 'out-of-space', retryAfterMs: 5_000 },
    { kind: 'busy', retryAfterMs: 1_000 },
    { kind: 'busy' },
    // It may have been done: nobody is told that it was not.
    {
      kind: 'busy',
      message: 'The server lost its database while saving. Check whether the change was saved.',
    },
  ]);
  expect(storeFailure(new Error('a bug'), 1_000)).toBeNull();
});
