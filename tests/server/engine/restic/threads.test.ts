import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { type BlobThreads, makeBlobThreads } from '#server/engine/embedded/restic/blob-threads.ts';
import { makeSealer, splitSealingKey } from '#server/engine/embedded/restic/seal.ts';
import { systemChance } from '#server/platform/random.ts';
import { makeThreadPool } from '#server/platform/threads/thread-pool.ts';
import {
  type Files,
  getKind,
  getValue,
  makeFolder,
  makeRepository,
  missing,
  openAt,
  PASSWORD,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
} from './fixtures.ts';
import { expectNoErrors } from './restic-reader.ts';

const WATCHED = new URL('./watched-thread.ts', import.meta.url);
const [LOG, ENDS] = [join(makeFolder(), 'log'), join(makeFolder(), 'ends')];

/** How many threads the next tasks end. */
const endThreads = (count: number): void => {
  writeFileSync(ENDS, 'x'.repeat(count));
};
const watch = (size: number): BlobThreads => makeBlobThreads(size, WATCHED);
/** What threads did, in its order. */
const getDone = () =>
  readFileSync(LOG, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map(([thread = '', kind = '']) => ({ thread, kind }));

beforeEach(() => {
  vi.stubEnv('BLOB_THREAD_LOG', LOG);
  vi.stubEnv('BLOB_THREAD_ENDS', ENDS);
  writeFileSync(LOG, '');
  endThreads(0);
});

afterAll(() => {
  vi.unstubAllEnvs();
});

const makeText = (seed: number, lines: number): Buffer =>
  Buffer.from(Array.from({ length: lines }, (_, n) => `${seed} and ${n * seed}\n`).join(''));
const makeFiles = (seed: number): Files => ({
  'empty.txt': Buffer.alloc(0),
  'tiny.eml': makeText(seed, 3),
  'mail.eml': makeText(seed, 3_000),
  'a/noise.raw': randomBytes(seed, 9_500_000),
  'a/copy of noise.raw': randomBytes(seed, 9_500_000),
  'b/table.csv': makeText(seed, 150_000),
});

test.skipIf(missing !== '')(
  'ENG-83, ENG-12: restic finds no error in what sessions wrote at once with the same threads',
  async () => {
    const threads = watch(2);
    const { folder, target } = await makeRepository();
    const sessions = await Promise.all([1, 2, 3].map(() => openAt(target, { threads })));
    const points = await Promise.all(
      sessions.map((session, n) => saveFiles(session, makeFiles(n + 1), n)),
    );
    for (const session of sessions) getValue(await session.close());
    await expectNoErrors({ folder, password: PASSWORD });
    const reader = await openAt(target, { lock: 'none' });
    for (const [n, point] of points.entries())
      expect(sameFiles(await readFiles(reader, point), makeFiles(n + 1))).toEqual([]);
    const done = getDone();
    expect(new Set(done.map(({ kind }) => kind))).toEqual(
      new Set(['cut', 'name', 'seal', 'digest']),
    );
    expect(new Set(done.map(({ thread }) => thread)).size).toBeLessThanOrEqual(2);
  },
);

test('ENG-83: the same files are the same blobs with threads, with one core, and in both again', async () => {
  const { target } = await makeRepository();
  const trees: string[] = [];
  for (const threads of [watch(2), makeBlobThreads(0), watch(1), undefined]) {
    const session = await openAt(target, threads === undefined ? {} : { threads });
    const id = await saveFiles(session, makeFiles(4));
    const points = getValue(await session.listSnapshots());
    trees.push(points.find((point) => point.id === id)?.tree ?? '');
    getValue(await session.close());
  }
  expect(new Set(trees).size).toBe(1);
  const session = await openAt(target, { threads: watch(2) });
  const noise = randomBytes(4, 9_500_000);
  async function* stream() {
    yield noise;
  }
  expect(getValue(await session.saveFile(stream())).newBytes).toBe(0);
  getValue(await session.close());
});

test('ENG-83: many small blobs go to a thread together, and equal ones are stored once', async () => {
  const { target } = await makeRepository();
  const session = await openAt(target, { threads: watch(1) });
  const mails = Array.from({ length: 400 }, (_, n) => makeText(1 + (n % 200), 100));
  const saved = await Promise.all(mails.map((mail) => session.saveBlob('data', mail)));
  const values = saved.map(getValue);
  expect(new Set(values.map(({ id }) => id)).size).toBe(200);
  expect(values.filter(({ newBytes }) => newBytes > 0)).toHaveLength(200);
  const named = getDone().filter(({ kind }) => kind === 'name');
  expect(named.length).toBeLessThan(mails.length / 10);
  getValue(await session.flush());
  for (const [n, { id }] of values.entries())
    expect(Buffer.compare(getValue(await session.readBlob('data', id)), mails[n] ?? noMail)).toBe(
      0,
    );
  getValue(await session.close());
});
const noMail = Buffer.of();

test('ENG-83: a session that stores a few small files starts no thread', async () => {
  const { folder, target } = await makeRepository();
  const session = await openAt(target, { threads: watch(2) });
  const files = {
    'tiny.eml': makeText(3, 3),
    'mail.eml': makeText(4, 90),
    'noise.raw': randomBytes(3, 20_000),
  };
  const point = await saveFiles(session, files);
  expect(sameFiles(await readFiles(session, point), files)).toEqual([]);
  getValue(await session.close());
  expect(getDone()).toEqual([]);
  if (missing === '') await expectNoErrors({ folder, password: PASSWORD });
});

test('ENG-83: each blob that a thread seals has a nonce of its own', async () => {
  const key = splitSealingKey(randomBytes(11, 64));
  const sealer = await makeSealer(key, systemChance);
  const work = watch(1).open({ key, sealer, chance: systemChance });
  const mails = Array.from({ length: 200 }, (_, n) => makeText(1 + n, 100));
  const prepared = await Promise.all(mails.map((mail) => work.prepare(mail, () => true)));
  const sealed = prepared.map((blob) => blob.sealed?.bytes ?? noMail);
  expect(
    new Set(sealed.map((bytes) => Buffer.from(bytes.subarray(0, 16)).toString('hex'))).size,
  ).toBe(200);
  for (const bytes of sealed) expect(sealer.open(bytes).ok).toBe(true);
  await work.close();
});

test('ENG-83: a thread that ends is replaced, and what it worked on is done again', async () => {
  for (const ends of [1, 2]) {
    const { target } = await makeRepository();
    endThreads(ends);
    const session = await openAt(target, { threads: watch(2) });
    const point = await saveFiles(session, makeFiles(5));
    expect(readFileSync(ENDS, 'utf8')).toBe('');
    expect(sameFiles(await readFiles(session, point), makeFiles(5))).toEqual([]);
    getValue(await session.close());
  }
});

test('ENG-83, ENG-2: if threads end again and again, nothing counts as stored', async () => {
  const { target } = await makeRepository();
  const lost = randomBytes(6, 100_000);
  endThreads(1_000);
  const session = await openAt(target, { threads: watch(2) });
  const both = [session.saveBlob('data', lost), session.saveBlob('data', lost)];
  for (const saved of await Promise.all(both)) expect(getKind(saved)).toBe('busy');
  expect(getKind(await session.flush())).toBe('busy');
  getValue(await session.close());
  endThreads(0);
  const next = await openAt(target, { threads: watch(2) });
  const { id, newBytes } = getValue(await next.saveBlob('data', lost));
  expect(newBytes).toBe(lost.length);
  getValue(await next.flush());
  getValue(await next.close());
  const reader = await openAt(target, { lock: 'none' });
  expect(Buffer.compare(getValue(await reader.readBlob('data', id)), lost)).toBe(0);
});

test('ENG-83: the last session that ends takes the threads along, and the next one has new ones', async () => {
  const threads = watch(1);
  const { target } = await makeRepository();
  const [first, second] = [await openAt(target, { threads }), await openAt(target, { threads })];
  getValue(await first.saveBlob('data', randomBytes(7, 50_000)));
  getValue(await first.close());
  getValue(await first.close());
  getValue(await second.saveBlob('data', randomBytes(8, 50_000)));
  expect(new Set(getDone().map(({ thread }) => thread)).size).toBe(1);
  const unfinished = second.saveBlob('data', randomBytes(9, 50_000));
  getValue(await second.close());
  expect(['ok', 'busy']).toContain(getKind(await unfinished));
  const third = await openAt(target, { threads });
  getValue(await third.saveBlob('data', randomBytes(10, 50_000)));
  expect(new Set(getDone().map(({ thread }) => thread)).size).toBe(2);
  getValue(await third.close());
});

test('ENG-83: an error of a thread has nothing of its task', async () => {
  const script = new URL(
    '../../../../server/engine/embedded/restic/blob-thread.ts',
    import.meta.url,
  );
  const pool = makeThreadPool<unknown, unknown>({ script, size: 1, memoryMb: 64 });
  const task = { kind: 'seal', bytes: new ArrayBuffer(4), lengths: 7, key: 'of the repository' };
  const error: unknown = await pool.run(() => ({ task, transfer: [] })).catch((e: unknown) => e);
  expect(error).toEqual(new Error('A thread failed: TypeError'));
  await pool.close();
});
