import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { wrapRoutes } from '#server/features/ingest/cli-wrapper.ts';
import type { Store } from '#server/platform/db/store.ts';
import { embedded } from '../db/databases.ts';
import { aPlace, type Place } from './fixtures.ts';

// The wrapper as a real process round real commands, against the real ingest over HTTP.

let store: Store;
let place: Place;
let folder: string;
let port: number;
let refuse: ((n: number) => { status: number; headers?: Record<string, string> } | null) | null =
  null;
let query = 0;
const bodies: string[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => {
    parts.push(part);
  });
  request.on(
    'end',
    () =>
      void (async () => {
        const body = Buffer.concat(parts).toString('utf8');
        const no = refuse?.((query += 1));
        if (no) {
          response.writeHead(no.status, no.headers).end();
          return;
        }
        bodies.push(body);
        const answer = await place.app.request(
          request.url ?? '',
          {
            method: 'POST',
            headers: {
              'host': place.host,
              'content-type': 'application/json',
              'authorization': request.headers.authorization ?? '',
            },
            body,
          },
          { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
        );
        response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(await answer.text());
      })(),
  );
});
beforeAll(async () => {
  store = await embedded();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  port = (server.address() as AddressInfo).port;
});
beforeEach(async () => {
  place = await aPlace(store);
  place.ground.at(Date.now());
  folder = mkdtempSync(join(tmpdir(), 'daybook-wrap-'));
  copyFileSync('cli-wrapper/daybook-run.mjs', join(folder, 'daybook-run.mjs'));
  writeFileSync(join(folder, 'pauses.cjs'), PAUSES);
  refuse = null;
  query = 0;
  bodies.length = 0;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

/**
 * Before the wrapper: its long pauses go by twenty times as fast, and are written down as they were
 * meant.
 */
const PAUSES = `
const real = globalThis.setTimeout, pauses = __dirname + '/pauses';
globalThis.setTimeout = (work, ms, ...more) => {
  if (ms <= 1000) return real(work, ms, ...more);
  require('node:fs').appendFileSync(pauses, ms + '\\n');
  return real(work, ms / 20, ...more);
};
`;
/** Of all wrappers of a test, in ms. */
const pauses = (): number[] =>
  existsSync(join(folder, 'pauses'))
    ? readFileSync(join(folder, 'pauses'), 'utf8').trim().split('\n').map(Number)
    : [];

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}
interface How {
  readonly args?: readonly string[];
  readonly key?: string;
  readonly url?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
}

/** From a folder of its own, with nothing of the house in reach. */
function begin(
  command: readonly string[],
  { args = [], key = place.secret, url = `http://127.0.0.1:${port}`, env = {}, stdin }: How = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(
    process.execPath,
    [
      '--require',
      './pauses.cjs',
      'daybook-run.mjs',
      '--url',
      url,
      '--job',
      'Files nightly',
      '--host',
      'pc-1',
      '--keep',
      join(folder, 'keep'),
      ...args,
      '--',
      ...command,
    ],
    { cwd: folder, env: { PATH: process.env['PATH'] ?? '', DAYBOOK_KEY: key, ...env } },
  );
  let out = '';
  let err = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  child.stdin.end(stdin ?? '');
  return {
    child,
    ended: new Promise((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ code, signal, out, err });
      });
    }),
  };
}
const run = (command: readonly string[], how?: How): Promise<Ended> => begin(command, how).ended;
const loadStored = (): string[] => {
  try {
    return readdirSync(join(folder, 'keep'));
  } catch {
    return [];
  }
};
const runs = async () => (await place.all('run')).toSorted((a, b) => a.n - b.n);

test('WRAP-1: a command prints, reads and ends as without it, and its run is reported with start, end, code and tail', async () => {
  const done = await run(
    ['sh', '-c', 'read word; echo "read $word"; echo careful >&2; sleep 0.4'],
    { stdin: 'hello\n' },
  );
  expect(done).toEqual({ code: 0, signal: null, out: 'read hello\n', err: 'careful\n' });
  const [one] = await runs();
  expect(one).toMatchObject({ status: 'Success', exitCode: 0, hasLog: true });
  expect((one?.endedAt ?? 0) - (one?.startedAt ?? 0)).toBeGreaterThan(300);
  expect((await place.log(one?.n ?? 0))?.split('\n').toSorted().join(' ').trim()).toBe(
    'careful read hello',
  );
  expect((await place.all('job')).map(({ name, computer }) => [name, computer])).toEqual([
    ['Files nightly', 'pc-1'],
  ]);
  expect(bodies.map((body) => (JSON.parse(body) as { status: string }[])[0]?.status)).toEqual([
    'Running',
    'Success',
  ]);
  expect(await runs()).toHaveLength(1);
});

test("WRAP-1: the exit code is the command's, also of one that fails, warns, is killed or doesn't exist", async () => {
  expect(await run(['sh', '-c', 'echo started; echo "no space left" >&2; exit 7'])).toMatchObject({
    code: 7,
    out: 'started\n',
    err: 'no space left\n',
  });
  writeFileSync(join(folder, 'restic'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  expect((await run([join(folder, 'restic')])).code).toBe(3);
  expect((await run(['sh', '-c', 'exit 24'], { args: ['--warning', '24'] })).code).toBe(24);
  expect((await run(['sh', '-c', 'kill -9 $$'])).code).toBe(137);
  expect((await run(['no-such-command'])).code).toBe(127);
  expect(
    (await runs()).map(({ status, message, exitCode }) => [status, exitCode, message]),
  ).toEqual([
    ['Failed', 7, 'no space left'],
    ['Warning', 3, 'Ended with exit code 3.'],
    ['Warning', 24, 'Ended with exit code 24.'],
    ['Failed', 137, 'Ended by SIGKILL.'],
    ['Failed', 127, 'no-such-command could not be started (ENOENT).'],
  ]);
});

test('WRAP-1: a signal goes to the command, which ends in its own way', async () => {
  const { child, ended } = begin([
    'sh',
    '-c',
    'trap "echo stopping; exit 5" TERM; echo ready; while :; do sleep 0.1; done',
  ]);
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (part: Buffer) => {
      if (part.toString().includes('ready')) resolve();
    });
  });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 5, out: 'ready\nstopping\n' });
  expect((await runs()).map(({ status, exitCode }) => [status, exitCode])).toEqual([['Failed', 5]]);
});

test("WRAP-2: a report that can't be sent is retried, then stored for its owner only, and sent once with the next", async () => {
  refuse = () => ({ status: 503 });
  const first = await run(['sh', '-c', 'echo one; exit 2']);
  expect(first).toMatchObject({ code: 2, out: 'one\n' });
  expect(query).toBeGreaterThanOrEqual(4);
  expect(pauses()).toEqual(expect.arrayContaining([2_000, 4_000]));
  expect(loadStored()).toHaveLength(1);
  expect(statSync(join(folder, 'keep')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'keep', loadStored()[0] ?? '')).mode & 0o777).toBe(0o600);
  expect(await runs()).toEqual([]);
  refuse = null;
  expect((await run(['true'])).code).toBe(0);
  expect(loadStored()).toEqual([]);
  expect((await runs()).map(({ status, exitCode }) => [status, exitCode])).toEqual([
    ['Success', 0],
    ['Failed', 2],
  ]);
});

test('WRAP-2: waiting reports of one key are not sent with another', async () => {
  refuse = () => ({ status: 503 });
  await run(['false']);
  refuse = null;
  const other = await place.keyFor('api');
  await run(['true'], { key: other.secret });
  expect(loadStored()).toHaveLength(1);
  expect((await runs()).map(({ status }) => status)).toEqual(['Success']);
});

test('WRAP-2: whatever the portal does, the command ends as usual, in bounded time', async () => {
  expect(await run(['sh', '-c', 'exit 4'], { url: 'http://127.0.0.1:9' })).toMatchObject({
    code: 4,
  });
  refuse = () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } });
  expect((await run(['sh', '-c', 'exit 6'])).code).toBe(6);
  refuse = (n) => (n === 1 ? null : { status: 429, headers: { 'retry-after': '3600' } });
  expect((await run(['true'])).code).toBe(0);
  refuse = null;
  expect((await run(['sh', '-c', 'exit 9'], { url: 'nonsense' })).code).toBe(9);
  expect((await run(['true'], { key: `dbk_${'x'.repeat(43)}` })).err).toContain(
    'daybook-run: the portal rejected the key; check --key or DAYBOOK_KEY\n',
  );
  expect(pauses().length).toBeGreaterThan(2);
  expect(pauses().reduce((sum, ms) => sum + ms, 0)).toBeLessThan(45_000);
});

test('WRAP-3: the key is never printed, shown or passed to the command', async () => {
  const { secret } = place;
  refuse = () => ({ status: 401 });
  const done = await run(['sh', '-c', `echo "env: $DAYBOOK_KEY."; echo ${secret}; exit 1`]);
  expect(done.out).toBe(`env: .\n${secret}\n`);
  expect(done.err).not.toContain(secret);
  expect(
    loadStored()
      .map((name) => readFileSync(join(folder, 'keep', name), 'utf8'))
      .join(),
  ).not.toContain(secret);
  refuse = null;
  expect((await run(['true'], { args: ['--nonsense', secret] })).err).toBe(
    'daybook-run: unknown option --nonsense; see --help\ndaybook-run: unexpected argument; see --help\n',
  );
  expect(bodies.join()).not.toContain(secret);
});

const call = (args: readonly string[]) =>
  spawnSync(process.execPath, ['cli-wrapper/daybook-run.mjs', ...args], { encoding: 'utf8' });

test('WRAP-3: --help prints the usage, and a missing command prints it as an error', () => {
  const help = call(['--help']);
  expect([help.status, help.stderr]).toEqual([0, '']);
  for (const name of ['url', 'key', 'key-file', 'job', 'host', 'every', 'cron', 'tz', 'warning'])
    expect(help.stdout).toMatch(new RegExp(`^  --${name} `, 'm'));
  expect(call(['--job', 'Files'])).toMatchObject({ status: 64, stdout: '', stderr: help.stdout });
});

test('WRAP-3: of a long output the tail is reported, and all of it is printed', async () => {
  const done = await run([
    'sh',
    '-c',
    'i=0; while [ $i -lt 30000 ]; do echo "line $i of a long log"; i=$((i+1)); done; exit 1',
  ]);
  expect(done.out.split('\n')).toHaveLength(30_001);
  const [one] = await runs();
  const log = (await place.log(one?.n ?? 0)) ?? '';
  expect(log.trimEnd().endsWith('line 29999 of a long log')).toBe(true);
  expect(log.length).toBeLessThanOrEqual(100_000);
  expect(one?.message).toBe('line 29999 of a long log');
});

test('WRAP-3: the portal serves the file to everybody', async () => {
  const app = new Hono();
  wrapRoutes(app);
  const answer = await app.request('/daybook-run.mjs');
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('content-disposition'),
  ]).toEqual([200, 'text/javascript; charset=utf-8', 'attachment; filename="daybook-run.mjs"']);
  expect(await answer.text()).toBe(readFileSync('cli-wrapper/daybook-run.mjs', 'utf8'));
  const etag = answer.headers.get('etag') ?? '';
  for (const [headers, status] of [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"other", W/${etag}` }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': '"other"' }, 412],
  ] as const)
    expect((await app.request('/daybook-run.mjs', { headers })).status).toBe(status);
});
