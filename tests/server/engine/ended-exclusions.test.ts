import { expect, test } from 'vitest';
import {
  loadProtections,
  writeProtections,
} from '#server/engine/embedded/repositories/protections.ts';
import { eachDatabase } from '../db/databases.ts';
import { makeSuccessor } from './attach-bench.ts';
import { makePeople } from './people.ts';
import {
  attach,
  exclude,
  filterBy,
  getFound,
  loadOrganization,
  readRepository,
} from './protections-bench.ts';
import { getValue } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

/** Runs the clean-ups that are due at once. */
async function cleanUpWhileDue(bench: SessionBench): Promise<void> {
  const now = bench.ground.context.clock.now();
  for (let rounds = 0; rounds < 5; rounds++)
    if (((await runCleanUp(bench)) ?? Infinity) > now) return;
  throw new Error('Clean-ups go on for ever.');
}

/** What a clean-up does first. */
async function writeList({ ground: fixture, tenant, organization, ...bench }: SessionBench) {
  const now = fixture.context.clock.now();
  const list = await fixture.context.store.tenant(tenant, (tx) =>
    loadProtections(tx, { id: bench.repository, organization }, now),
  );
  const repository = await bench.open();
  getValue(await writeProtections(repository, list, now));
  await repository.close();
}

function putBack(bench: SessionBench, files: ReadonlyMap<string, Uint8Array>): void {
  bench.files.clear();
  for (const [file, bytes] of files) bench.files.set(file, bytes);
}

eachDatabase((name, open) => {
  test(`ENG-122: an older copy of a repository excludes nobody again whose exclusion has ended here since, and brings nothing of before back (${name})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const job = await bench.addJob();
    const point = await backUp(bench, job);
    const copy = filterBy(copiesNow(objects), (person) => person !== 'ann');
    bench.ground.pass(1_000);
    const end = await exclude(bench, 'ann');
    // As after a crash of the clean-up: ann is listed, and not yet removed.
    await writeList(bench);
    const older = new Map(bench.files);
    await cleanUpWhileDue(bench);
    bench.ground.pass(1_000);
    await end();
    await cleanUpWhileDue(bench);
    putBack(bench, older);
    await attach(bench);
    expect(await loadOrganization(bench)).toEqual({ holds: [], excluded: [] });
    expect(await getFound(bench)).toEqual(['excluded Person ann']);
    expect(await loadCopies(bench, point)).toEqual(copy);
    await cleanUpWhileDue(bench);
    const { texts, records } = await readRepository(bench);
    expect([...texts].filter((text) => text.includes('ann'))).toEqual([]);
    // Nobody else finds an exclusion in it either.
    expect(records).toBe(0);
    bench.ground.pass(1_000);
    expect(await loadCopies(bench, await backUp(bench, job))).toEqual(copiesNow(objects));
  });

  test(`ENG-122: who is backed up again after an exclusion stays where the repository is attached, at any moment (${name})`, async () => {
    const store = await open();
    for (const endsFirst of [true, false]) {
      const objects = makePeople();
      const former = await makeSessionBench(store, objects);
      await createRepositoryRow(former, { retentionPolicy: 'Keep' });
      const job = await former.addJob();
      await backUp(former, job);
      former.ground.pass(1_000);
      const end = await exclude(former, 'ann');
      if (endsFirst) await end();
      await cleanUpWhileDue(former);
      if (!endsFirst) {
        former.ground.pass(1_000);
        await end();
        // Which the end of an exclusion makes due.
        await cleanUpWhileDue(former);
      }
      former.ground.pass(1_000);
      const point = await backUp(former, job);
      expect(await loadCopies(former, point)).toEqual(copiesNow(objects));
      const bench = await makeSuccessor(store, former);
      await attach(bench);
      expect(await loadOrganization(bench)).toEqual({ holds: [], excluded: [] });
      expect(await loadCopies(bench, point)).toEqual(copiesNow(objects));
    }
  });

  test(`ENG-122: the index of a repository is rebuilt with who was backed up after an exclusion, though its list is older (${name})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const job = await bench.addJob();
    await backUp(bench, job);
    bench.ground.pass(1_000);
    const end = await exclude(bench, 'ann');
    await cleanUpWhileDue(bench);
    bench.ground.pass(1_000);
    await end();
    bench.ground.pass(1_000);
    const point = await backUp(bench, job);
    await attach(bench);
    expect(await loadOrganization(bench)).toEqual({ holds: [], excluded: [] });
    expect(await loadCopies(bench, point)).toEqual(copiesNow(objects));
    await cleanUpWhileDue(bench);
    expect(await loadCopies(bench, point)).toEqual(copiesNow(objects));
    expect((await readRepository(bench)).records).toBe(0);
  });
});
