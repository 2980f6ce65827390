import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pruneRepository } from '#server/engine/embedded/restic/repository.ts';
import {
  type Files,
  getKind,
  makeMemoryRepository,
  openAt,
  pruneAt,
  PROOF,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
  tools,
  getValue,
} from './fixtures.ts';

const packBytes = 12_000;

/** File n always has the same content; some are equal, some compress. */
const getContent = (n: number): Uint8Array =>
  n % 3 === 0
    ? Buffer.from(`line ${n}\n`.repeat(400))
    : randomBytes(n % 20, 1_000 + (n % 20) * 211);
const filesFor = (numbers: readonly number[]): Files =>
  Object.fromEntries(numbers.map((n) => [`folder ${n % 4}/${n}.eml`, getContent(n)]));

test('ENG-7: after any backups and clean-ups, kept points have their content, and nothing else takes space', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('backup' as const),
      numbers: fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 25 }),
    }),
    fc.record({
      kind: fc.constant('prune' as const),
      keeps: fc.array(fc.boolean()),
      all: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const { target } = await makeMemoryRepository();
      const points = new Map<string, Files>();
      let at = 0;
      for (const action of steps) {
        at += 1;
        if (action.kind === 'backup') {
          const repository = await openAt(target, { packBytes });
          const files = filesFor(action.numbers);
          points.set(await saveFiles(repository, files, at), files);
          await repository.close();
          continue;
        }
        const keep = [...points.keys()].filter(
          (_, index) => action.all || action.keeps[index] === true,
        );
        for (const id of points.keys()) if (!keep.includes(id)) points.delete(id);
        await pruneAt(target, { maxUnusedShare: 0, packBytes, ...(action.all ? {} : { keep }) });
        // Nothing unused is left: a repository with only these points is not smaller.
        const { target: fresh } = await makeMemoryRepository();
        const oracle = await openAt(fresh, { packBytes });
        for (const files of points.values()) await saveFiles(oracle, files);
        await oracle.close();
        const blobs = async (place: typeof target) =>
          getValue(await (await openAt(place, { lock: 'none' })).check({ readData: true }));
        expect(await blobs(target)).toMatchObject({
          blobs: (await blobs(fresh)).blobs,
          problems: [],
        });
      }
      const repository = await openAt(target, { lock: 'none' });
      expect(getValue(await repository.listSnapshots()).map(({ id }) => id)).toEqual([
        ...points.keys(),
      ]);
      for (const [id, files] of points)
        expect(sameFiles(await readFiles(repository, id), files)).toEqual([]);
    }),
    { numRuns: 12 * PROOF },
  );
});

test('ENG-7: a clean-up keeps what is not in a restore point yet and is still needed', async () => {
  const { target } = await makeMemoryRepository();
  const repository = await openAt(target);
  const needed = getValue(await repository.saveBlob('data', randomBytes(1, 5_000)));
  const unused = getValue(await repository.saveBlob('data', randomBytes(2, 5_000)));
  getValue(await repository.flush());
  await repository.close();
  const report = await pruneAt(target, { keepBlobs: [needed.id], maxUnusedShare: 0 });
  expect(report.bytesRemoved).toBeGreaterThan(10_000);
  const after = await openAt(target, { lock: 'none' });
  expect(getValue(await after.readBlob('data', needed.id))).toHaveLength(5_000);
  expect(getKind(await after.readBlob('data', unused.id))).toBe('missing');
});

test('ENG-7: a clean-up that should keep an unknown point, or finds an unreadable folder, removes nothing', async () => {
  const { target } = await makeMemoryRepository();
  const repository = await openAt(target);
  const point = await saveFiles(repository, filesFor([1, 2, 3]));
  await repository.close();
  const before = getValue(await target.list('data'));
  const unknown = await pruneRepository(target, { ...tools(), keep: ['ab'.repeat(32)] });
  expect(getKind(unknown)).toBe('missing');
  const trees = before.toSorted((a, b) => a.sizeBytes - b.sizeBytes)[0];
  const bytes = Buffer.from(getValue(await target.read('data', trees?.name ?? '')));
  bytes.fill(0, 0, 100);
  getValue(await target.write('data', trees?.name ?? '', bytes));
  expect(getKind(await pruneRepository(target, { ...tools(), keep: [] }))).toBe('ok');
  getValue(await target.write('snapshots', 'ab'.repeat(32), Buffer.from('damaged')));
  expect(getKind(await pruneRepository(target, tools()))).toBe('damaged');
  expect(point).toHaveLength(64);
});

test('ENG-7: many small packs of one kind are merged, and few are left alone', async () => {
  const { target } = await makeMemoryRepository();
  const repository = await openAt(target);
  for (let n = 1; n <= 6; n += 1) {
    await saveFiles(repository, filesFor([n]), n);
    getValue(await repository.flush());
  }
  await repository.close();
  expect(getValue(await target.list('data'))).toHaveLength(12);
  await pruneAt(target);
  expect(getValue(await target.list('data'))).toHaveLength(2);
  expect(await pruneAt(target)).toMatchObject({ packsRemoved: 0, packsWritten: 0 });
  const after = await openAt(target, { lock: 'none' });
  expect(getValue(await after.check({ readData: true })).problems).toEqual([]);
});
