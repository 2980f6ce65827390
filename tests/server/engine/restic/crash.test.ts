import { rmSync } from 'node:fs';
import type { EngineResult } from '#contract/engine/engine.ts';
import { expect, test } from 'vitest';
import {
  initRepository,
  openRepository,
  pruneRepository,
} from '#server/engine/embedded/restic/repository.ts';
import { failed } from '#server/engine/result.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import {
  type Files,
  makeClock,
  makeMemoryRepository,
  makeMemoryTarget,
  type MemoryFiles,
  openAt,
  PASSWORD,
  pruneAt,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
  saveFolder,
  toFolder,
  tools,
  getValue,
} from './fixtures.ts';
import {
  expectNoError,
  expectNoErrors,
  expectNoRepository,
  listPrograms,
  restoreFiles,
} from './restic-reader.ts';

// The process ends before or after a write or a removal; half of a write is no file, as the tests of
// targets prove. The next process opens the repository after the lock has become stale, and does the
// same work.

type Moment = 'before' | 'after';
const MOMENTS: readonly Moment[] = ['before', 'after'];
const HOUR = 3_600_000;
/** Small, so that a session writes several. */
const packBytes = 64_000;

/** Counts what is written and removed, and does nothing more from the `crashAt`th time on. */
function makeCrashing(files: MemoryFiles, crashAt: number, moment: Moment) {
  const target = makeMemoryTarget(files);
  const crashed = failed('unreachable', 'The process has ended.');
  let count = 0;
  let last = '';
  const step = async (
    name: string,
    work: () => Promise<EngineResult<void>>,
  ): Promise<EngineResult<void>> => {
    count += 1;
    if (count > crashAt) return crashed;
    last = name;
    if (count < crashAt) return work();
    if (moment === 'after') await work();
    return crashed;
  };
  const crashing: RepositoryTarget = {
    ...target,
    write: (type, name, bytes) => step(`write ${type}`, () => target.write(type, name, bytes)),
    remove: (type, name) => step(`remove ${type}`, () => target.remove(type, name)),
  };
  return { crashing, isOver: () => count < crashAt, last: () => last };
}

/** restic finds no error, and lists and restores a point as it was stored. So does each program. */
async function expectReadable(files: MemoryFiles, snapshot: string, stored: Files): Promise<void> {
  const place = { folder: toFolder(files), password: PASSWORD };
  for (const program of listPrograms()) {
    await expectNoError(program, place);
    const restored = Object.entries(await restoreFiles(program, place, snapshot));
    const byPath = Object.fromEntries(restored.map(([path, bytes]) => [path.slice(1), bytes]));
    expect([program.version, sameFiles(byPath, stored)]).toEqual([program.version, []]);
  }
  rmSync(place.folder, { recursive: true });
}

/** restic finds a repository without errors, or none, in what a crash of its creation left. */
async function expectResticAgrees(files: MemoryFiles, isCreated: boolean): Promise<void> {
  const place = { folder: toFolder(files), password: PASSWORD };
  await (isCreated ? expectNoErrors(place) : expectNoRepository(place));
  rmSync(place.folder, { recursive: true });
}

const OLD: Files = { 'a/one.eml': randomBytes(1, 30_000), 'a/two.eml': randomBytes(2, 2_000) };
const NEW: Files = {
  ...OLD,
  'a/three.eml': randomBytes(3, 3_000),
  'b/large.bin': randomBytes(4, 50_000),
  'b/text.txt': Buffer.from('a line\n'.repeat(9_000)),
};

async function makeStart(): Promise<MemoryFiles> {
  const { files, target } = await makeMemoryRepository();
  const repository = await openAt(target);
  await saveFiles(repository, OLD);
  await repository.close();
  return files;
}

test('ENG-3: after a crash at any write of its creation, a repository is created again', async () => {
  for (let at = 1, isOver = false; !isOver; at += 1)
    for (const moment of MOMENTS) {
      const files: MemoryFiles = new Map();
      const { crashing, isOver: isDone } = makeCrashing(files, at, moment);
      await initRepository(crashing, tools());
      isOver = isDone();
      const target = makeMemoryTarget(files);
      const isCreated = files.has('config/config');
      await expectResticAgrees(files, isCreated);
      if (!isCreated) getValue(await initRepository(target, tools()));
      expect([...files.keys()].filter((path) => path.startsWith('keys/'))).toHaveLength(1);
      const repository = await openAt(target);
      const snapshot = await saveFiles(repository, OLD);
      await repository.close();
      await expectReadable(files, snapshot, OLD);
    }
});

test('ENG-2, ENG-3: after a crash at any write of a session, the next one ends with the same content', async () => {
  const start = await makeStart();
  const seen = new Set<string>();
  for (let at = 1; ; at += 1) {
    let isOver = false;
    for (const moment of MOMENTS) {
      const files = new Map(start);
      const { crashing, isOver: isDone, last } = makeCrashing(files, at, moment);
      const session = await openRepository(crashing, { ...tools(), lock: 'shared', packBytes });
      if (session.ok)
        await saveFiles(session.value, NEW, 1).then(
          () => session.value.close(),
          () => undefined, // the process has ended
        );
      const isNew = !seen.has(`${last()} ${moment}`);
      seen.add(`${last()} ${moment}`);
      isOver = isDone();

      const target = makeMemoryTarget(files);
      const clock = makeClock(Date.now() + HOUR);
      const next = await openAt(target, { clock, packBytes });
      const points = getValue(await next.listSnapshots());
      // each point that is visible is complete
      for (const { id, at: made } of points)
        expect(sameFiles(await readFiles(next, id), made % 10 === 1 ? NEW : OLD)).toEqual([]);
      const again = await saveFiles(next, NEW, 1);
      expect(sameFiles(await readFiles(next, again), NEW)).toEqual([]);
      await next.close();
      if (isNew) await expectReadable(files, again, NEW);
      if (isOver) break;
    }
    if (isOver) break;
  }
  for (const type of ['locks', 'data', 'index', 'snapshots'])
    for (const moment of MOMENTS) expect(seen).toContain(`write ${type} ${moment}`);
});

test('ENG-3, ENG-7: after a crash at any write of a clean-up, no restore point lacks anything, and the next clean-up ends it', async () => {
  const { files: start, target: first } = await makeMemoryRepository();
  const repository = await openAt(first, { packBytes });
  const gone = await saveFiles(repository, { ...OLD, 'x.bin': randomBytes(9, 30_000) });
  const stored = await saveFiles(repository, NEW, 1);
  await repository.close();
  expect(gone).not.toBe(stored);
  const options = { keep: [stored], maxUnusedShare: 0, packBytes };
  const seen = new Set<string>();
  for (let at = 1; ; at += 1) {
    let isOver = false;
    for (const moment of MOMENTS) {
      const files = new Map(start);
      const { crashing, isOver: isDone, last } = makeCrashing(files, at, moment);
      await pruneRepository(crashing, { ...tools(), ...options });
      const isNew = !seen.has(`${last()} ${moment}`);
      seen.add(`${last()} ${moment}`);
      isOver = isDone();

      const target = makeMemoryTarget(files);
      const clock = makeClock(Date.now() + HOUR);
      const next = await openAt(target, { clock, packBytes });
      for (const { id } of getValue(await next.listSnapshots()))
        if (id === stored) expect(sameFiles(await readFiles(next, id), NEW)).toEqual([]);
      await next.close();
      await pruneAt(target, { ...options, clock });
      expect(await pruneAt(target, { ...options, clock })).toMatchObject({
        packsRemoved: 0,
        packsWritten: 0,
        missing: [],
      });
      const after = await openAt(target, { clock, packBytes });
      expect(getValue(await after.listSnapshots()).map(({ id }) => id)).toEqual([stored]);
      expect(sameFiles(await readFiles(after, stored), NEW)).toEqual([]);
      expect(getValue(await after.check({ readData: true }))).toMatchObject({
        problems: [],
        files: [],
      });
      await after.close();
      if (isNew) await expectReadable(files, stored, NEW);
      if (isOver) break;
    }
    if (isOver) break;
  }
  for (const step of [
    'write data',
    'write index',
    'remove index',
    'remove data',
    'remove snapshots',
  ])
    for (const moment of MOMENTS) expect(seen).toContain(`${step} ${moment}`);
});

test('ENG-3: what a session saved and flushed before it crashed is not stored again', async () => {
  const { target } = await makeMemoryRepository();
  const first = await openAt(target);
  await saveFolder(first, NEW);
  getValue(await first.flush());
  const second = await openAt(target, { clock: makeClock(Date.now() + HOUR) });
  for (const [, bytes] of Object.entries(NEW))
    expect(
      getValue(
        await second.saveFile(
          (async function* () {
            yield bytes;
          })(),
        ),
      ).newBytes,
    ).toBe(0);
  await second.close();
  await first.close();
});
