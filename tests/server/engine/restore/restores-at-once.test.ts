import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms, NodeId, OrganizationId, TaskId } from '#contract/ids.ts';
import { cancelTask } from '#server/engine/shared/task-rows.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../../db/databases.ts';
import type { MemoryTarget } from './memory-target.ts';
import { expected, getValue, how, mails, present, RUNS, setUp } from './restore-bench.ts';
import { aTeam } from './team-bench.ts';

const delays = fc.array(fc.nat(30), { minLength: 5, maxLength: 20 });

/** Returns what waits for the next of some delays, again and again. */
function makeDelay(turns: readonly number[]): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    const last = turns[count % turns.length] ?? 0;
    for (let turn = 0; turn < last; turn += 1) await setImmediate();
  };
}

/** A restore that is undone while another one runs, and what somebody does before. */
const story = fc.record({
  backup: mails,
  before: present,
  first: how,
  second: how,
  changed: fc.subarray(['a', 'b', 'c', 'd', 'e']),
  deleted: fc.subarray(['a', 'b', 'c', 'd', 'e']),
  isUndoFirst: fc.boolean(),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Returns the tasks of the undo and of the other restore, which have not begun. */
async function prepare(store: Store, scene: Story) {
  const bench = await setUp(store, scene.backup);
  const { target, run, advance } = bench;
  const readTask = (task: string) => bench.taskOf(task);
  for (const item of scene.before) target.put(item);
  const restored = await bench.restored(scene.first);
  for (const [key, item] of target.items) {
    if (scene.deleted.includes(item.id)) target.items.delete(key);
    else if (scene.changed.includes(item.id))
      target.items.set(key, { ...item, content: 'changed', change: item.change + 1_000 });
  }
  const tasks = [getValue(await bench.undo(restored)), getValue(await bench.request(scene.second))];
  const end = async (task: string): Promise<void> => {
    for (let next: Ms | null = 0; next !== null;) {
      next = await run(task);
      if (next === null) return;
      expect((await readTask(task)).waiting?.reason).toContain('restore or undo');
      advance(20_000);
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    }
  };
  return { target, tasks, end, readTask };
}
const describeTarget = (target: MemoryTarget) => ({
  items: target.state(),
  folders: [...target.folders].toSorted(),
});

eachDatabase((kind, open) => {
  test(`RES-95: two restores of the same items at once leave what one of them leaves (${kind})`, async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(mails, present, how, delays, async (backup, before, input, turns) => {
        const bench = await setUp(store, backup);
        const { target, request, run, advance } = bench;
        for (const item of before) target.put(item);
        target.isShared = true;
        target.onWrite = makeDelay(turns);
        const tasks = [getValue(await request(input)), getValue(await request(input))];
        const end = async (task: string): Promise<void> => {
          for (let next: Ms | null = 0; next !== null;) {
            next = await run(task);
            if (next === null) return;
            expect((await bench.taskOf(task)).waiting?.reason).toContain('Another restore');
            advance(20_000);
            for (let turn = 0; turn < 50; turn += 1) await setImmediate();
          }
        };
        await Promise.all(tasks.map(end));
        for (const task of tasks) expect((await bench.taskOf(task)).result).toBe('success');
        expect(target.state()).toEqual(expected(backup, before, input));
      }),
      { numRuns: RUNS },
    );
  });

  test(`RES-95, RES-4: an undo and a restore of the same items at once end as if one had run after the other (${kind})`, async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(story, delays, async (scene, turns) => {
        const serial = [];
        for (const isUndoFirst of [true, false]) {
          const { target, tasks, end } = await prepare(store, scene);
          for (const task of isUndoFirst ? tasks : tasks.toReversed()) await end(task);
          serial.push(describeTarget(target));
        }
        const { target, tasks, end, readTask } = await prepare(store, scene);
        target.isShared = true;
        target.onStep = makeDelay(turns);
        await Promise.all((scene.isUndoFirst ? tasks : tasks.toReversed()).map(end));
        expect(serial).toContainEqual(describeTarget(target));
        for (const task of tasks) expect((await readTask(task)).counts.failed).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  test(`RES-95: an undo waits for a restore of another organization to the same mailbox (${kind})`, async () => {
    const store = await open();
    const mail = { id: 'a', folder: 'Inbox', content: 'one', at: 1 } as const;
    const bench = await setUp(store, [mail]);
    const { tenant, scope, run, advance } = bench;
    const { organization } = scope;
    const address = 'Ada@example.com';
    await store.tenant(tenant, ({ sql: db }) =>
      db
        .insertInto('directory_object')
        .values({
          tenant_id: tenant,
          organization_id: organization,
          kind: 'user',
          id: 'user-1',
          name: 'Ada',
          address: address.toLowerCase(),
        })
        .execute(),
    );
    const restored = await bench.restored();
    /** A restore of another organization that has begun. */
    const begin = async (target: OrganizationId, object: string): Promise<TaskId> => {
      const terms = {
        target: { kind: 'other', organization: target, object, folder: null },
      } as const;
      const task = getValue(await bench.request(terms));
      await store.tenant(tenant, ({ sql: db }) =>
        db
          .updateTable('engine_task')
          .set({ organization_id: randomUUID() })
          .where('tenant_id', '=', tenant)
          .where('id', '=', task)
          .execute(),
      );
      expect(await run(task, AbortSignal.abort())).not.toBe(null);
      return task;
    };
    const elsewhere = [
      await begin(organization, 'another-user'),
      await begin(randomUUID(), 'user-1'),
    ];
    const same = [await begin(organization, 'user-1'), await begin(organization, address)];
    const undo = getValue(await bench.undo(restored));
    for (const task of same) {
      expect(await run(undo)).not.toBe(null);
      expect((await bench.taskOf(undo)).waiting?.reason).toContain('restore or undo');
      expect(await run(task)).toBe(null);
      advance(20_000);
    }
    expect(await run(undo)).toBe(null);
    expect(await bench.messages(undo)).toEqual(['Removed.']);
    for (const task of elsewhere) expect(await run(task)).toBe(null);
  });

  test(`RES-95: a restore or an undo waits for a restore that is being stopped and still writes (${kind})`, async () => {
    const store = await open();
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
      (id) => ({ id, folder: 'Inbox', content: id, at: 1 }) as const,
    );
    for (const next of ['restore', 'undo'] as const) {
      const bench = await setUp(store, items);
      const { target, run, advance } = bench;
      target.isShared = true;
      const restored = await bench.restored();
      target.items.clear();
      const first = getValue(await bench.request());
      const writes = Promise.withResolvers<undefined>();
      const begun = Promise.withResolvers<undefined>();
      target.onWrite = () => {
        begun.resolve(undefined);
        return writes.promise;
      };
      const running = run(first);
      await begun.promise;
      target.onWrite = null;
      const second =
        next === 'undo' ? getValue(await bench.undo(restored)) : getValue(await bench.request());
      getValue(await store.tenant(bench.tenant, (tx) => cancelTask(tx, bench.scope, first)));
      expect([next, (await bench.taskOf(first)).state]).toEqual([next, 'stopping']);
      expect(await run(second)).not.toBe(null);
      expect((await bench.taskOf(second)).waiting?.reason).toMatch(/^Another restore/);
      // A third one comes after both, and can be stopped while it waits.
      const third = getValue(await bench.request());
      expect(await run(third)).not.toBe(null);
      getValue(await store.tenant(bench.tenant, (tx) => cancelTask(tx, bench.scope, third)));
      expect(await run(third)).toBe(null);
      expect(await bench.taskOf(third)).toMatchObject({ state: 'done', result: 'cancelled' });
      writes.resolve(undefined);
      expect(await running).toBe(null);
      expect((await bench.taskOf(first)).result).toBe('cancelled');
      advance(20_000);
      expect(await run(second)).toBe(null);
      expect([next, (await bench.taskOf(second)).result]).toEqual([next, 'success']);
      const written = [...target.items.values()].map(({ content }) => content).toSorted();
      // Each once: all by a restore, and by the one that was stopped what it had begun.
      expect(new Set(written).size).toBe(written.length);
      if (next === 'restore') expect(written).toHaveLength(items.length);
    }
  });

  test(`RES-48, RES-5: two restores to removed channels at once write each post, and each once (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, list, getThreads, start, readTask, end, top } = bench;
    const channels = teams.listChannels(team);
    const read = (): readonly unknown[] =>
      teams
        .listChannels(team)
        .map(({ id, name, membership }) => ({ name, membership, threads: getThreads(id) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const before = read();
    const posts: NodeId[] = [];
    for (const { id } of await list(top, 'folders'))
      posts.push(...(await list(id, 'items')).map((post) => post.id));
    expect(posts.length).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(delays, async (turns) => {
        fixture.pass(60_000);
        for (const { name } of channels.slice(1)) {
          const now = teams.listChannels(team).find((one) => one.name === name);
          if (now !== undefined) teams.removeChannel(team, now.id);
        }
        const delay = makeDelay(turns);
        fixture.context.cloud.connectTo(async (request) => {
          await delay();
          return office.fetch(request);
        });
        const tasks = [
          await start(posts.filter((_, at) => at % 2 === 0)),
          await start(posts.filter((_, at) => at % 2 === 1)),
        ];
        for (const task of tasks) {
          await end(task);
          expect(await bench.listFailed(task)).toEqual([]);
          expect((await readTask(task)).result).toBe('success');
        }
        expect(read()).toEqual(before);
      }),
      { numRuns: 3 },
    );
    office.close();
  });
});
