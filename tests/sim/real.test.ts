import { expect, test } from 'vitest';
import { toLeanRun } from '#contract/runs/columns.ts';
import { anyDatabase } from '#tests/server/db/databases.ts';
import { must } from '#tests/workers/scene.ts';
import { makeChance } from './random.ts';
import { settle, TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { PASSWORD, RealServer } from './real-server.ts';
import { Story } from './story.ts';
import { NO_ERRORS, SimWire } from './wire.ts';

const SEEDS = Number(process.env['PROOF'] ?? 1);
const STEPS = 25;
const byN = (a: { readonly n: number }, b: { readonly n: number }): number => a.n - b.n;
anyDatabase((name, open) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(
      `G1, G2, SYNC-1, SYNC-2, OUT-3: the real server and two devices agree when a bad connection recovers: seed ${seed} (${name})`,
      { timeout: 120_000 },
      async () => {
        const store = await open();
        const chance = makeChance(seed);
        const idle: { wait: () => Promise<void> } = { wait: () => settle() };
        const clock = new TestClock(Date.UTC(2026, 5, 15, 6), () => idle.wait());
        const server = new RealServer(store, clock);
        idle.wait = async () => {
          await settle(2);
          await server.idle();
          await settle(2);
        };
        const names = ['ann', 'bob'];
        const ids = await server.begin(names);
        const story = new Story(server, chance, () => clock.now());
        story.begin(3, 5, 30);
        await idle.wait();
        const devices = ids.map(
          (id) =>
            new SimDevice(
              clock,
              chance,
              new SimWire(server, clock, chance, id),
              { me: { id } },
              false,
              server.tenant,
            ),
        );
        const apis = devices.map((device) => device.open());
        await clock.pass(100);
        for (const [i, api] of apis.entries()) {
          const signedIn = api.signIn({
            way: 'password',
            auth: 'db',
            username: must(names[i]),
            password: PASSWORD,
          });
          await clock.pass(1_000);
          expect(await signedIn).toMatchObject({ ok: true });
        }
        await clock.pass(3_000);
        for (const api of apis)
          expect(api.session.loop?.status()).toMatchObject({ kind: 'live', left: 0 });
        const sent: string[] = [];
        for (let step = 0; step < STEPS; step++) {
          const level = chance.pick([0, 60, 150]);
          for (const { wire } of devices)
            wire.errors = {
              drop: level,
              lose: level,
              silence: level / 4,
              double: level,
              delay: level * 2,
              garbage: level,
            };
          const roll = chance.below(4);
          const who = chance.below(2);
          const run = chance.pick(
            [...server.rows.run.values()].filter(({ problem }) => problem !== null),
          ).n;
          if (roll === 0) story.goOn();
          else if (roll === 1) must(devices[who]).wire.up = !must(devices[who]).wire.up;
          else {
            const stored = await must(apis[who]).send('changeExecution', {
              id: String(run),
              change: { kind: 'note', content: `note ${step}` },
            });
            if (stored.ok) sent.push(`note ${step}`);
          }
          await clock.pass(chance.pick([0, 50, 1_000, 6_000]));
        }
        for (const { wire } of devices) {
          wire.errors = NO_ERRORS;
          wire.up = true;
        }
        await clock.pass(130_000);
        // First, because what is missing below may only be waiting, or refused.
        for (const api of apis)
          expect(must(api.session.loop).status()).toMatchObject({
            kind: 'live',
            left: 0,
            waiting: 0,
            refused: 0,
            error: null,
          });
        const log = await server.log();
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
        const notes = log.flatMap(({ event }) =>
          event.type === 'problem.noted@1' ? [event.data.content] : [],
        );
        expect(new Set(notes)).toEqual(new Set(sent));
        expect(notes).toHaveLength(sent.length);
        const [problems, jobs] = await server.context.store.tenant(
          server.tenant,
          async (tx) => [await tx.all('problem'), await tx.all('job')] as const,
          { readOnly: true },
        );
        for (const api of apis) {
          const { replica } = must(api.session.loop);
          expect(replica.cursor).toBe(log.length);
          expect(replica.engine.all('problem').toSorted(byN)).toEqual(problems.toSorted(byN));
          expect(replica.engine.all('job').toSorted(byN)).toEqual(jobs.toSorted(byN));
          const expected = [...server.rows.run.values()].map((run) =>
            toLeanRun(run, must(server.rows.job.get(run.job))),
          );
          expect(
            [...replica.engine.runs(expected.map(({ n }) => n)).values()].toSorted(byN),
          ).toEqual(expected.toSorted(byN));
        }
        for (const [i, device] of devices.entries()) device.kill(must(apis[i]));
      },
    );
  }
});
