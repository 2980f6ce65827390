import fs from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import type { StoreError } from '#server/platform/db/retry.ts';
import { migratedFolder, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft } from './drafts.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'daybook-flush-'));
const flushDisk = fs.fdatasync;
let store: OpenStore;
let tenant = '';
let jobs = 0;

beforeAll(async () => {
  await migratedFolder(dataDir);
  store = await openStore({ ...QUIET, dataDir, databaseUrl: null });
  tenant = await aTenant(store);
}, 180_000);
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const append = (): Promise<unknown> =>
  store.tenant(tenant, async (tx) => {
    // A failed one may have taken its number.
    jobs = Math.max(jobs, (await tx.lock()).job - 1) + 1;
    await tx.append([jobDraft(jobs)], byClock, { job: 1 });
  });

test('STORE-15: nobody learns of a change before it is on disk; the next ones run meanwhile, and share the next flush', async () => {
  const flushes: (() => void)[] = [];
  vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
    flushes.push(() => {
      flushDisk(fd, done);
    });
  });
  const heads: number[] = [];
  const stop = store.onAppend((_tenant, head) => void heads.push(head));
  const ended: string[] = [];
  const first = append().then(() => ended.push('first'));
  await expect.poll(() => flushes.length).toBe(1);
  const ran = jobs;
  const later = [1, 2, 3, 4].map((n) => append().then(() => ended.push(`later ${n}`)));
  await expect.poll(() => jobs).toBe(ran + 4);
  // The database has one connection: once it reads, all four have been committed.
  const read = Promise.withResolvers<number>();
  const reader = store
    .tenant(
      tenant,
      async (tx) => {
        read.resolve((await tx.all('job')).length);
      },
      { readOnly: true },
    )
    .then(() => ended.push('reader'));
  expect(await read.promise).toBe(jobs);
  expect([ended, heads, flushes.length]).toEqual([[], [], 1]);
  flushes[0]?.();
  await expect.poll(() => flushes.length).toBe(2);
  expect(ended).toEqual(['first']);
  flushes[1]?.();
  await Promise.all([first, reader, ...later]);
  expect([ended.length, heads.length, flushes.length]).toEqual([6, 5, 2]);
  stop();
}, 120_000);

for (const [code, kind] of [
  ['EIO', 'unknown'],
  ['ENOSPC', 'disk-full'],
] as const)
  test(`STORE-15, G23: a flush that fails with ${code} confirms nothing; the database restarts, and what was confirmed is there`, async () => {
    await append();
    const acknowledged = jobs;
    vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => {
      done(Object.assign(new Error(`${code}: the disk failed`), { code }));
    });
    const heads: number[] = [];
    const stop = store.onAppend((_tenant, head) => void heads.push(head));
    await expect(append()).rejects.toSatisfy((error) => (error as StoreError).kind === kind);
    expect(heads).toEqual([]);
    stop();
    await expect
      .poll(
        () =>
          append().then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    const [log] = await verify(store, { only: [tenant] });
    expect(log && isSound(log)).toBe(true);
    expect(log?.head).toBeGreaterThan(acknowledged);
  }, 120_000);

test('STORE-16: without flushing, a change waits for no disk, and the disk says so', async () => {
  expect((await store.space())?.flushes).toBe(true);
  const mark = join(dataDir, 'pg', 'daybook-flushed');
  expect(fs.existsSync(mark)).toBe(true);
  await store.close();
  const flush = vi.spyOn(fs, 'fdatasync');
  store = await openStore({ ...QUIET, dataDir, databaseUrl: null, flushes: false });
  await append();
  expect(flush).not.toHaveBeenCalled();
  expect((await store.space())?.flushes).toBe(false);
  expect(fs.existsSync(mark), 'the next one that flushes begins with all of it').toBe(false);
}, 120_000);
