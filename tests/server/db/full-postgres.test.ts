import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { binaries, TEMPLATE, unprivileged, urlIn } from './binaries.ts';
import { missing } from './databases.ts';
import {
  atEnd,
  call,
  endAll,
  expectWhole,
  mayMount,
  MB,
  pinger,
  type Site,
  type SmallDisk,
  signIn,
  startSite,
  tmpfs,
} from './full-site.ts';

afterEach(endAll);

/**
 * A PostgreSQL whose data lie on `disk`, with its log or without. It is started again where it
 * ends, as by the service manager of a machine.
 */
function startPostgres(disk: SmallDisk, folder: string, hasLog: boolean): void {
  const bin = binaries() ?? '';
  const who = unprivileged();
  const as = { cwd: folder, ...who };
  mkdirSync(disk.dir, { mode: 0o700 });
  chmodSync(folder, 0o711);
  chmodSync(join(disk.dir, '..'), 0o711);
  if (who) for (const dir of [folder, disk.dir]) chownSync(dir, who.uid, who.gid);
  execFileSync(
    join(bin, 'initdb'),
    [
      '-D',
      disk.dir,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--wal-segsize=1',
      ...(hasLog ? [] : [`--waldir=${join(folder, 'log')}`]),
    ],
    { ...as, stdio: 'pipe' },
  );
  const settings = [
    'fsync=off',
    'min_wal_size=4MB',
    'max_wal_size=32MB',
    'shared_buffers=16MB',
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'port=5432',
  ];
  let postgres: ChildProcess | null = null;
  let isOver = false;
  const start = (): void => {
    if (isOver) return;
    postgres = spawn(
      join(bin, 'postgres'),
      ['-D', disk.dir, ...settings.flatMap((one) => ['-c', one])],
      { ...as, stdio: 'ignore' },
    );
    postgres.once('exit', () => void setTimeout(start, 500));
  };
  atEnd(() => {
    isOver = true;
    postgres?.kill('SIGQUIT');
  });
  start();
}

const createDatabase = (folder: string): boolean => {
  try {
    execFileSync(join(binaries() ?? '', 'createdb'), ['-h', folder, '-U', 'postgres', TEMPLATE], {
      stdio: 'pipe',
    });
    return true;
  } catch {
    return false;
  }
};

interface Full {
  readonly disk: SmallDisk;
  readonly site: Site;
  readonly pings: ReturnType<typeof pinger>;
  readonly read: () => Promise<Response>;
}

/** A server on a PostgreSQL whose disk has just run full under pings, to the last byte. */
async function runFull(hasLog: boolean): Promise<Full> {
  const disk = tmpfs(160);
  const folder = mkdtempSync(join(tmpdir(), 'daybook-full-'));
  atEnd(() => {
    disk.gone();
    rmSync(folder, { recursive: true, force: true });
  });
  startPostgres(disk, folder, hasLog);
  await expect.poll(() => createDatabase(folder), { timeout: 60_000 }).toBe(true);
  const site = await startSite({
    dataDir: join(folder, 'server'),
    databaseUrl: urlIn(folder, TEMPLATE),
    args: [],
    env: {},
  });
  const pings = pinger(site, 100_000);
  expect(await pings.ping()).toBe(200);
  const { token } = await signIn(site);
  const read = (): Promise<Response> => call(site, 'GET', 'admin/overview', token);
  expect((await read()).status).toBe(200);
  disk.fill(4 * MB);
  await expect.poll(pings.ping, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(503);
  disk.fill(0);
  return { disk, site, pings, read };
}

/** The statuses of ten pings, each with a time to come back. */
async function refusals({ pings }: Full): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let i = 0; i < 10; i++) {
    statuses.add(await pings.ping());
    expect(Number(pings.last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  return statuses;
}

/**
 * The product recovers within ten seconds of a database that works again; a busy machine takes
 * longer.
 */
async function expectRecovery({ disk, site, pings, read }: Full): Promise<void> {
  disk.free();
  await expect.poll(pings.ping, { timeout: 60_000, interval: 100 }).toBe(200);
  expect([(await read()).status, (await signIn(site)).status]).toEqual([200, 200]);
  await site.stop();
  await expectWhole(site, pings.acknowledged);
}

const skipped = missing !== '' ? missing : mayMount() ? '' : ' (skipped: no tmpfs can be mounted)';
test.skipIf(skipped !== '')(
  `G23, STORE-13: if the disk of PostgreSQL's tables is full, writes fail with 507 and Retry-After, reads and sessions continue, writes resume and nothing is lost${skipped}`,
  async () => {
    const full = await runFull(false);
    expect(await refusals(full)).toEqual(new Set([507]));
    expect((await full.read()).status).toBe(200);
    await expectRecovery(full);
  },
);

test.skipIf(skipped !== '')(
  `G23, STORE-13: if PostgreSQL ends because its log has no space, every call fails with 503 or 507 and Retry-After, and writes resume when it runs again${skipped}`,
  async () => {
    const full = await runFull(true);
    expect(
      [...(await refusals(full))].filter((status) => status !== 503 && status !== 507),
    ).toEqual([]);
    const answer = await full.read();
    expect([200, 503, 507]).toContain(answer.status);
    if (answer.status !== 200)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await expectRecovery(full);
  },
);
