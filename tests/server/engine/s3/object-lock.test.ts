import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import {
  deleteRepository,
  repositoryDeletion,
} from '#server/engine/embedded/repositories/delete-repository.ts';
import { readRepositoryUsage } from '#server/engine/embedded/repositories/repositories.ts';
import { systemChance } from '#server/platform/random.ts';
import { eachDatabase } from '../../db/databases.ts';
import { memoryObject, type MemoryObject } from '../memory-source.ts';
import { getValue, PASSWORD, PROOF, tools } from '../restic/fixtures.ts';
import { listPrograms } from '../restic/restic-reader.ts';
import { copiesNow, loadFiles, loadPoints } from '../session-bench.ts';
import { type LockedBench, makeLockedBench, writeBucket, writeSurvivors } from './locked-bench.ts';
import { add, remove } from './versioned.ts';

const DAY: Ms = 86_400_000;
const IDLE = { put: [1], remove: [], object: 0, isBackedUp: false };
const YEAR_AND_MORE = [30, 150, 150, 150] as const;

function makeObjects(): MemoryObject[] {
  const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 4; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  return objects;
}

const openFolder = async (folder: string) =>
  getValue(
    await openRepository(makeFolderTarget(folder, { chance: systemChance }), {
      ...tools(),
      lock: 'none',
    }),
  );

/** Returns the contents of a restore point in what nobody can delete until a moment. */
async function readSurvivors(locked: LockedBench, at: Ms, snapshot: string): Promise<string[]> {
  const opened = await openFolder(writeSurvivors(locked, at));
  const point = getValue(await opened.listSnapshots()).find(({ id }) => id === snapshot);
  return [...(await loadFiles(opened, point?.tree ?? '')).files.values()].sort();
}

/**
 * The repository in the bucket has no error, also for restic. All its files are locked, if they are
 * needed by a restore point.
 */
async function expectNoError(locked: LockedBench): Promise<void> {
  const isNeeded = (await loadPoints(locked.bench)).length > 0;
  const folder = isNeeded ? writeSurvivors(locked, locked.s3.now()) : writeBucket(locked);
  for (const { path } of listPrograms()) {
    const { status, stderr } = spawnSync(
      path,
      ['-r', folder, '--no-cache', 'check', '--read-data'],
      { env: { ...process.env, RESTIC_PASSWORD: PASSWORD }, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
  const { problems, files } = getValue(await (await openFolder(folder)).check({ readData: true }));
  expect({ problems, files }).toEqual({ problems: [], files: [] });
}

const contentsNow = (objects: readonly MemoryObject[]): string[] =>
  Object.values(copiesNow(objects))
    .flatMap(({ items }) => items.map(({ content }) => content))
    .sort();

/** Which files the attacker of a test deletes or overwrites. */
const isTouched = (n: number): boolean => n % 2 === 0 || n % 3 !== 0;

/** The same calendar day a year later: what `Year1` promises. */
const aYearAfter = (at: Ms): Ms => {
  const date = new Date(at);
  return Date.UTC(
    date.getUTCFullYear() + 1,
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    date.getUTCMilliseconds(),
  );
};

const loadSnapshot = async ({ bench }: LockedBench, point: string): Promise<string> =>
  (await loadPoints(bench)).find(({ id }) => id === point)?.snapshot ?? '';

const readLocks = async ({ bench, context }: LockedBench) => {
  const { tenant, organization, repository } = bench;
  const scope = { tenant, organization } as Parameters<typeof readRepositoryUsage>[1];
  return getValue(await readRepositoryUsage(context, scope, repository)).locks;
};

eachDatabase((name, open) => {
  test(`OBJ-7, OBJ-8: whoever deletes all that can be deleted, right before a restore point expires, leaves it whole; what isn't needed goes when its lock ends (${name})`, async () => {
    const action = fc.record({
      days: fc.constantFrom(1, 5, 30, 150),
      put: fc.array(fc.nat(6), { maxLength: 3 }),
      remove: fc.array(fc.nat(6), { maxLength: 2 }),
      object: fc.nat(1),
      isBackedUp: fc.boolean(),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 5 }), async (actions) => {
        const objects = makeObjects();
        const locked = await makeLockedBench(store, objects);
        const { s3, bucket, bench } = locked;
        const job = await bench.addJob();
        const made: { point: string; snapshot: string; at: Ms; contents: string[] }[] = [];
        for (const { days, put, remove: removed, object, isBackedUp } of actions) {
          for (const n of put)
            objects[object]?.putItem(`i${n}`, 'top', `content ${n} of ${made.length}`);
          for (const n of removed) objects[object]?.removeItem(`i${n}`);
          if (isBackedUp || made.length === 0) {
            const at = s3.now();
            const point = await locked.backUp(job);
            const snapshot = await loadSnapshot(locked, point);
            const contents = contentsNow(objects);
            made.push({ point, snapshot, at, contents });
            // At once, and not only after the next day.
            await locked.cleanUpIfDue();
            expect(await readSurvivors(locked, aYearAfter(at) - 1, snapshot)).toEqual(contents);
          }
          // The daily work runs each day.
          const step = Math.ceil(days / 4);
          for (let day = 0; day < days; day += step) {
            bench.ground.pass(step * DAY);
            await locked.cleanUp();
          }
          const retained = made.filter(({ at }) => s3.now() <= aYearAfter(at));
          expect((await loadPoints(bench)).map(({ id }) => id)).toEqual(
            retained.map(({ point }) => point),
          );
          for (const { snapshot, at, contents } of retained.slice(-2)) {
            const until = Math.max(s3.now(), aYearAfter(at) - 1);
            expect(await readSurvivors(locked, until, snapshot)).toEqual(contents);
          }
          await expectNoError(locked);
          for (const [key, versions] of bucket.versions)
            for (const [n, { bytes, lock, at }] of versions.entries())
              // The lock files of this clean-up go with the next one.
              if (bytes !== null && n > 0 && !(key.includes('/locks/') && at === s3.now()))
                expect({ key, isLocked: (lock?.until ?? 0) > s3.now() }).toEqual({
                  key,
                  isLocked: true,
                });
        }
      }),
      {
        numRuns: PROOF + 1,
        endOnFailure: true,
        // All restore points expire, and the repository stays.
        examples: [[YEAR_AND_MORE.map((days) => ({ ...IDLE, days }))]],
      },
    );
  });

  test(`OBJ-7: a day without changes asks for no lock, and a file that stays is locked anew every seven days at most (${name})`, async () => {
    const locked = await makeLockedBench(await open(), makeObjects());
    const { s3, bench, bucket } = locked;
    const job = await bench.addJob();
    await locked.backUp(job);
    bench.ground.pass(DAY);
    await locked.cleanUp();
    s3.requests.length = 0;
    await locked.cleanUp();
    expect(s3.requests.filter((one) => one.endsWith('retention'))).toEqual([]);
    const before = new Set(bucket.objects.keys());
    // A file that was written since is not read only to know it.
    const requests = s3.requests.filter((one) => one === 'GET').length;
    await locked.backUp(job);
    const added = bucket.objects.size - before.size;
    s3.requests.length = 0;
    await locked.cleanUp();
    expect(s3.requests.filter((one) => one === 'GET retention').length).toBeGreaterThan(0);
    expect(s3.requests.filter((one) => one === 'GET').length).toBeLessThanOrEqual(requests + added);
    for (let day = 0; day < 10; day += 1) {
      await locked.backUp(job);
      bench.ground.pass(DAY);
      await locked.cleanUp();
    }
    const renewals = s3.requests.filter((one) => one === 'PUT retention').length;
    const written = bucket.objects.size;
    expect([...before].every((key) => bucket.objects.has(key))).toBe(true);
    expect(renewals).toBeGreaterThan(0);
    expect(renewals).toBeLessThanOrEqual(Math.ceil(10 / 7) * written);
    // Of each new file, its lock is read once.
    const reads = s3.requests.filter((one) => one === 'GET retention').length;
    expect(reads).toBeLessThanOrEqual(written);
  });

  test(`OBJ-7, OBJ-8: with a retention per item, items stay locked until they expire, and points without them are whole (${name})`, async () => {
    const [mailbox] = makeObjects();
    const objects = mailbox === undefined ? [] : [mailbox];
    const locked = await makeLockedBench(await open(), objects, { retentionType: 'ItemLevel' });
    const { s3, bench, bucket } = locked;
    const job = await bench.addJob();
    const made = s3.now();
    for (let n = 0; n < 4; n += 1)
      mailbox?.putItem(`i${n}`, 'top', `content ${n}`, made - n * 100 * DAY);
    const point = await locked.backUp(job);
    await locked.cleanUpIfDue();
    for (const days of [1, 60, 40, 100]) {
      bench.ground.pass(days * DAY);
      await locked.cleanUp();
      // Rewritten without what has expired.
      const left = [0, 1, 2, 3].filter((n) => made - n * 100 * DAY >= s3.now() - 365 * DAY);
      const snapshot = await loadSnapshot(locked, point);
      const contents = left.map((n) => `content ${n}`);
      expect(await readSurvivors(locked, s3.now(), snapshot)).toEqual(contents);
      await expectNoError(locked);
      // The newest item is locked to its own end, whatever happens to the server.
      expect(await readSurvivors(locked, aYearAfter(made) - 1, snapshot)).toEqual(contents);
    }
    bench.ground.pass(800 * DAY);
    await locked.cleanUp();
    const deleted = [...bucket.versions].filter(
      ([key, [newest]]) => !key.includes('/locks/') && newest?.bytes === null,
    );
    for (const [key, versions] of deleted)
      expect([key, versions.some(({ lock }) => (lock?.until ?? 0) > s3.now())]).toEqual([
        key,
        true,
      ]);
    expect(deleted.length).toBeGreaterThan(0);
  });

  test(`OBJ-9: what an attacker hides or overwrites comes back, and the repository says so (${name})`, async () => {
    const objects = makeObjects();
    const locked = await makeLockedBench(await open(), objects);
    const { s3, bench, bucket } = locked;
    const point = await locked.backUp(await bench.addJob());
    bench.ground.pass(DAY);
    await locked.cleanUp();
    expect(await readLocks(locked)).toMatchObject({ tampering: null, removedBytes: 0 });
    const now = s3.now();
    const keys = [...bucket.objects.keys()].sort();
    const original = new Map(bucket.objects);
    for (const [n, key] of keys.entries()) {
      // With a lock of his own, what he wrote can't be deleted either.
      const lock = n % 3 === 0 ? { mode: 'COMPLIANCE', until: now + 1_000 * DAY } : null;
      if (n % 2 === 0) add(bucket, key, { bytes: Buffer.from('ransom'), at: now, lock });
      if (n % 3 !== 0) remove(bucket, { key, query: new URLSearchParams(), now });
      // A version without a marker is locked: this must fail.
      for (const { id } of bucket.versions.get(key) ?? [])
        if (bucket.versions.get(key)?.find((one) => one.id === id)?.lock)
          expect(
            remove(bucket, { key, query: new URLSearchParams({ versionId: id }), now }).status,
          ).toBe(403);
    }
    await locked.cleanUp();
    for (const key of keys) expect(bucket.objects.get(key)).toEqual(original.get(key));
    expect(await readLocks(locked)).toMatchObject({
      tampering: { at: now, recovered: keys.filter((_, n) => isTouched(n)).length, lost: 0 },
    });
    const logged = async () =>
      (
        await bench.ground.context.store.tenant(bench.tenant, ({ sql }) =>
          sql
            .selectFrom('event')
            .select('data')
            .where('tenant_id', '=', bench.tenant)
            .where('type', '=', 'backuprepository.tampered@1')
            .execute(),
        )
      ).map(({ data }) => data);
    expect(await logged()).toEqual([
      {
        id: bench.repository,
        recovered: keys.filter((_, n) => isTouched(n)).length,
        lost: 0,
      },
    ]);
    const snapshot = await loadSnapshot(locked, point);
    expect(await readSurvivors(locked, now, snapshot)).toEqual(contentsNow(objects));
    await expectNoError(locked);
    // Nothing more happens to what was recovered, and it is locked as before.
    bench.ground.pass(DAY);
    await locked.cleanUp();
    expect(await readLocks(locked)).toMatchObject({ tampering: { at: now } });
    expect(await logged()).toHaveLength(1);
    expect(await readSurvivors(locked, aYearAfter(now - DAY) - 1, snapshot)).toEqual(
      contentsNow(objects),
    );
  });

  test(`OBJ-10: a deleted repository is hidden at once, and its files go when their locks end (${name})`, async () => {
    const locked = await makeLockedBench(await open(), makeObjects());
    const { s3, bench, bucket, context } = locked;
    const { tenant, repository } = bench;
    await locked.backUp(await bench.addJob());
    bench.ground.pass(DAY);
    await locked.cleanUp();
    const run = () =>
      repositoryDeletion(context)({
        tenant,
        payload: { repository },
        now: s3.now(),
        signal: new AbortController().signal,
      });
    const last = Math.max(
      ...[...bucket.versions.values()].flat().map(({ lock }) => lock?.until ?? 0),
    );
    const next = (await run()) ?? 0;
    expect([...bucket.objects.keys()]).toEqual([]);
    expect(next).toBeGreaterThan(s3.now());
    expect(next).toBeLessThanOrEqual(last);
    expect(await readLocks(locked)).toMatchObject({ lockedUntil: last });
    bench.ground.pass(last - s3.now() + 1);
    expect(await run()).toBeNull();
    expect(bucket.versions.size).toBe(0);
    expect(getValue(await deleteRepository(context, tenant, repository))).toBeNull();
  });
});
