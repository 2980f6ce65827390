import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../db/databases.ts';
import { aTeam } from './team-bench.ts';

eachDatabase((kind, open) => {
  test(`RES-48, RES-5: two restores of removed channels at once write each post once (${kind})`, async () => {
    const bench = await aTeam(await open());
    const { fixture, office, teams, team, getThreads, start, readTask, end, listFailed, top } =
      bench;
    const channels = teams.listChannels(team);
    const read = (): readonly unknown[] =>
      teams
        .listChannels(team)
        .map(({ id, name, membership }) => ({ name, membership, threads: getThreads(id) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const before = read();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30), { minLength: 5, maxLength: 20 }), async (delays) => {
        fixture.pass(60_000);
        for (const { name } of channels.slice(1)) {
          const now = teams.listChannels(team).find((one) => one.name === name);
          if (now !== undefined) teams.removeChannel(team, now.id);
        }
        let count = 0;
        fixture.context.cloud.connectTo(async (request) => {
          count += 1;
          const turns = delays[count % delays.length] ?? 0;
          for (let turn = 0; turn < turns; turn += 1) await setImmediate();
          return office.fetch(request);
        });
        const tasks = [await start([top]), await start([top])];
        for (const task of tasks) {
          await end(task);
          expect(await listFailed(task)).toEqual([]);
          expect((await readTask(task)).result).toBe('success');
        }
        expect(read()).toEqual(before);
      }),
      { numRuns: 3 },
    );
    office.close();
  });
});
