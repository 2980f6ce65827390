import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemChance } from '#server/chance.ts';
import { systemClock } from '#server/clock.ts';
import { firstStart } from '#server/first-start.ts';
import { keyHandlers } from '#server/monitoring/keys.ts';
import { openEmbedded } from '#server/store/embedded.ts';
import { type OpenStore, openStore } from '#server/store/open.ts';
import { rebuild } from '#server/store/rebuild.ts';
import { floorOf } from '#server/store/space.ts';
import type { World } from '#server/world.ts';
import { Pool } from 'pg';
import { anAsk } from '../monitoring/ground.ts';
import { migratedFolder, QUIET } from './databases.ts';

const PASSWORD = 'the wanted password', MB = 1024 * 1024;
const SHIM = join(import.meta.dirname, 'no-space.ts');

/** A data folder on a disk that can be filled, to the last byte or but for some, and emptied again. `log`: only for what the database logs, as by somebody who is faster than any look. */
interface Disk { readonly dir: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>>; fill(left: number): void; fillLog(): void; free(): void; gone(): void }

const mount = (dir: string): void => { execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', dir], { stdio: 'pipe' }); };
const unmount = (dir: string): void => { execFileSync('umount', ['-l', dir], { stdio: 'pipe' }); };

/** Whether this process may mount a tmpfs. */
function mayMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-small-'));
  try {
    mount(dir);
    unmount(dir);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A tmpfs. */
function smallDisk(): Disk {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-small-'));
  mount(dir);
  const filler = join(dir, 'filler');
  return {
    dir: join(dir, 'data'), args: [], env: {},
    fill(left) {
      const file = openSync(filler, 'a');
      try {
        for (let free = freeBytes(dir) - left; free > 0; free -= MB) writeSync(file, Buffer.alloc(Math.min(MB, free)));
      } catch (error) {
        expect((error as { code?: string }).code).toBe('ENOSPC');
      } finally {
        closeSync(file);
      }
    },
    fillLog() { throw new Error('A real disk is full for everybody.'); },
    free: () => { rmSync(filler); },
    gone: () => { unmount(dir); rmSync(dir, { recursive: true }); },
  };
}

/** A folder whose files do not grow when the test says so. */
function pretendedDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-small-')), dir = join(folder, 'data'), sign = join(folder, 'sign');
  return {
    dir, args: ['--import', SHIM], env: { NO_SPACE: sign },
    fill: () => { writeFileSync(sign, 'all'); },
    fillLog: () => { writeFileSync(sign, 'log'); },
    free: () => { rmSync(sign); },
    gone: () => { rmSync(folder, { recursive: true }); },
  };
}

const freeBytes = (dir: string): number => { const { bavail, bsize } = statfsSync(dir); return bavail * bsize; };

const ends: (() => void)[] = [];
afterEach(() => { for (const end of ends.splice(0).toReversed()) end(); });

interface Site { readonly disk: Disk; readonly secret: string; readonly at: () => string; readonly said: () => string; stop(): Promise<void>; start(): Promise<void>; store(): Promise<OpenStore> }

/** A server of its own on such a disk, with an ingest key. */
async function aSite(disk: Disk): Promise<Site> {
  ends.push(() => { disk.gone(); });
  const open = (): Promise<OpenStore> => openStore({ ...QUIET, dataDir: disk.dir, databaseUrl: null });
  execFileSync('mkdir', ['-p', disk.dir]);
  await migratedFolder(disk.dir);
  const store = await open();
  const world: World = { store, ...QUIET, chance: systemChance, config: { port: 0, dataDir: disk.dir, databaseUrl: null, pageDir: null, trustedProxies: [], secretKey: null } };
  await firstStart(world, PASSWORD);
  const [tenant = ''] = await store.tenants();
  const made = await keyHandlers(world).makeKey({ name: 'Pings', companyN: 1, tool: 'ping', managed: null }, anAsk({ world, lines: [], at: () => undefined, pass: () => undefined }, tenant));
  if (!made.ok) throw new Error(made.failure.message);
  await store.close();
  let child: ChildProcess | null = null, said = '';
  const site: Site = {
    disk, secret: made.value.secret, store: open,
    at: () => /Daybook is at (http:\S+)\//.exec(said)?.[1] ?? '', said: () => said,
    async start() {
      said = '';
      child = spawn(process.execPath, ['--liftoff-only', ...disk.args, 'server/main.ts'], { env: { PATH: process.env['PATH'] ?? '', DAYBOOK_DATA: disk.dir, DAYBOOK_ESTATE: 'none', PORT: '0', ...disk.env } });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => { said += String(chunk); });
      await expect.poll(() => said, { timeout: 150_000 }).toMatch(/Daybook is at http:\S+/);
    },
    async stop() {
      const one = child;
      if (one === null || one.exitCode !== null) return;
      const gone = new Promise((resolve) => void one.once('exit', resolve));
      one.kill('SIGTERM');
      await gone;
    },
  };
  ends.push(() => { child?.kill('SIGKILL'); });
  await site.start();
  return site;
}

/** One start of a run of its own job; the body cannot be packed. Answers the status, and keeps the names of those that were acknowledged. */
function pinger(site: Site, bytes: number) {
  const acknowledged: string[] = [];
  let n = 0, last: Response = new Response();
  return {
    acknowledged,
    get last() { return last; },
    ping: async (): Promise<number> => {
      const slug = `job-${n++}`;
      last = await fetch(`${site.at()}/ping/${site.secret}/${slug}`, { method: 'POST', body: randomBytes(bytes).toString('base64').slice(0, bytes) });
      await last.text();
      if (last.status === 200) acknowledged.push(slug);
      return last.status;
    },
  };
}

const call = (site: Site, method: string, path: string, token: string | null, body: unknown = {}): Promise<Response> => fetch(`${site.at()}/api/v1/${path}`, {
  method, headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) }, ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
});
async function signIn(site: Site): Promise<{ readonly status: number; readonly token: string }> {
  const answer = await call(site, 'POST', 'auth/login/db', null, { username: 'admin', password: PASSWORD });
  return { status: answer.status, token: (await answer.json() as { data?: { token: string } }).data?.token ?? '' };
}

/** What the log holds when the server is gone: whole, what its rows come to, and everything that was acknowledged. */
async function expectWhole(site: Site, acknowledged: readonly string[]): Promise<void> {
  const store = await site.store();
  try {
    const [log] = await rebuild(store); // throws at a hole
    expect(log?.differences).toEqual([]);
    const [tenant = ''] = await store.tenants();
    const jobs = await store.tenant(tenant, (tx) => tx.all('job'), { readOnly: true });
    const known = new Set(jobs.map(({ uid }) => uid));
    expect(acknowledged.filter((slug) => !known.has(slug))).toEqual([]);
  } finally {
    await store.close();
  }
}

/** Answers the status of the last ping, after a restart. */
async function fillAndFree(disk: Disk): Promise<number> {
  const site = await aSite(disk), pings = pinger(site, 100_000), small = pinger(site, 10);
  expect(await pings.ping()).toBe(200);
  const { token } = await signIn(site);
  disk.fill(28 * MB);
  await expect.poll(pings.ping, { timeout: 120_000, interval: 5 }).toBe(507);
  expect(Number(pings.last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const executions = await fetch(`${site.at()}/api/v1/ingest/executions`, { method: 'POST', body: JSON.stringify({ job: 'Files', status: 'Success', startTime: new Date(systemClock.now() - 60_000).toISOString() }), headers: { 'authorization': `Bearer ${site.secret}`, 'content-type': 'application/json' } });
  expect([executions.status, Number(executions.headers.get('retry-after')) > 0]).toEqual([507, true]);
  expect(await executions.json()).toMatchObject({ success: false, error: { kind: 'out-of-space' } });
  // Whoever is in reads on; whoever is not gets in, and out again.
  expect((await call(site, 'GET', 'admin/overview', token)).status).toBe(200);
  await expect.poll(async () => (await signIn(site)).status, { timeout: 30_000 }).toBe(disk.args.length > 0 ? 507 : 200);
  // Somebody else takes the rest of the disk.
  disk.fill(0);
  for (let i = 0; i < 5; i++) expect(await small.ping()).toBe(507);
  expect((await call(site, 'GET', 'admin/overview', token)).status).toBe(200);
  const overview = await (await call(site, 'GET', 'admin/overview', token)).json() as { data: { storage: { state: string } | null } };
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

test('STORE-11: the floor is 64 MB on a large disk, 5 % of a smaller one, and never less than the database needs to go on', () => {
  expect([10 * 1024 ** 4, 1_280 * MB, 1_000 * MB, 100 * MB].map((total) => floorOf(total) / MB)).toEqual([64, 64, 50, 24]);
});

const missing = mayMount() ? '' : ' (skipped: no tmpfs can be mounted)';
test.skipIf(missing !== '')(`G23, STORE-11: a disk that runs full under pings: writes are told to come again, reads and signing in go on, nothing is lost${missing}`, async () => {
  expect(await fillAndFree(smallDisk())).toBe(200);
}, 600_000);

test('G23, STORE-11: the same on a disk that only pretends to be full', async () => {
  expect(await fillAndFree(pretendedDisk())).toBe(200);
}, 600_000);

test('G23, STORE-12: a database whose own log finds no space is opened again when there is some; meanwhile everybody is told to come again', async () => {
  const site = await aSite(pretendedDisk()), pings = pinger(site, 100_000);
  expect(await pings.ping()).toBe(200);
  site.disk.fillLog();
  await expect.poll(pings.ping, { timeout: 300_000, interval: 5 }).toBeGreaterThanOrEqual(503);
  for (let i = 0; i < 5; i++) {
    expect([503, 507]).toContain(await pings.ping());
    expect(Number(pings.last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  expect(site.said()).toMatch(/the embedded database has stopped/);
  site.disk.free();
  await expect.poll(pings.ping, { timeout: 120_000, interval: 200 }).toBe(200);
  await site.stop();
  await expectWhole(site, pings.acknowledged);
}, 600_000);

test('STORE-12: a statement that never ends is ended with its thread when its time is up, and the database goes on; one that was allowed more is left alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-hung-'));
  ends.push(() => { rmSync(folder, { recursive: true }); });
  await migratedFolder(folder);
  let stopped = 0, again = 0;
  const embedded = await openEmbedded({ dir: join(folder, 'pg'), image: null }, { clock: systemClock, space: null, stopped() { stopped++; }, again() { again++; } });
  const pool = new Pool({ stream: () => embedded.connect(), max: 1, idleTimeoutMillis: 0, user: 'postgres', database: 'postgres', pipeline: true }).on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  await pool.query('create table kept (n int)');
  await pool.query('insert into kept values (1)');
  embedded.allow(60_000);
  const counted = await pool.query<{ count: number }>('with recursive x(n) as (select 1 union all select n + 1 from x where n < 2000000) select count(*)::int as count from x');
  expect([counted.rows[0]?.count, stopped]).toEqual([2_000_000, 0]);
  embedded.allow(500);
  await expect(pool.query('with recursive x(n) as (select 1 union all select n from x) select count(*) from x')).rejects.toThrow(/^Connection terminated/);
  embedded.allow(60_000);
  await expect.poll(() => again, { timeout: 60_000 }).toBe(1);
  expect((await pool.query<{ n: number }>('select n from kept')).rows).toEqual([{ n: 1 }]);
  expect(stopped).toBe(1);
  await pool.end();
  await embedded.close();
}, 180_000);
