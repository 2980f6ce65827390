import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { eachDatabase } from '../db/databases.ts';
import { type MemoryCopy, memoryObject } from './memory-source.ts';
import { getValue } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  loadCopies,
  crashing,
  createRepositoryRow,
  loadFiles,
  makeSessionBench,
  loadPoints,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const DAY: Ms = 86_400_000;

type Copies = Readonly<Record<string, MemoryCopy>>;

/** The slow, obvious retention: a calendar year before `now` in UTC, of whole copies. */
function filterCopies(copies: Copies, now: Ms): Record<string, MemoryCopy> {
  const since = new Date(now);
  since.setUTCFullYear(since.getUTCFullYear() - 1);
  return Object.fromEntries(
    Object.entries(copies).map(([name, { folders, items }]) => [
      name,
      { folders, items: items.filter(({ at }) => at >= since.getTime()) },
    ]),
  );
}

const getTexts = (copies: Copies): string[] =>
  Object.values(copies)
    .flatMap(({ items }) => items.map(({ content }) => content))
    .sort();

/** What the repository itself has, as restic would restore it. */
async function snapshotTexts(bench: SessionBench, snapshot: string): Promise<string[]> {
  const repository = await bench.open();
  const { problems, files: damaged } = getValue(await repository.check({ readData: true }));
  expect([problems, damaged]).toEqual([[], []]);
  const { tree } =
    getValue(await repository.listSnapshots()).find(({ id }) => id === snapshot) ?? {};
  const { files, lines } = await loadFiles(repository, tree ?? '');
  await repository.close();
  const described = lines.filter((line) => 'item' in (JSON.parse(line) as object));
  expect(described).toHaveLength(files.size);
  return [...files.values()].sort();
}

eachDatabase((name, open) => {
  test(`ENG-52: items last changed before the period are not backed up, and go from all points and from the repository (${name})`, async () => {
    const action = fc.record({
      days: fc.constantFrom(20, 90, 180, 300),
      put: fc.array(fc.record({ n: fc.nat(6), age: fc.constantFrom(0, 1, 100, 250, 400) }), {
        maxLength: 4,
      }),
      remove: fc.array(fc.nat(6), { maxLength: 2 }),
      object: fc.nat(1),
      relists: fc.boolean(),
      crashAt: fc.option(fc.nat(12)),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 5 }), async (actions) => {
        const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
        for (const memory of objects) memory.putFolder('top', null, 'Inbox');
        const bench = await makeSessionBench(store, objects);
        await createRepositoryRow(bench, { retentionType: 'ItemLevel' });
        const job = await bench.addJob();
        const { clock } = bench.ground.context;
        const made: { readonly id: string; readonly copy: Copies }[] = [];
        for (const { days, put, remove, object, relists, crashAt } of actions) {
          const memory = objects[object];
          for (const { n, age } of put)
            memory?.putItem(`i${n}`, 'top', `${n} of ${made.length}`, clock.now() - age * DAY);
          for (const n of remove) memory?.removeItem(`i${n}`);
          if (relists) memory?.expireCursors();
          const copy = filterCopies(copiesNow(objects), clock.now());
          const id = await backUp(bench, job);
          expect(await loadCopies(bench, id)).toEqual(copy);
          made.push({ id, copy });
          bench.ground.pass(days * DAY);
          if (crashAt !== null) await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
          expect(await runCleanUp(bench)).toBe(clock.now() + DAY);
          const points = await loadPoints(bench);
          expect(points.map((point) => point.id)).toEqual(made.map((point) => point.id));
          for (const point of made) {
            const stored = filterCopies(point.copy, clock.now());
            expect(await loadCopies(bench, point.id)).toEqual(stored);
            const snapshot = points.find((one) => one.id === point.id)?.snapshot ?? '';
            expect(await snapshotTexts(bench, snapshot)).toEqual(getTexts(stored));
          }
          const counts = await bench.ground.context.store.tenant(bench.tenant, ({ sql, tenant }) =>
            sql
              .selectFrom('object_point')
              .select(['point_id', 'items', 'bytes'])
              .where('tenant_id', '=', tenant)
              .execute(),
          );
          for (const point of made) {
            const stored = getTexts(filterCopies(point.copy, clock.now()));
            const own = counts.filter(({ point_id }) => point_id === point.id);
            expect(own.reduce((sum, { items }) => sum + items, 0)).toBe(stored.length);
            expect(own.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(stored.join('').length);
          }
          const repository = await bench.open();
          expect(getValue(await repository.listSnapshots())).toHaveLength(made.length);
          await repository.close();
        }
      }),
      { numRuns: 3 * PROOF, endOnFailure: true },
    );
  });
});
