import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { scheduleCleanUps } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { eachDatabase } from '../db/databases.ts';
import { type MemoryCopy, memoryObject, type MemoryObject } from './memory-source.ts';
import { getValue } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  loadCopies,
  crashing,
  createRepositoryRow,
  makeSessionBench,
  loadPoints,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const DAY: Ms = 86_400_000;
const YEAR: Ms = 366 * DAY;

function makeObjects(): MemoryObject[] {
  const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 4; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  return objects;
}

async function makeBench(store: Parameters<typeof makeSessionBench>[0], objects: MemoryObject[]) {
  const bench = await makeSessionBench(store, objects);
  await createRepositoryRow(bench);
  return bench;
}

const loadRows = (
  { ground: fixture, tenant }: SessionBench,
  table: 'item' | 'object_point' | 'explorer',
) =>
  fixture.context.store.tenant(tenant, async ({ sql }) =>
    sql.selectFrom(table).selectAll().where('tenant_id', '=', tenant).execute(),
  );

/** What the repository itself says about its content. */
async function loadProblems(bench: SessionBench) {
  const repository = await bench.open();
  const { problems, files } = getValue(await repository.check({ readData: true }));
  const snapshots = getValue(await repository.listSnapshots()).map(({ id }) => id);
  await repository.close();
  return { problems, files, snapshots };
}

eachDatabase((name, open) => {
  test(`ENG-48: points older than the retention go with what only they have, and the others keep everything (${name})`, async () => {
    const action = fc.record({
      // No sum of them is close to a year.
      days: fc.constantFrom(50, 100, 150, 250),
      put: fc.array(fc.nat(6), { maxLength: 3 }),
      remove: fc.array(fc.nat(6), { maxLength: 2 }),
      object: fc.nat(1),
      crashAt: fc.option(fc.nat(8)),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 6 }), async (actions) => {
        const objects = makeObjects();
        const bench = await makeBench(store, objects);
        const job = await bench.addJob();
        const made: { id: string; at: Ms; copy: Record<string, MemoryCopy> }[] = [];
        for (const { days, put, remove, object, crashAt } of actions) {
          for (const n of put)
            objects[object]?.putItem(`i${n}`, 'top', `content ${n} of ${made.length}`);
          for (const n of remove) objects[object]?.removeItem(`i${n}`);
          const at = bench.ground.context.clock.now();
          made.push({ id: await backUp(bench, job), at, copy: copiesNow(objects) });
          bench.ground.pass(days * DAY);
          if (crashAt !== null) await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
          await runCleanUp(bench);
          const now = bench.ground.context.clock.now();
          const saved = made.filter((point) => now - point.at < YEAR);
          const points = await loadPoints(bench);
          expect(points.map(({ id }) => id)).toEqual(saved.map(({ id }) => id));
          for (const { id, copy } of saved) expect(await loadCopies(bench, id)).toEqual(copy);
          const stored = await loadProblems(bench);
          expect(stored).toMatchObject({ problems: [], files: [] });
          expect(stored.snapshots).toHaveLength(saved.length);
        }
      }),
      { numRuns: 2 * PROOF },
    );
  });

  test(`ENG-48: when all points of an object are gone, nothing of it is left, and the next session reads all of it again (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeBench(await open(), objects);
    const job = await bench.addJob();
    const empty = bench.files.size;
    await backUp(bench, job);
    bench.ground.pass(YEAR + DAY);
    expect(await runCleanUp(bench)).toBe(bench.ground.context.clock.now() + DAY);
    expect(await loadPoints(bench)).toEqual([]);
    expect(await loadRows(bench, 'item')).toEqual([]);
    expect(await loadRows(bench, 'object_point')).toEqual([]);
    expect([...bench.files.keys()].filter((file) => file.startsWith('data/'))).toEqual([]);
    expect(bench.files.size).toBeLessThanOrEqual(empty + 1);
    const point = await backUp(bench, job);
    expect(await loadCopies(bench, point)).toEqual(copiesNow(objects));
  });

  test(`ENG-48, RES-5: what an undo would put back stays in a repository that retains everything (${name})`, async () => {
    const bench = await makeSessionBench(await open(), makeObjects());
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const { tenant, ground: fixture, organization, repository } = bench;
    await backUp(bench, await bench.addJob());
    const opened = await bench.open();
    const { id: blob } = getValue(await opened.saveBlob('data', Buffer.from('replaced')));
    getValue(await opened.flush());
    await opened.close();
    const parts = [{ as: 'raw', bytes: 8, blobs: [blob] }];
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      const [id, now] = [fixture.context.chance.uuid(), fixture.context.clock.now()];
      await sql
        .insertInto('engine_task')
        .values({
          tenant_id: tenant,
          id,
          organization_id: organization,
          user_id: null,
          kind: 'restore',
          state: 'done',
          result: 'success',
          message: null,
          request: '{}',
          parent_id: null,
          created_at: now,
          started_at: now,
          ended_at: now,
        })
        .execute();
      await sql
        .insertInto('restore_item')
        .values({
          tenant_id: tenant,
          task_id: id,
          n: 1,
          object_n: 1,
          item_n: 1,
          name: 'Offer',
          path: '[]',
          state: 'done',
          outcome: 'restored',
          replaced: JSON.stringify({ parts }),
        })
        .execute();
      // Written anew, such as after damage.
      await sql
        .updateTable('repository_access')
        .set({ upkeep: JSON.stringify({ repack: true }) })
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .execute();
    });
    bench.ground.pass(DAY);
    await runCleanUp(bench);
    const after = await bench.open();
    const read = await after.readBlob('data', blob);
    await after.close();
    expect(Buffer.from(getValue(read)).toString()).toBe('replaced');
  });

  test(`ENG-48: every hour, the clean-up of each repository is scheduled if it isn't (${name})`, async () => {
    const bench = await makeBench(await open(), []);
    const { tenant, ground: fixture, repository } = bench;
    const now = fixture.context.clock.now();
    for (const at of [now, now + 1]) {
      const jobs = await fixture.context.store.tenant(tenant, async (tx) => {
        await scheduleCleanUps(tx, at);
        return tx.sql
          .selectFrom('background_job')
          .select(['key', 'payload', 'due_at'])
          .where('tenant_id', '=', tenant)
          .where('type', '=', 'repository-clean-up')
          .execute();
      });
      expect(jobs).toEqual([{ key: repository, payload: { repository }, due_at: now }]);
    }
  });

  test(`ENG-48, ENG-7: a clean-up leaves a point alone that an open restore session shows, and waits for writers (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeBench(await open(), objects);
    const { ground: fixture, tenant, organization } = bench;
    const point = await backUp(bench, await bench.addJob());
    const copy = copiesNow(objects);
    fixture.pass(YEAR + DAY);
    const now = fixture.context.clock.now();
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      await sql
        .insertInto('explorer')
        .values({
          tenant_id: tenant,
          id: fixture.context.chance.uuid(),
          user_id: fixture.context.chance.uuid(),
          organization_id: organization,
          job_id: null,
          workload: 'outlook',
          point_id: point,
          show_deleted: false,
          opened_at: now,
          used_at: now,
          stopped_at: null,
        })
        .execute();
    });
    await runCleanUp(bench);
    expect(await loadCopies(bench, point)).toEqual(copy);
    fixture.pass(2 * 3_600_000);
    const writer = await bench.open();
    const next = await runCleanUp(bench);
    expect((next ?? 0) - fixture.context.clock.now()).toBeLessThan(3_600_000);
    expect((await loadProblems(bench)).snapshots).toHaveLength(1);
    await writer.close();
    await runCleanUp(bench);
    expect((await loadProblems(bench)).snapshots).toEqual([]);
    expect(await loadPoints(bench)).toEqual([]);
  });
});
