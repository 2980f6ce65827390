import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { restoreFrom } from '#server/platform/db/backup-file.ts';
import type { BaseCopies, BaseCopy } from '#server/platform/db/base-copies.ts';
import { type CopyOffer, getOfferFile } from '#server/platform/db/copy-protocol.ts';
import { offerCopies } from '#server/platform/db/copy-server.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { systemChance } from '#server/platform/random.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { compareLedger, keepLedger } from '../../bench/ledger.ts';
import { freshStore, migratedFolder, missing, QUIET } from './databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, runDraft } from './drafts.ts';
import { mayMount, tmpfs } from './full-site.ts';

const PATIENT = { timeout: 150_000, interval: 20 };
const PASSWORD = 'the wanted password';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-hot-'));
  ends.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

interface Run {
  readonly child: ChildProcess;
  readText(): string;
  readonly exit: Promise<number | null>;
}

/** Runs a program of the server on a data folder. */
function run(program: string, dataDir: string, args: readonly string[] = []): Run {
  const child = spawn(process.execPath, ['--liftoff-only', `server/${program}.ts`, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: dataDir,
      DAYBOOK_ESTATE: 'none',
      DAYBOOK_DEMO_PASSWORD: PASSWORD,
      PORT: '0',
    },
  });
  ends.push(() => child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  const exit = new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { child, readText: () => text, exit };
}

/** A folder with a database that this process has open and offers, as a server does. */
async function makeServer(
  wrap: (copy: BaseCopy) => BaseCopy = (copy) => copy,
): Promise<{ readonly dataDir: string; readonly store: OpenStore; stop(): Promise<void> }> {
  const dataDir = makeFolder();
  await migratedFolder(dataDir);
  const store = await openStore({ ...QUIET, dataDir, databaseUrl: null });
  ends.push(() => store.close());
  const tenant = await aTenant(store);
  await store.tenant(tenant, (tx) =>
    tx.append([companyDraft(1), jobDraft(1), runDraft({ n: 1 })], byClock),
  );
  const copies: BaseCopies = {
    async start() {
      const copy = await store.copies?.start();
      return copy == null ? null : wrap(copy);
    },
  };
  const offer = await offerCopies(
    { dataDir, copies, before: () => Promise.resolve() },
    { ...QUIET, chance: systemChance },
  );
  ends.push(() => offer.stop());
  return { dataDir, store, stop: () => offer.stop() };
}

/** What a backup into this folder has left there. */
const list = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith('backup'));
const hasCopy = (dataDir: string): boolean => existsSync(join(dataDir, 'daybook-copy'));

test('STORE-18, G16, G22, G26: a backup of a server that stores results and commands meanwhile has all that was acknowledged before it began and nothing in half, and restores into either database', async () => {
  const dataDir = makeFolder();
  await migratedFolder(dataDir);
  const server = run('main', dataDir);
  await expect.poll(() => server.readText(), PATIENT).toMatch(/Daybook is at http:\S+\//);
  const origin = /Daybook is at (http:\S+)\//.exec(server.readText())?.[1] ?? '';
  const ledger = await keepLedger({
    getOrigin: () => origin,
    password: PASSWORD,
    posters: 2,
    pauseMs: 20,
  });
  await expect.poll(() => ledger.commands.length, PATIENT).toBeGreaterThan(4);
  const file = join(makeFolder(), 'backup.gz');
  const begunAt = performance.now();
  const backup = run('backup', dataDir, [file]);
  expect([await backup.exit, backup.readText()]).toEqual([0, `The backup is in ${file}.\n`]);
  const endedAt = performance.now();
  const checked = run('verify', dataDir);
  expect([await checked.exit, checked.readText()]).toEqual([
    0,
    expect.stringContaining('damaged parts of the log 0, differences 0\n'),
  ]);
  await ledger.stop();
  expect(hasCopy(dataDir), 'the copy is deleted').toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(
    [...ledger.commands, ...ledger.results].filter(
      ({ sentAt, acknowledgedAt }) => sentAt > begunAt && acknowledgedAt < endedAt,
    ).length,
    'the server went on meanwhile',
  ).toBeGreaterThan(0);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(existsSync(getOfferFile(dataDir))).toBe(false);

  const before = [...ledger.commands, ...ledger.results].filter(
    ({ acknowledgedAt }) => acknowledgedAt <= begunAt,
  );
  for (const kind of ['pglite', 'postgres'] as const) {
    if (kind === 'postgres' && missing !== '') continue;
    const restored = await freshStore(kind);
    expect(await restoreFrom(restored, file)).toBe(1);
    const compared = await compareLedger(restored, ledger, begunAt);
    expect({ kind, ...compared }).toMatchObject({
      missing: [],
      doubled: [],
      torn: [],
      isSound: true,
    });
    expect(compared.stored).toBeGreaterThanOrEqual(before.flatMap(({ ids }) => ids).length);
  }
}, 600_000);

test('STORE-18: only who can read the data folder gets a copy, and a second backup meanwhile is refused', async () => {
  const { dataDir } = await makeServer();
  const file = getOfferFile(dataDir);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { port, secret } = JSON.parse(readFileSync(file, 'utf8')) as CopyOffer;
  const ask = (
    line: string,
  ): { readonly text: () => string; end(): void; closed: Promise<void> } => {
    const socket = connect(port, '127.0.0.1');
    ends.push(() => socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
    socket.write(line);
    return { text: () => text, end: () => void socket.destroy(), closed };
  };
  for (const wrong of ['\n', `${secret.slice(1)}\n`, `${secret}x\n`, 'x'.repeat(100_000)]) {
    const refused = ask(wrong);
    await refused.closed;
    expect(refused.text()).toBe('');
  }
  const first = ask(`${secret}\n`);
  await expect.poll(first.text, PATIENT).toBe('{"kind":"begun"}\n');

  const target = makeFolder();
  const second = run('backup', dataDir, [join(target, 'backup.gz')]);
  expect([await second.exit, second.readText()]).toEqual([
    1,
    'Another backup or check of this database is running. Wait until it has ended.\n',
  ]);
  expect([list(target), hasCopy(dataDir)]).toEqual([[], false]);

  // It gives up, as one that was killed.
  first.end();
  await expect
    .poll(async () => run('backup', dataDir, [join(target, 'backup.gz')]).exit, PATIENT)
    .toBe(0);
}, 300_000);

test('STORE-19: a server that stops while it is copied, and a backup that is ended or killed, leave no file under the name of the backup, and the next backup is whole', async () => {
  const target = makeFolder();
  const file = join(target, 'backup.gz');
  const plan: { finish: (copy: BaseCopy) => ReturnType<BaseCopy['finish']> } = {
    finish: (copy) => copy.finish(),
  };
  const server = await makeServer((copy) => ({ ...copy, finish: () => plan.finish(copy) }));
  const { dataDir } = server;

  // The files are copied, and no more.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const reached = Promise.withResolvers<void>();
    plan.finish = () => {
      reached.resolve();
      return gone.promise;
    };
    const gone = Promise.withResolvers<never>();
    const backup = run('backup', dataDir, [file]);
    await reached.promise;
    expect(hasCopy(dataDir)).toBe(true);
    backup.child.kill(signal);
    await backup.exit;
    gone.reject(new Error('The command is gone.'));
    expect([list(target), hasCopy(dataDir)]).toEqual([[], signal === 'SIGKILL']);
  }

  // What the killed one left is deleted by the next, which is refused by the database.
  plan.finish = () => Promise.reject(new Error('The database was begun again.'));
  const failed = run('backup', dataDir, [file]);
  expect([await failed.exit, failed.readText()]).toEqual([
    1,
    "The server couldn't offer a copy of its database. See its log for the reason.\n",
  ]);
  expect([list(target), hasCopy(dataDir)]).toEqual([[], false]);

  plan.finish = (copy) => copy.finish();
  const whole = run('backup', dataDir, [file]);
  expect([await whole.exit, whole.readText()]).toEqual([0, expect.any(String)]);
  expect([list(target), hasCopy(dataDir)]).toEqual([['backup.gz'], false]);
  const restored = await freshStore('pglite');
  expect(await restoreFrom(restored, file)).toBe(1);
  expect((await verify(restored)).map(isSound)).toEqual([true]);

  rmSync(file);
  const ended = Promise.withResolvers<never>();
  plan.finish = () => {
    void server.stop();
    return ended.promise;
  };
  const cut = run('backup', dataDir, [file]);
  expect([await cut.exit, cut.readText()]).toEqual([
    1,
    'The server stopped while its database was copied. Run the command again.\n',
  ]);
  ended.reject(new Error('The server is gone.'));
  expect([list(target), hasCopy(dataDir)]).toEqual([[], false]);
}, 300_000);

test('STORE-19: a server that can offer no copies, as on a full disk, starts all the same and says so, and a backup of it is refused', async () => {
  const dataDir = makeFolder();
  await migratedFolder(dataDir);
  mkdirSync(`${getOfferFile(dataDir)}.new`);
  const server = run('main', dataDir);
  await expect.poll(() => server.readText(), PATIENT).toMatch(/Daybook is at http:\S+\//);
  expect(server.readText()).toContain('no copies can be offered');
  const target = makeFolder();
  const refused = run('backup', dataDir, [join(target, 'backup.gz')]);
  expect([await refused.exit, refused.readText()]).toEqual([
    1,
    expect.stringMatching(
      /^Another Daybook \(process \d+ on \S+\) uses the data folder \S+ Stop it/,
    ),
  ]);
  expect(list(target)).toEqual([]);
}, 300_000);

const unmounted = mayMount() ? '' : ' (skipped: no tmpfs can be mounted)';
test.skipIf(unmounted !== '')(
  `STORE-19: a full disk leaves nothing of a backup, and says so${unmounted}`,
  async () => {
    const { dataDir } = await makeServer();
    const disk = tmpfs(200);
    ends.push(() => {
      disk.gone();
    });
    const mounted = join(disk.dir, '..');
    // Space for the copy, but not for the backup of it.
    disk.fill(0);
    const full = run('backup', dataDir, [join(mounted, 'backup.gz')]);
    expect([await full.exit, full.readText()]).toEqual([
      1,
      "The disk is full, so the command couldn't finish. It left nothing behind.\n",
    ]);
    const small = run('backup', dataDir, [join(dataDir, 'backup.gz'), '--copy-in', mounted]);
    expect(await small.exit).toBe(1);
    expect(small.readText()).toMatch(
      /^A copy of the database needs [\d,]+ MB in \S+, and 0 MB are free\./,
    );
    expect([list(mounted), list(dataDir), hasCopy(dataDir), hasCopy(mounted)]).toEqual([
      [],
      [],
      false,
      false,
    ]);
    disk.free();
    const roomy = run('backup', dataDir, [join(mounted, 'backup.gz')]);
    expect([await roomy.exit, roomy.readText()]).toEqual([0, expect.any(String)]);
  },
  300_000,
);
