/**
 * A server of its own whose database lies on a disk that a test fills: what the suites about full
 * disks share.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeAppContext } from '#server/make-app-context.ts';
import { systemChance } from '#server/platform/random.ts';
import { firstStart } from '#server/first-start.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { anAsk } from '../ingest/fixtures.ts';
import { migratedFolder, QUIET } from './databases.ts';

const PASSWORD = 'the wanted password';
export const MB = 1024 * 1024;
const SHIM = join(import.meta.dirname, 'no-space.ts');

/** A folder on a disk that can be filled, to the last byte or but for some, and emptied again. */
export interface SmallDisk {
  readonly dir: string;
  fill(left: number): void;
  free(): void;
  gone(): void;
}
/**
 * A data folder on such a disk. `log`: only for what the database logs, as by somebody who is
 * faster than any look.
 */
export interface Disk extends SmallDisk {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  fillLog(): void;
}

const mount = (dir: string, sizeMb: number): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', dir], { stdio: 'pipe' });
};
const unmount = (dir: string): void => {
  execFileSync('umount', ['-l', dir], { stdio: 'pipe' });
};

/** Whether this process may mount a tmpfs. */
export function mayMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-small-'));
  try {
    mount(dir, 200);
    unmount(dir);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A tmpfs with a folder `data`. */
export function tmpfs(sizeMb: number): SmallDisk {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-small-'));
  mount(dir, sizeMb);
  const filler = join(dir, 'filler');
  return {
    dir: join(dir, 'data'),
    fill(left) {
      const file = openSync(filler, 'a');
      try {
        for (let free = freeBytes(dir) - left; free > 0; free -= MB)
          writeSync(file, Buffer.alloc(Math.min(MB, free)));
      } catch (error) {
        expect((error as { code?: string }).code).toBe('ENOSPC');
      } finally {
        closeSync(file);
      }
    },
    free: () => {
      rmSync(filler);
    },
    gone: () => {
      unmount(dir);
      rmSync(dir, { recursive: true });
    },
  };
}

export const smallDisk = (): Disk => ({
  ...tmpfs(200),
  args: [],
  env: {},
  fillLog() {
    throw new Error('A real disk is full for everybody.');
  },
});

/** A folder whose files do not grow when the test says so. */
export function pretendedDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-small-'));
  const dir = join(folder, 'data');
  const sign = join(folder, 'sign');
  return {
    dir,
    args: ['--import', SHIM],
    env: { NO_SPACE: sign },
    fill: () => {
      writeFileSync(sign, 'all');
    },
    fillLog: () => {
      writeFileSync(sign, 'log');
    },
    free: () => {
      rmSync(sign);
    },
    gone: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

const freeBytes = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};

const ends: (() => void)[] = [];
/** What a test began is ended after it, last first. */
export const atEnd = (end: () => void): void => void ends.push(end);
export const endAll = (): void => {
  for (const end of ends.splice(0).toReversed()) end();
};

/** What a server is started with. */
interface Setup {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
export interface Site {
  readonly secret: string;
  readonly at: () => string;
  readonly said: () => string;
  stop(): Promise<void>;
  start(): Promise<void>;
  store(): Promise<OpenStore>;
}

/** A server with its embedded database on such a disk, with an ingest key. */
export async function aSite(disk: Disk): Promise<Site> {
  atEnd(() => {
    disk.gone();
  });
  execFileSync('mkdir', ['-p', disk.dir]);
  await migratedFolder(disk.dir);
  return startSite({ dataDir: disk.dir, databaseUrl: null, args: disk.args, env: disk.env });
}

/** A server on an empty database, with an ingest key. */
export async function startSite({ dataDir, databaseUrl, args, env }: Setup): Promise<Site> {
  const open = (): Promise<OpenStore> => openStore({ ...QUIET, dataDir, databaseUrl });
  const store = await open();
  const context: AppContext = makeAppContext({
    store,
    ...QUIET,
    chance: systemChance,
    config: { port: 0, dataDir, databaseUrl, pageDir: null, trustedProxies: [], secretKey: null },
  });
  await firstStart(context, PASSWORD);
  const [tenant = ''] = await store.tenants();
  const made = await keyHandlers(context).createKey(
    { name: 'Pings', companyN: 1, tool: 'ping', managed: null },
    anAsk({ context, lines: [], at: () => undefined, pass: () => undefined }, tenant),
  );
  if (!made.ok) throw new Error(made.failure.message);
  await store.close();
  let child: ChildProcess | null = null;
  let said = '';
  const site: Site = {
    secret: made.value.secret,
    store: open,
    at: () => /Daybook is at (http:\S+)\//.exec(said)?.[1] ?? '',
    said: () => said,
    async start() {
      said = '';
      const variables = {
        PATH: process.env['PATH'] ?? '',
        DAYBOOK_DATA: dataDir,
        DAYBOOK_ESTATE: 'none',
        PORT: '0',
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
        ...env,
      };
      child = spawn(process.execPath, ['--liftoff-only', ...args, 'server/main.ts'], {
        env: variables,
      });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          said += String(chunk);
        });
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
  atEnd(() => {
    child?.kill('SIGKILL');
  });
  await site.start();
  return site;
}

/**
 * One start of a run of its own job; the body cannot be packed. Answers the status, and keeps the
 * names of those that were acknowledged.
 */
export function pinger(site: Site, bytes: number) {
  const acknowledged: string[] = [];
  let n = 0;
  let last: Response = new Response();
  return {
    acknowledged,
    get last() {
      return last;
    },
    ping: async (): Promise<number> => {
      const slug = `job-${n++}`;
      last = await fetch(`${site.at()}/ping/${site.secret}/${slug}`, {
        method: 'POST',
        body: randomBytes(bytes).toString('base64').slice(0, bytes),
      });
      await last.text();
      if (last.status === 200) acknowledged.push(slug);
      return last.status;
    },
  };
}

export const call = (
  site: Site,
  method: string,
  path: string,
  token: string | null,
  body: unknown = {},
): Promise<Response> =>
  fetch(`${site.at()}/api/v1/${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
export async function signIn(
  site: Site,
): Promise<{ readonly status: number; readonly token: string }> {
  const answer = await call(site, 'POST', 'auth/login/db', null, {
    username: 'admin',
    password: PASSWORD,
  });
  return {
    status: answer.status,
    token: ((await answer.json()) as { data?: { token: string } }).data?.token ?? '',
  };
}

/**
 * What the log holds when the server is gone: whole, what its rows come to, and everything that was
 * acknowledged.
 */
export async function expectWhole(site: Site, acknowledged: readonly string[]): Promise<void> {
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
