import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { openEmbedded } from '#server/platform/db/embedded.ts';
import { getFloor } from '#server/platform/db/space.ts';
import { Pool } from 'pg';
import { migratedFolder } from './databases.ts';
import {
  aSite,
  atEnd,
  call,
  type Disk,
  endAll,
  expectWhole,
  mayMount,
  MB,
  pinger,
  pretendedDisk,
  signIn,
  smallDisk,
} from './full-site.ts';

afterEach(endAll);

/** Answers the status of the last ping, after a restart. */
async function fillAndFree(disk: Disk): Promise<number> {
  const site = await aSite(disk);
  const pings = pinger(site, 100_000);
  const small = pinger(site, 10);
  expect(await pings.ping()).toBe(200);
  const { token } = await signIn(site);
  disk.fill(28 * MB);
  await expect.poll(pings.ping, { timeout: 120_000, interval: 5 }).toBe(507);
  expect(Number(pings.last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const executions = await fetch(`${site.at()}/api/v1/ingest/executions`, {
    method: 'POST',
    body: JSON.stringify({
      job: 'Files',
      status: 'Success',
      startTime: new Date(systemClock.now() - 60_000).toISOString(),
    }),
    headers: { 'authorization': `Bearer ${site.secret}`, 'content-type': 'application/json' },
  });
  expect([executions.status, Number(executions.headers.get('retry-after')) > 0]).toEqual([
    507,
    true,
  ]);
  expect(await executions.json()).toMatchObject({
    success: false,
    error: { kind: 'out-of-space' },
  });
  // Whoever is in reads on; whoever is not gets in, and out again.
  expect((await call(site, 'GET', 'admin/overview', token)).status).toBe(200);
  await expect
    .poll(async () => (await signIn(site)).status, { timeout: 60_000 })
    .toBe(disk.args.length > 0 ? 507 : 200);
  // Somebody else takes the rest of the disk.
  disk.fill(0);
  for (let i = 0; i < 5; i++) expect(await small.ping()).toBe(507);
  expect((await call(site, 'GET', 'admin/overview', token)).status).toBe(200);
  const overview = (await (await call(site, 'GET', 'admin/overview', token)).json()) as {
    data: { storage: { state: string } | null };
  };
  expect(overview.data.storage?.state).toMatch(/^(low|full)$/);

  disk.free();
  await expect.poll(pings.ping, { timeout: 60_000, interval: 200 }).toBe(200);
  expect((await signIn(site)).status).toBe(200);
  expect(site.said()).toMatch(/disk space is back/);
  await site.stop();
  await expectWhole(site, [...pings.acknowledged, ...small.acknowledged]);
  await site.start();
  return pings.ping();
}

test('STORE-11: the minimum is 64 MB on a large disk, 5 % of a smaller one, and never less than the database needs to continue', () => {
  expect(
    [10 * 1024 ** 4, 1_280 * MB, 1_000 * MB, 100 * MB].map((total) => getFloor(total) / MB),
  ).toEqual([64, 64, 50, 24]);
});

const missing = mayMount() ? '' : ' (skipped: no tmpfs can be mounted)';
test.skipIf(missing !== '')(
  `G23, STORE-11: a disk that fills up under pings: writes are told to retry, reads and signing in continue, nothing is lost${missing}`,
  async () => {
    expect(await fillAndFree(smallDisk())).toBe(200);
  },
  600_000,
);

test('G23, STORE-11: the same on a disk that only pretends to be full', async () => {
  expect(await fillAndFree(pretendedDisk())).toBe(200);
}, 600_000);

test('G23, STORE-12: a database without space for its log reopens when there is space; until then all callers are asked to retry', async () => {
  const disk = pretendedDisk();
  const site = await aSite(disk);
  const pings = pinger(site, 100_000);
  expect(await pings.ping()).toBe(200);
  disk.fillLog();
  await expect.poll(pings.ping, { timeout: 300_000, interval: 5 }).toBeGreaterThanOrEqual(503);
  for (let i = 0; i < 5; i++) {
    expect([503, 507]).toContain(await pings.ping());
    expect(Number(pings.last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  expect(site.said()).toMatch(/the embedded database has stopped/);
  disk.free();
  await expect.poll(pings.ping, { timeout: 120_000, interval: 200 }).toBe(200);
  await site.stop();
  await expectWhole(site, pings.acknowledged);
}, 600_000);

test('STORE-12: a statement that exceeds its time is ended with its thread, and the database restarts; one with a longer limit continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-hung-'));
  atEnd(() => {
    rmSync(folder, { recursive: true });
  });
  await migratedFolder(folder);
  let stopped = 0;
  let again = 0;
  const embedded = await openEmbedded(
    { dir: join(folder, 'pg'), image: null, flushes: true },
    {
      clock: systemClock,
      space: null,
      stopped() {
        stopped++;
      },
      again() {
        again++;
      },
    },
  );
  const pool = new Pool({
    stream: () => embedded.connect(),
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    database: 'postgres',
    pipeline: true,
  }).on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  await pool.query('create table kept (n int)');
  await pool.query('insert into kept values (1)');
  embedded.allow(60_000);
  const counted = await pool.query<{ count: number }>(
    'with recursive x(n) as (select 1 union all select n + 1 from x where n < 2000000) select count(*)::int as count from x',
  );
  expect([counted.rows[0]?.count, stopped]).toEqual([2_000_000, 0]);
  embedded.allow(500);
  await expect(
    pool.query(
      'with recursive x(n) as (select 1 union all select n from x) select count(*) from x',
    ),
  ).rejects.toThrow(/^Connection terminated/);
  embedded.allow(60_000);
  await expect.poll(() => again, { timeout: 60_000 }).toBe(1);
  expect((await pool.query<{ n: number }>('select n from kept')).rows).toEqual([{ n: 1 }]);
  expect(stopped).toBe(1);
  await pool.end();
  await embedded.close();
});
