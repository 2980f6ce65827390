import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeSharedLimits, type SharedLimits } from '#server/platform/rate-limit/shared-limits.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { freshStore, missing } from '../db/databases.ts';
import { makeFixture } from './fixtures.ts';

const PATIENT = { timeout: 60_000 };

test('HTTP-26: what others have counted fills the same minute, which ends for all with that of the first', () => {
  const limit = makePerMinuteLimit(10);
  expect(limit.count('a', 1_000).left).toBe(9);
  expect(limit.getOwn('a', 5_000)).toEqual({ ageMs: 4_000, calls: 1 });
  limit.setOthers('a', { ageMs: 30_000, calls: 7 }, 5_000);
  // Its minute began 25 seconds before the first call here.
  expect(limit.count('a', 6_000)).toEqual({ isOver: false, left: 1, resetMs: 29_000 });
  expect(limit.ask('a', 7_000)).toBeNull();
  expect(limit.ask('a', 8_000)).toBe(27_000);
  // The count is replaced, not added.
  limit.setOthers('a', { ageMs: 33_000, calls: 6 }, 8_000);
  expect(limit.ask('a', 9_000)).toBe(26_000);
  // The next minute begins without the others, and nobody else is affected.
  expect(limit.count('a', 35_000)).toEqual({ isOver: false, left: 9, resetMs: 60_000 });
  expect(limit.count('b', 9_000).left).toBe(9);
  // Who has not called here, and what is over, is not known.
  limit.setOthers('c', { ageMs: 1, calls: 100 }, 9_000);
  expect([
    limit.count('c', 9_000).left,
    limit.getOwn('d', 9_000),
    limit.getOwn('a', 95_000),
  ]).toEqual([9, null, null]);
});

test.skipIf(missing !== '')(
  `HTTP-26: a limit holds over the servers of a database; callers far below it cost nothing, and only hashes are stored${missing}`,
  async () => {
    const store = await freshStore('postgres');
    const fixture = await makeFixture({}, store);
    const { context } = fixture;
    let queries = 0;
    let answers = 0;
    const counting = {
      ...context,
      store: {
        ...store,
        system: ((work) => {
          queries += 1;
          return store.system(work).finally(() => {
            answers += 1;
          });
        }) as typeof store.system,
      },
    };
    const servers: SharedLimits[] = [];
    const begin = (): SharedLimits => {
      const one = makeSharedLimits(counting);
      one.start(() => false);
      servers.push(one);
      return one;
    };
    try {
      const [first, second] = [begin(), begin()].map((one) => one.perMinute('results', 60));
      const now = context.clock.now();
      const add = (limit: typeof first, who: string, calls: number): void => {
        for (let n = 0; n < calls; n += 1) limit?.ask(who, now);
      };
      add(first, 'a quiet key', 5);
      add(second, 'a quiet key', 5);
      expect(queries).toBe(0);
      // Each server alone would allow 60.
      add(first, '203.0.113.7', 40);
      add(second, '203.0.113.7', 30);
      await expect.poll(() => answers, PATIENT).toBe(2);
      // Each has stored its own. What it stores next brings what the other has.
      add(first, '203.0.113.7', 1);
      add(second, '203.0.113.7', 1);
      await expect.poll(() => answers, PATIENT).toBe(4);
      expect([first, second].map((one) => one?.getOwn('203.0.113.7', now)?.calls)).toEqual([
        41, 31,
      ]);
      expect([first, second].map((one) => one?.ask('203.0.113.7', now) !== null)).toEqual([
        true,
        true,
      ]);
      const { rows } = await store.system((db) =>
        sql<{ caller: string }>`select caller from shared_count`.execute(db),
      );
      expect(rows.length).toBe(2);
      expect(new Set(rows.map(({ caller }) => caller)).size).toBe(1);
      for (const { caller } of rows) expect(caller).toMatch(/^[\w-]{43}$/);
      // Another name and another caller have counts of their own.
      expect(second?.count('another key', now).left).toBe(59);
      expect(first?.count('a quiet key', now).left).toBe(54);
      // Old counts of other servers are deleted.
      await store.system((db) =>
        sql`update shared_count set began_at = now() - interval '3 minutes'`.execute(db),
      );
      add(first, 'a new key', 10);
      await expect
        .poll(
          async () =>
            (
              await store.system((db) =>
                sql<{
                  n: number;
                }>`select count(*)::int as n from shared_count where began_at < clock_timestamp() - interval '2 minutes'`.execute(
                  db,
                ),
              )
            ).rows[0]?.n,
          PATIENT,
        )
        .toBeLessThan(2);
    } finally {
      for (const one of servers) one.stop();
    }
  },
);

test.skipIf(missing !== '')(
  `HTTP-26: a server that is alone exchanges nothing${missing}`,
  async () => {
    const { context } = await makeFixture({}, await freshStore('postgres'));
    const shared = makeSharedLimits({
      ...context,
      store: { ...context.store, system: () => Promise.reject(new Error('It queries.')) },
      clock: {
        ...context.clock,
        after: () => {
          throw new Error('It began a timer.');
        },
      },
    });
    shared.start(() => true);
    const limit = shared.perMinute('results', 60);
    for (let n = 0; n < 60; n += 1) expect(limit.ask('a key', 1_000)).toBeNull();
    expect(limit.ask('a key', 1_000)).toBe(60_000);
  },
);
