import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { connectPglite } from '#server/platform/db/connect.ts';
import { openStore } from '#server/platform/db/open.ts';
import { vacuumTables } from '#server/platform/db/vacuum-tables.ts';
import { makeLog } from '#server/platform/log.ts';
import { migratedFolder, migratedImage, QUIET } from './databases.ts';

/** How often a server looks for a table to vacuum. */
const VACUUM_MS = 10_000;
let dir: string;
let connected: Awaited<ReturnType<typeof connectPglite>>;
const lines: string[] = [];
const log = makeLog(systemClock, (_level, line) => lines.push(line));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-vacuum-'));
  const place = { dir, image: migratedImage(), flushes: true };
  connected = await connectPglite(place, log, systemClock, null);
});
afterAll(async () => {
  await connected.close();
  await rm(dir, { recursive: true, force: true });
});

const ask = async <R>(text: string): Promise<readonly R[]> =>
  (await connected.db.executeQuery<R>(CompiledQuery.raw(text))).rows;

const getPages = async (): Promise<number> =>
  Number(
    (await ask<{ pages: string }>("select pg_relation_size('noise') / 8192 as pages"))[0]?.pages,
  );

/** Deletes all rows and writes as many again. */
const replace = async (): Promise<void> => {
  await ask('delete from noise');
  await ask(
    'insert into noise select n, repeat(md5(n::text), 20) from generate_series(1, 8000) as n',
  );
};

/** Returns how often the table was vacuumed, with counts that are not a moment old. */
const countVacuums = async (): Promise<number> => {
  await ask('select pg_stat_force_next_flush()');
  const [row] = await ask<{ count: string; dead: string }>(
    "select vacuum_count as count from pg_stat_all_tables where relname = 'noise'",
  );
  return Number(row?.count);
};

test('STORE-22: rows that replace deleted ones make the embedded database larger each time, and take their place once they are vacuumed', async () => {
  await ask('create table noise (n int primary key, text text)');
  await replace();
  const once = await getPages();
  await replace();
  await replace();
  expect(await getPages()).toBeGreaterThan(2.9 * once);

  let isPaused = true;
  let looks = 0;
  const stop = vacuumTables(connected.db, systemClock, log, connected.allow, {
    everyMs: 50,
    isPaused: () => {
      looks += 1;
      return Promise.resolve(isPaused);
    },
  });
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(await countVacuums()).toBe(0);

  isPaused = false;
  await expect.poll(countVacuums).toBe(1);
  const limit = await getPages();
  for (let turn = 2; turn <= 6; turn++) {
    await replace();
    await expect.poll(countVacuums).toBe(turn);
  }
  expect(await getPages()).toBeLessThanOrEqual(limit);
  const [planned] = await ask<{ rows: number }>(
    "select reltuples::float as rows from pg_class where relname = 'noise'",
  );
  expect(planned?.rows).toBeCloseTo(8000, -3);
  await stop();
  expect(lines).toEqual([]);
}, 300_000);

test('STORE-22: a server on the embedded database vacuums its tables', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-vacuum-'));
  await migratedFolder(dataDir);
  const clock: Clock = {
    ...systemClock,
    after: (ms, work) => systemClock.after(ms === VACUUM_MS ? 100 : ms, work),
  };
  const store = await openStore({ ...QUIET, dataDir, databaseUrl: null, clock });
  await store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`create table noise as select repeat(md5(n::text), 20) as text from generate_series(1, 1000) as n`.execute(
      db,
    );
  });
  const countVacuumed = async (): Promise<number> =>
    store.system(async (db) => {
      const { rows } = await sql<{
        times: number;
      }>`select vacuum_count::int as times from pg_stat_all_tables where relname = 'noise'`.execute(
        db,
      );
      return rows[0]?.times ?? 0;
    });
  await expect.poll(countVacuumed).toBe(1);
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}, 300_000);
