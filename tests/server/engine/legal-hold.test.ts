import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { repositoryDeletion } from '#server/engine/embedded/repositories/delete-repository.ts';
import { isProtections } from '#server/engine/embedded/repositories/protections.ts';
import { deleteDueRepositories } from '#server/features/backup/repositories.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { type MemoryCopy, memoryObject, type MemoryObject } from './memory-source.ts';
import { getValue, makeMemoryTarget, PASSWORD } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  crashing,
  createRepositoryRow,
  loadCopies,
  loadFiles,
  loadPoints,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
  withoutWaits,
} from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const DAY: Ms = 86_400_000;
const YEAR: Ms = 366 * DAY;

type Copies = Readonly<Record<string, MemoryCopy>>;

/** Ann has a mailbox and a drive: a hold on a person is on both. */
function makeObjects(): MemoryObject[] {
  const objects = [
    memoryObject('mailbox', 'ann'),
    memoryObject('drive', 'ann'),
    memoryObject('mailbox', 'bob'),
    memoryObject('drive', 'cem'),
  ];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    // The same content everywhere: what one loses, another still needs.
    for (let n = 0; n < 3; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  return objects;
}
const PEOPLE = ['ann', 'bob', 'cem'] as const;
const getPerson = (name: string): string => name.split(' ')[1] ?? '';

async function place(bench: SessionBench, person: string, until: Ms | null = null) {
  const id = randomUUID();
  const { organization } = bench;
  await bench.append(
    {
      type: 'organization.holdplaced@1',
      data: {
        id: organization,
        hold: {
          id,
          kind: 'user',
          object: person,
          name: person,
          reason: 'A lawsuit',
          user: randomUUID(),
          until,
        },
      },
    },
    // The bench names its own entity.
  );
  return async () =>
    bench.append({
      type: 'organization.holdreleased@1',
      data: { id: organization, hold: id, user: randomUUID(), reason: 'It has ended' },
    });
}

/** What the repository itself has of a restore point, as restic would restore it. */
async function snapshotTexts(bench: SessionBench, snapshot: string): Promise<string[]> {
  const repository = await bench.open();
  const { problems, files: damaged } = getValue(await repository.check({ readData: true }));
  expect([problems, damaged]).toEqual([[], []]);
  const { tree } =
    getValue(await repository.listSnapshots()).find(({ id }) => id === snapshot) ?? {};
  const { files } = await loadFiles(repository, tree ?? '');
  await repository.close();
  return [...files.values()].sort();
}

const getTexts = (copies: Copies): string[] =>
  Object.values(copies)
    .flatMap(({ items }) => items.map(({ content }) => content))
    .sort();

const countSnapshots = async (bench: SessionBench): Promise<number> => {
  const repository = await bench.open();
  const snapshots = getValue(await repository.listSnapshots());
  await repository.close();
  return snapshots.filter((snapshot) => !isProtections(snapshot)).length;
};

const filterBy = (copies: Copies, isIncluded: (person: string) => boolean): Copies =>
  Object.fromEntries(Object.entries(copies).filter(([name]) => isIncluded(getPerson(name))));

/** A clean-up whose process dies after so many transactions. */
async function dieAfter(bench: SessionBench, transactions: number): Promise<void> {
  const context = withoutWaits(bench);
  const { store } = context;
  let begun = 0;
  const dying: Store = {
    ...store,
    tenant: (...input) => {
      begun += 1;
      return begun > transactions
        ? Promise.reject(new Error('The process is dead.'))
        : store.tenant(...input);
    },
  };
  const target = makeMemoryTarget(bench.files);
  const work = cleanUp({ ...context, store: dying }, async () => ({
    ok: true,
    value: { target, password: PASSWORD },
  }))({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: context.clock.now(),
    signal: new AbortController().signal,
  });
  await expect(work).rejects.toThrow('The process is dead.');
}

eachDatabase((name, open) => {
  test(`ENG-121: old restore points keep the objects on legal hold and lose the others; after the release, the next clean-up removes them (${name})`, async () => {
    const action = fc.record({
      // No sum of them is close to a year.
      days: fc.constantFrom(50, 100, 150, 250),
      put: fc.array(fc.nat(5), { maxLength: 3 }),
      remove: fc.array(fc.nat(5), { maxLength: 2 }),
      object: fc.nat(3),
      toggles: fc.option(fc.constantFrom(...PEOPLE)),
      crashAt: fc.option(fc.nat(10)),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 7 }), async (actions) => {
        const objects = makeObjects();
        const bench = await makeSessionBench(store, objects);
        await createRepositoryRow(bench);
        const job = await bench.addJob();
        const { clock } = bench.ground.context;
        /** The slow, obvious retention: whole copies, from which each clean-up takes what it may. */
        let made: { readonly id: string; readonly at: Ms; copy: Copies }[] = [];
        const releases = new Map<string, () => Promise<void>>();
        for (const { days, put, remove, object, toggles, crashAt } of actions) {
          for (const n of put)
            objects[object]?.putItem(`i${n}`, 'top', `content ${n} of ${made.length}`);
          for (const n of remove) objects[object]?.removeItem(`i${n}`);
          const at = clock.now();
          made.push({ id: await backUp(bench, job), at, copy: copiesNow(objects) });
          const release = toggles === null ? undefined : releases.get(toggles);
          if (release !== undefined && toggles !== null) {
            await release();
            releases.delete(toggles);
          } else if (toggles !== null) releases.set(toggles, await place(bench, toggles));
          bench.ground.pass(days * DAY);
          if (crashAt !== null) await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
          await runCleanUp(bench);
          made = made.flatMap((point) => {
            if (clock.now() - point.at < YEAR) return [point];
            const copy = filterBy(point.copy, (person) => releases.has(person));
            return Object.keys(copy).length === 0 ? [] : [{ ...point, copy }];
          });
          const points = await loadPoints(bench);
          expect(points.map(({ id, complete }) => ({ id, complete }))).toEqual(
            made.map(({ id }) => ({ id, complete: true })),
          );
          for (const { id, copy } of made) {
            expect(await loadCopies(bench, id)).toEqual(copy);
            const snapshot = points.find((point) => point.id === id)?.snapshot ?? '';
            expect(await snapshotTexts(bench, snapshot)).toEqual(getTexts(copy));
          }
          expect(await countSnapshots(bench)).toBe(made.length);
        }
      }),
      { numRuns: 3 * PROOF, endOnFailure: true },
    );
  });

  test(`ENG-121: in a repository with item-level retention, items on legal hold stay, of any age (${name})`, async () => {
    const action = fc.record({
      days: fc.constantFrom(20, 90, 180, 300),
      put: fc.array(fc.record({ n: fc.nat(6), age: fc.constantFrom(0, 1, 100, 250, 400) }), {
        maxLength: 4,
      }),
      object: fc.nat(3),
      crashAt: fc.option(fc.nat(12)),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 5 }), async (actions) => {
        const objects = makeObjects();
        const bench = await makeSessionBench(store, objects);
        await createRepositoryRow(bench, { retentionType: 'ItemLevel' });
        const job = await bench.addJob();
        const { clock } = bench.ground.context;
        const release = await place(bench, 'ann');
        const made: { readonly id: string; copy: Copies }[] = [];
        const filterOld = (copies: Copies, isIncluded: (person: string) => boolean): Copies => {
          const since = new Date(clock.now());
          since.setUTCFullYear(since.getUTCFullYear() - 1);
          return Object.fromEntries(
            Object.entries(copies).map(([object, { folders, items }]) => [
              object,
              {
                folders,
                items: items.filter(
                  ({ at }) => isIncluded(getPerson(object)) || at >= since.getTime(),
                ),
              },
            ]),
          );
        };
        const expectStored = async (): Promise<void> => {
          const points = await loadPoints(bench);
          expect(points.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
          for (const { id, copy } of made) {
            expect(await loadCopies(bench, id)).toEqual(copy);
            const snapshot = points.find((point) => point.id === id)?.snapshot ?? '';
            expect(await snapshotTexts(bench, snapshot)).toEqual(getTexts(copy));
          }
        };
        for (const { days, put, object, crashAt } of actions) {
          for (const { n, age } of put)
            objects[object]?.putItem(
              `i${n}`,
              'top',
              `${n} of ${made.length}`,
              clock.now() - age * DAY,
            );
          const copy = filterOld(copiesNow(objects), (person) => person === 'ann');
          made.push({ id: await backUp(bench, job), copy });
          bench.ground.pass(days * DAY);
          if (crashAt !== null) await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
          await runCleanUp(bench);
          for (const point of made) point.copy = filterOld(point.copy, (who) => who === 'ann');
          await expectStored();
        }
        await release();
        await runCleanUp(bench);
        for (const point of made) point.copy = filterOld(point.copy, () => false);
        await expectStored();
      }),
      { numRuns: 2 * PROOF, endOnFailure: true },
    );
  });

  test(`ENG-121: a hold ends by its date; one that comes while a clean-up is interrupted shows what is left again (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench);
    const point = await backUp(bench, await bench.addJob());
    const copy = copiesNow(objects);
    bench.ground.pass(YEAR + DAY);
    // It dies before it removes a file, and after points became invisible.
    await bench.ground.context.store.tenant(bench.tenant, ({ sql }) =>
      sql
        .updateTable('restore_point')
        .set({ complete: false })
        .where('tenant_id', '=', bench.tenant)
        .execute(),
    );
    const end = bench.ground.context.clock.now() + 10 * DAY;
    await place(bench, 'bob', end);
    await runCleanUp(bench);
    expect(await loadPoints(bench)).toEqual([
      expect.objectContaining({ id: point, complete: true }),
    ]);
    expect(await loadCopies(bench, point)).toEqual(filterBy(copy, (person) => person === 'bob'));
    bench.ground.pass(9 * DAY);
    await runCleanUp(bench);
    expect(await loadPoints(bench)).toHaveLength(1);
    bench.ground.pass(2 * DAY);
    await runCleanUp(bench);
    expect(await loadPoints(bench)).toEqual([]);
    expect(await countSnapshots(bench)).toBe(0);
  });

  test(`ENG-121: a point that a hold saves from an interrupted clean-up loses the others in the repository, too (${name})`, async () => {
    const store = await open();
    for (const stop of [4, 8, 10, 12, 14]) {
      const objects = PEOPLE.map((person) => memoryObject('mailbox', person));
      for (const [n, memory] of objects.entries()) {
        memory.putFolder('top', null, 'Inbox');
        memory.putItem('i', 'top', `item of ${PEOPLE[n]}, ${stop}`);
      }
      const bench = await makeSessionBench(store, objects);
      await createRepositoryRow(bench);
      const point = await backUp(bench, await bench.addJob());
      bench.ground.pass(YEAR + DAY);
      await dieAfter(bench, stop);
      await place(bench, 'cem');
      await runCleanUp(bench);
      const [own] = await loadPoints(bench);
      // What was removed before the hold came is gone.
      if (own === undefined) continue;
      expect(own).toMatchObject({ id: point, complete: true });
      expect(await snapshotTexts(bench, own.snapshot ?? '')).toEqual([`item of cem, ${stop}`]);
    }
  });

  test(`ENG-121: a repository with an object on legal hold is not deleted until the hold ends (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench);
    await backUp(bench, await bench.addJob());
    const { store, clock } = bench.ground.context;
    const release = await place(bench, 'ann');
    await bench.append({
      type: 'organization.deleted@1',
      data: { id: bench.organization, dataUntil: clock.now() },
    });
    const isRemoved = () =>
      store.tenant(bench.tenant, async (tx) => {
        await deleteDueRepositories(tx, clock.now());
        const rows = await tx.rows('backupRepository', [bench.repository]);
        return rows.get(bench.repository)?.removedAt !== null;
      });
    expect(await isRemoved()).toBe(false);
    const handler = repositoryDeletion(bench.ground.context);
    const work = {
      tenant: bench.tenant,
      payload: { repository: bench.repository },
      now: clock.now(),
      signal: new AbortController().signal,
    };
    expect(await handler(work)).toBeGreaterThan(clock.now());
    expect(await loadPoints(bench)).toHaveLength(1);
    await release();
    expect(await isRemoved()).toBe(true);
  });
});
