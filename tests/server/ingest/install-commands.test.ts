import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Source } from '#contract/runs/vocabulary.ts';
import { getRecipe, shell } from '#src/features/ingest/install-commands.ts';
import { nobody, toolMissing } from '../../e2e/tools.ts';
import { embedded } from '../db/databases.ts';
import { CATALOG, getBadDay, getJobs, openCatalog } from './bacula-catalog.ts';
import { aPlace, fixture, type Place } from './fixtures.ts';

// The commands that "Connect a source" shows, run by a shell with the real tools against the real
// ingest over HTTP. What cannot be installed is a program that prints what the tool printed.

const JOB = `it's "daily" $HOME & 100 %`;
const store = await embedded();
let place: Place;
let folder: string;
let data: string;
let origin: string;
let answers: { status: number; body: string }[] = [];

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => {
    parts.push(part);
  });
  request.on(
    'end',
    () =>
      void (async () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        );
        const body = request.method === 'POST' ? { body: Buffer.concat(parts) } : {};
        const answer = await place.app.request(
          request.url ?? '',
          { method: request.method ?? 'GET', headers: { ...headers, host: place.host }, ...body },
          { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
        );
        const text = await answer.text();
        answers.push({ status: answer.status, body: text });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
      })(),
  );
});
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
beforeEach(async () => {
  place = await aPlace(store);
  place.ground.at(Date.now());
  answers = [];
  folder = mkdtempSync(join(tmpdir(), 'daybook-commands-'));
  data = join(folder, `my "data" it's`);
  for (const path of [data, join(folder, 'bin'), join(folder, 'home'), join(folder, 'tmp')])
    mkdirSync(path);
  writeFileSync(join(data, 'ledger.txt'), 'x'.repeat(100_000));
  writeFileSync(join(data, 'notes & more.txt'), 'a line\n');
  const user = nobody();
  if (user !== undefined)
    for (const path of [
      folder,
      data,
      join(data, 'ledger.txt'),
      join(data, 'notes & more.txt'),
      ...['bin', 'home', 'tmp'].map((name) => join(folder, name)),
    ])
      chownSync(path, user, user);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a text as a script of its own, as somebody to whom a file can be closed. */
function run(text: string, env: Readonly<Record<string, string>> = {}, by = 'sh'): Promise<Ended> {
  const file = join(folder, 'script');
  writeFileSync(file, `${text}\n`, { mode: 0o755 });
  const user = nobody();
  return new Promise((resolve) => {
    const own = {
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      LANG: 'C.UTF-8',
      ...env,
    };
    const child = spawn(by, [file], {
      env: own,
      cwd: folder,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    const parts: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        parts.push(part);
      });
    child.on('close', (code) => {
      resolve({ code, said: Buffer.concat(parts).toString('utf8') });
    });
  });
}

const recipe = (tool: Source) =>
  getRecipe(tool, { origin, secret: place.secret, job: JOB, now: Date.now() });
const withData = (text: string): string =>
  text
    .replaceAll('/path/to/data', shell(data))
    .replaceAll('/path/to/repo', shell(join(folder, 'my repo')));
const runs = async () =>
  (await place.all('run')).map(({ status, exitCode, message }) => ({ status, exitCode, message }));
const jobs = async () => (await place.all('job')).map(({ name, source }) => [name, source]);
const close = (): void => {
  chmodSync(join(data, 'notes & more.txt'), 0);
};
/** A program of that name that runs a shell text instead. */
const replay = (name: string, text: string): void => {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
};
/**
 * Prints a recorded output: from a copy, as the user of the script may not be allowed into the
 * folder of the sources.
 */
function print(name: string): string {
  const copy = join(folder, name);
  copyFileSync(join(import.meta.dirname, 'samples', name), copy);
  return `cat ${shell(copy)}`;
}
const missing = (name: string, pack: string): boolean => toolMissing(name, pack) !== null;

const RESTIC = { RESTIC_PASSWORD: 'secret-of-the-repository' };
const restic = () => ({ ...RESTIC, RESTIC_REPOSITORY: join(folder, 'my repo') });

test.skipIf(missing('restic', 'restic')).each(['sh', 'bash'])(
  'COPY-2: restic by %s: good, with an unreadable file, with a wrong password, and its snapshots',
  async (by) => {
    expect((await run('restic init', restic())).code).toBe(0);
    const command = withData(recipe('restic').text);
    expect(await run(command, restic(), by)).toEqual({ code: 0, said: '' });
    close();
    expect(await run(command, restic(), by)).toEqual({ code: 3, said: '' });
    expect(
      (await run(command, { ...restic(), RESTIC_PASSWORD: 'wrong' }, by)).code,
    ).toBeGreaterThan(0);
    expect(await runs()).toMatchObject([
      { status: 'Success', exitCode: 0 },
      {
        status: 'Warning',
        exitCode: 3,
        message: expect.stringMatching(/notes & more\.txt.*permission denied/) as string,
      },
      { status: 'Failed', message: expect.stringContaining('wrong password') as string },
    ]);
    expect(await jobs()).toEqual([[JOB, 'restic']]);
    expect(await run(recipe('restic').also?.text ?? '', restic(), by)).toEqual({
      code: 0,
      said: '',
    });
    expect(JSON.parse(answers.at(-1)?.body ?? '')).toMatchObject({
      data: { accepted: 0, duplicates: 2 },
    });
  },
);

const borg = () => ({
  BORG_BASE_DIR: join(folder, 'home'),
  BORG_PASSPHRASE: 'secret-of-the-repository',
});

test.skipIf(missing('borg', 'borgbackup'))(
  'COPY-2: borg: good, with an unreadable file, with a wrong passphrase, and its archives',
  async () => {
    expect((await run(withData('borg init -e repokey /path/to/repo'), borg())).code).toBe(0);
    const command = withData(recipe('borg').text);
    expect(await run(command, borg())).toEqual({ code: 0, said: '' });
    close();
    // Archives are named by the second: two in one second would have one name.
    await new Promise((resolve) => {
      setTimeout(resolve, 1_100);
    });
    expect(await run(command, borg(), 'bash')).toEqual({ code: 1, said: '' });
    expect(await run(command, { ...borg(), BORG_PASSPHRASE: 'wrong' })).toMatchObject({ code: 2 });
    expect(await runs()).toMatchObject([
      { status: 'Success' },
      { status: 'Warning', message: expect.stringContaining('notes & more.txt') as string },
      { status: 'Failed', message: expect.stringContaining('passphrase') as string },
    ]);
    const [first] = await place.all('run');
    // in this machine's zone
    expect(Math.abs((first?.startedAt ?? 0) - Date.now())).toBeLessThan(600_000);
    expect(await run(withData(recipe('borg').also?.text ?? ''), borg())).toEqual({
      code: 0,
      said: '',
    });
    expect(JSON.parse(answers.at(-1)?.body ?? '')).toMatchObject({
      data: { accepted: 0, duplicates: 2 },
    });
    expect(await place.all('repository')).toMatchObject([
      { type: 'borg', path: join(folder, 'my repo') },
    ]);
  },
);

test.skipIf(missing('borgmatic', 'borgmatic') || missing('borg', 'borgbackup'))(
  'COPY-2: borgmatic 1.7 with the lines for it',
  async () => {
    place = await aPlace(store, 'borgmatic');
    place.ground.at(Date.now());
    expect((await run(withData('borg init -e repokey /path/to/repo'), borg())).code).toBe(0);
    const config = join(folder, 'config.yaml');
    writeFileSync(
      config,
      `location:\n    source_directories:\n        - ${JSON.stringify(data)}\n    repositories:\n        - ${JSON.stringify(join(folder, 'my repo'))}\nretention:\n    keep_daily: 7\n${recipe('borgmatic').also?.text ?? ''}`,
      { mode: 0o644 },
    );
    expect((await run(`borgmatic create --monitoring-verbosity 1 -c ${config}`, borg())).code).toBe(
      0,
    );
    place.ground.pass(61_000);
    close();
    expect((await run(`borgmatic create --monitoring-verbosity 1 -c ${config}`, borg())).code).toBe(
      0,
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await runs()).toMatchObject([
      { status: 'Success' },
      { status: 'Warning', message: expect.stringContaining('notes & more.txt') as string },
    ]);
  },
);

test.skipIf(missing('rclone', 'rclone'))(
  'COPY-2: rclone: good, and with a folder that is missing',
  async () => {
    const command = recipe('rclone').text.replace('remote:path', shell(join(folder, 'my copy')));
    expect(await run(command.replace('/path/to/data', shell(data)))).toEqual({ code: 0, said: '' });
    expect((await run(command.replace('/path/to/data', shell(join(folder, 'none'))))).code).toBe(3);
    expect(await runs()).toMatchObject([{ status: 'Success' }, { status: 'Failed', exitCode: 3 }]);
  },
);

test('COPY-2: kopia, from its printed output', async () => {
  replay('kopia', `${print('kopia.json')}; echo 'ERROR: something about one path' >&2; exit 1`);
  expect((await run(withData(recipe('kopia').text))).code).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([200]);
  expect((await runs()).map(({ status }) => status)).toContain('Failed');
});

test('COPY-2: a Duplicati report posted to its address; no key reaches the log', async () => {
  const address = recipe('duplicati').text.replace('--send-http-json-urls=', '');
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: fixture('duplicati.json'),
  });
  expect([answer.status, await runs()]).toMatchObject([200, [{ status: 'Warning' }]]);
  expect(place.ground.lines.join('\n')).not.toContain(place.secret.slice(4, 20));
  const wrong = await fetch(address.replace(place.secret, `dbk_${'A'.repeat(43)}`), {
    method: 'POST',
    body: fixture('duplicati.json'),
  });
  expect(wrong.status).toBe(401);
});

test("COPY-2: a key in the address is accepted only for tools that can't send headers", async () => {
  for (const call of ['restic', 'borg', 'executions', 'repositories']) {
    const answer = await fetch(
      `${origin}/api/v1/ingest/${call}?exit=1&access_token=${place.secret}`,
      { method: 'POST', body: 'Fatal: x' },
    );
    expect([call, answer.status]).toEqual([call, 401]);
  }
});

/** Checks what arrived of those jobs. */
async function expectJobs(): Promise<void> {
  const named = new Map((await place.all('job')).map(({ n, name }) => [n, name]));
  expect(
    (await place.all('run'))
      .map(({ job, status, message }) => [named.get(job), status, message])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  ).toEqual([
    ['Job 2', 'Success', null],
    ['Job 3', 'Running', null],
    ['Job 7', 'Success', null],
    ['Job 8', 'Failed', 'it\'s "unreachable"'],
  ]);
}
test("COPY-2: Bacula's catalog in PostgreSQL: a quiet day, a day with jobs of days before, one with very many failures, then a catalog that doesn't answer", async () => {
  const catalog = await openCatalog();
  await catalog.exec(CATALOG);
  const sql = /<<'SQL'[^\n]*\n(.*?)\nSQL\n/s.exec(recipe('bacula').text)?.[1] ?? '';
  const send = async (): Promise<Ended> => {
    const answer = await catalog.getAnswer(sql);
    if (answer !== null) {
      writeFileSync(join(folder, 'answer.json'), answer);
      replay('psql', `cat >/dev/null; cat ${shell(join(folder, 'answer.json'))}`);
    }
    return await run(recipe('bacula').text, catalog.env);
  };
  expect(await send()).toEqual({ code: 0, said: '' });
  expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({
    success: true,
    data: { accepted: 0, rejected: [] },
  });
  await catalog.exec(getJobs((hours) => `now()::timestamp(0) - interval '${hours} hours'`));
  expect(await send()).toEqual({ code: 0, said: '' });
  await expectJobs();
  await catalog.exec(`delete from log; delete from job; ${getBadDay('now()::timestamp(0)')}`);
  expect(await send()).toEqual({ code: 0, said: '' });
  expect(JSON.parse(answers.at(-1)?.body ?? '')).toMatchObject({
    data: { accepted: 1_000, rejected: [] },
  });
  replay('psql', 'echo "psql: error: connection refused" >&2; exit 2');
  expect(await run(recipe('bacula').text)).toMatchObject({
    code: 2,
    said: expect.stringContaining('connection refused') as string,
  });
  expect(answers).toHaveLength(3);
  await catalog.close();
});

test.skipIf(missing('sqlite3', 'sqlite3'))(
  'COPY-2: the catalog of Bacula in SQLite: a quiet day, then two jobs',
  async () => {
    const file = join(folder, 'bacula.db');
    const command = (recipe('bacula').also?.text ?? '').replace(
      '/var/lib/bacula/bacula.db',
      shell(file),
    );
    expect((await run(`sqlite3 ${shell(file)} <<'E'\n${CATALOG}\nE`)).code).toBe(0);
    expect(await run(command)).toEqual({ code: 0, said: '' });
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({
      success: true,
      data: { accepted: 0, rejected: [] },
    });
    const exec = async (sql: string): Promise<void> => {
      expect((await run(`sqlite3 ${shell(file)} <<'E'\nbegin;\n${sql}\ncommit;\nE`)).code).toBe(0);
    };
    await exec(getJobs((hours) => `datetime('now', 'localtime', '-${hours} hours')`));
    expect(await run(command, {}, 'bash')).toEqual({ code: 0, said: '' });
    await expectJobs();
    await exec(`delete from log; delete from job; ${getBadDay("datetime('now', 'localtime')")}`);
    expect(await run(command)).toEqual({ code: 0, said: '' });
    expect(JSON.parse(answers.at(-1)?.body ?? '')).toMatchObject({
      data: { accepted: 1_000, rejected: [] },
    });
  },
);

test('COPY-2: any command keeps its exit code, and its result has the end of its output', async () => {
  place = await aPlace(store, 'ping');
  place.ground.at(Date.now());
  replay('your-command', 'echo "ERROR: the disk is full"; exit 7');
  expect(await run(recipe('ping').text)).toEqual({ code: 7, said: '' });
  expect(await run(`set -eu\n${recipe('ping').text}\necho not reached`, {}, 'bash')).toEqual({
    code: 7,
    said: '',
  });
  expect((await runs())[0]).toMatchObject({
    status: 'Failed',
    exitCode: 7,
    message: 'the disk is full',
  });
});

test('COPY-2: output longer than a body may be is cut to its end, and its JSON stays complete', async () => {
  const noise = `i=0; while [ $i -lt 30000 ]; do echo "warning: file number $i could not be read, and this line is made longer by some words"; i=$((i+1)); done`;
  replay('restic', `${noise}; ${print('restic-real-unread.txt')}; exit 3`);
  expect((await run(withData(recipe('restic').text))).code).toBe(3);
  replay('borg', `{ ${noise}; } >&2; ${print('borg-good.txt')}; exit 1`);
  expect((await run(withData(recipe('borg').text))).code).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await place.all('run')).map(({ status, files }) => [status, files])).toEqual([
    ['Warning', 4],
    ['Warning', 2],
  ]);
});

test("COPY-2: a refused report is printed, and the exit code is the tool's", async () => {
  replay('restic', print('restic-real-good.txt'));
  const refused = getRecipe('restic', {
    origin,
    secret: `dbk_${'A'.repeat(43)}`,
    job: JOB,
    now: Date.now(),
  }).text;
  const ended = await run(`set -e\n${withData(refused)}`);
  expect(ended).toMatchObject({
    code: 0,
    said: expect.stringMatching(/401[\s\S]*The report was not sent\./) as string,
  });
  const wrong = { origin, secret: `dbk_${'A'.repeat(43)}`, job: JOB, now: Date.now() };
  replay('restic', print('restic-real-snapshots.txt'));
  expect(await run(getRecipe('restic', wrong).also?.text ?? '')).toMatchObject({
    code: 1,
    said: expect.stringContaining('The report was not sent.') as string,
  });
  expect(existsSync(join(folder, 'tmp')) && (await run('ls "$TMPDIR"')).said).toBe('');
});

test('COPY-2, SRC-24: the answer to a body that is too large says how to shorten an output and a list', async () => {
  const answer = await fetch(`${origin}/api/v1/ingest/restic?exit=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.secret}` },
    body: 'x'.repeat(1_100_000),
  });
  expect([answer.status, await answer.text()]).toEqual([
    413,
    expect.stringMatching(/tail -c 1000000.*restic snapshots --json --latest \d+/),
  ]);
});

const send = (
  body: string | Uint8Array<ArrayBuffer>,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${origin}/api/v1/ingest/restic?job=x`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.secret}`, ...more },
    body,
  });

test.skipIf(missing('restic', 'restic'))(
  'COPY-2, SRC-24: a list of snapshots above 1 MB arrives complete with the command as shown, and its refusals say which command makes it shorter',
  async () => {
    expect((await run('restic init', restic())).code).toBe(0);
    // Tags of about 100 kB each: twelve snapshots are 1.2 MB of JSON.
    const tags = join(folder, 'tags');
    writeFileSync(tags, 'x'.repeat(100_000), { mode: 0o644 });
    expect(
      await run(
        withData(
          `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do restic backup -q --tag "$i-$(cat ${shell(tags)})" /path/to/data || exit 1; done`,
        ),
        restic(),
      ),
    ).toEqual({ code: 0, said: '' });
    const listed = (await run('restic snapshots --json', restic())).said;
    expect(Buffer.byteLength(listed)).toBeGreaterThan(1_048_576);
    expect(await run(recipe('restic').also?.text ?? '', restic())).toEqual({ code: 0, said: '' });
    expect(
      answers.map(({ status, body }) => [status, (JSON.parse(body) as { data: unknown }).data]),
    ).toMatchObject([[200, { accepted: 12, duplicates: 0 }]]);
    // As it is, and packed where it unpacks to more than 4 MB.
    const refused = [
      await send(listed),
      await send(
        gzipSync(
          JSON.stringify(Array.from({ length: 4 }, () => JSON.parse(listed) as unknown[]).flat()),
        ),
        { 'content-encoding': 'gzip' },
      ),
    ];
    const shorter = /restic snapshots --json --latest \d+/;
    for (const answer of refused)
      expect([answer.status, await answer.text()]).toEqual([413, expect.stringMatching(shorter)]);
    // What it says works; one entry for each host and folder here.
    const advice = shorter.exec(answers.at(-1)?.body ?? '')?.[0].replace(/\d+$/, '2') ?? '';
    const few = await send((await run(advice, restic())).said);
    expect([few.status, ((await few.json()) as { data: unknown }).data]).toMatchObject([
      200,
      { accepted: 0, duplicates: 2 },
    ]);
  },
);
