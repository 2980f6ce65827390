import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshUrl, missing } from '../db/databases.ts';

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'daybook-data-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  said(): string;
  readonly exit: Promise<number | null>;
}

function start(env: Record<string, string>): Run {
  const child = spawn(process.execPath, ['--liftoff-only', 'server/main.ts'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: dataDir,
      DAYBOOK_ESTATE: 'none',
      PORT: '0',
      ...env,
    },
  });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  return {
    child,
    said: () => said,
    exit: new Promise((resolve) => {
      child.on('exit', resolve);
    }),
  };
}

async function up(run: Run): Promise<string> {
  await expect
    .poll(() => run.said(), { timeout: 150_000, interval: 50 })
    .toMatch(/Daybook is at http:\S+/);
  return /Daybook is at (http:\S+)\//.exec(run.said())?.[1] ?? '';
}

const signIn = (at: string, password = 'the wanted password') =>
  fetch(`${at}/api/v1/auth/login/db`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });

test('START-3, STORE-16: it starts, prints its address and its administrator, keeps both over a restart, and stops cleanly on a signal', async () => {
  const first = start({ DAYBOOK_DEMO_PASSWORD: 'the wanted password' });
  const base = await up(first);
  expect(first.said()).toMatch(/username: admin\npassword: the wanted password\n/);
  expect(first.said()).toContain('changes are on disk before they are confirmed');
  const session = (await (await signIn(base)).json()) as { data: { token: string } };
  const stream = await fetch(`${base}/api/v1/sync/stream`, {
    headers: { authorization: `Bearer ${session.data.token}` },
  });
  expect(stream.status).toBe(200);
  const reading = stream.text().catch(() => 'cut');

  // A second one on the same folder names what is wrong, and harms nothing.
  const second = start({});
  expect(await second.exit).toBe(1);
  expect(second.said()).toMatch(/^The data in .+ can't be opened\. .+\n$/);
  expect(second.said()).not.toContain('    at ');

  // The stream is still open. A server that doesn't stop in time ends with 1.
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  await reading;

  const again = start({});
  const after = await up(again);
  expect(again.said()).toContain('password: the wanted password');
  expect((await signIn(after)).status).toBe(200);
  again.child.kill('SIGHUP');
  expect(await again.exit).toBe(0);
}, 400_000);

test('START-4: a port in use, or an invalid setting, is one clear sentence and exit code 1', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  const { port } = taken.address() as AddressInfo;
  const run = start({ PORT: String(port) });
  expect(await run.exit).toBe(1);
  expect(run.said()).toContain(`Another program uses port ${port}. Set PORT to a free one.\n`);
  taken.close();
  const wrong = start({ PORT: 'many' });
  expect([await wrong.exit, wrong.said()]).toEqual([
    1,
    'PORT must be a whole number from 0 to 65535.\n',
  ]);
});

test.skipIf(missing !== '')(
  `START-5: two servers that start at once on an empty PostgreSQL database both start, with one administrator and one valid password file${missing}`,
  async () => {
    const databaseUrl = await freshUrl();
    const other = mkdtempSync(join(tmpdir(), 'daybook-data-'));
    const shared = {
      DATABASE_URL: databaseUrl,
      DAYBOOK_SECRET_KEY: Buffer.alloc(32, 5).toString('base64url'),
    };
    const runs = [start(shared), start({ ...shared, DAYBOOK_DATA: other })];
    const addresses = [];
    for (const run of runs) addresses.push(await up(run));
    const files = [dataDir, other]
      .map((folder) => join(folder, 'administrator.txt'))
      .filter((file) => existsSync(file));
    expect(files).toHaveLength(1);
    const password = /^password: (.+)$/m.exec(readFileSync(files[0] ?? '', 'utf8'))?.[1] ?? '';
    // Each server takes it, and none prints another one.
    for (const address of addresses) expect((await signIn(address, password)).status).toBe(200);
    for (const run of runs)
      for (const [, printed] of run.said().matchAll(/^password: (.+)$/gm))
        expect(printed).toBe(password);
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      'select (select count(*)::int from tenant_list) as providers, (select count(*)::int from person) as people',
    );
    await client.end();
    expect(rows).toEqual([{ providers: 1, people: 1 }]);
    // One with a key of its own is refused, whenever it starts.
    const stranger = start({
      DATABASE_URL: databaseUrl,
      DAYBOOK_DATA: mkdtempSync(join(other, 'third-')),
    });
    expect(await stranger.exit).toBe(1);
    expect(stranger.said()).toMatch(
      /^This server's secret key doesn't protect this database\..+\n$/,
    );
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ exit }) => exit));
    rmSync(other, { recursive: true, force: true });
  },
  400_000,
);
