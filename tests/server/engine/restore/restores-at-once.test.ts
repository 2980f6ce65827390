import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ms, NodeId } from '#contract/ids.ts';
import { eachDatabase } from '../../db/databases.ts';
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
