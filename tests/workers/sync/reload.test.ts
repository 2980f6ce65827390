import { expect, test } from 'vitest';
import { toLeanRun } from '#contract/runs/columns.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

/**
 * A provider with runs on several days, a device that has them all, and what makes it load anew in
 * the same epoch.
 */
function loaded() {
  const all = scene();
  const { server, ann, annDevice } = all;
  const getReloadedDays = (): string[] =>
    annDevice.wire.asked.flatMap(({ path }) =>
      path.includes('sync/runs/') ? [path.slice(-10)] : [],
    );
  const anew = (): void => {
    server.append([
      {
        company: null,
        event: {
          type: 'user.scoped@1',
          data: { id: ann.me.id, roles: [...ann.me.roles], companies: null },
        },
      },
    ]);
  };
  /** What stands on the device is what the server has. */
  const same = (api: ReturnType<typeof annDevice.open>): void => {
    const { engine } = getLoop(api).replica;
    const ns = [...server.rows.run.values()].map(({ n }) => n);
    const here = engine.runs(ns);
    expect([here.size, engine.size]).toEqual([ns.length, ns.length]);
    for (const run of server.rows.run.values())
      expect(here.get(run.n)).toEqual(toLeanRun(run, must(server.rows.job.get(run.job))));
  };
  return {
    ...all,
    asked: getReloadedDays,
    anew,
    same,
    days: (): Set<string> =>
      new Set(
        [...server.rows.run.values()].map(({ startedAt }) =>
          new Date(startedAt).toISOString().slice(0, 10),
        ),
      ),
  };
}

test("SYNC-12: a reload in the same epoch doesn't fetch unchanged days again, also after the browser was closed", async () => {
  const { clock, story, annDevice, asked: request, anew, same, days } = loaded();
  let api = annDevice.open();
  await clock.pass(2_000);
  expect(new Set(request())).toEqual(days());
  const before = request().length;
  const generation = getLoop(api).replica.generation;
  anew();
  await clock.pass(2_000);
  expect(getLoop(api).replica.generation).toBe(generation + 1);
  expect(request().length).toBe(before);
  same(api);
  annDevice.kill(api);
  api = annDevice.open();
  await clock.pass(2_000);
  const yesterday = clock.now() - 86_400_000;
  story.finish(yesterday); // told by an event as well: the tag is of the page as it came
  await clock.pass(1_000);
  anew();
  await clock.pass(2_000);
  expect(request().slice(before)).toEqual([new Date(yesterday).toISOString().slice(0, 10)]);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', left: 0 });
  same(api);
  annDevice.kill(api);
  api = annDevice.open(); // what was kept was written too
  await clock.pass(1_000);
  same(api);
  expect(request().slice(before)).toHaveLength(1);
});

test('SYNC-12, SYNC-11: days are fetched again after a job changed its kind, and after a change of scope', async () => {
  const { clock, server, story, ann, annDevice, asked: request, anew, same, days } = loaded();
  const api = annDevice.open();
  await clock.pass(2_000);
  let before = request().length;
  for (let i = 0; i < 12; i++) story.changeJob();
  await clock.pass(1_000);
  anew();
  await clock.pass(2_000);
  expect(request().length).toBeGreaterThan(before);
  same(api);
  before = request().length;
  // sees the same by another right
  server.users.set(ann.me.id, Object.assign(ann, { companies: [1, 2, 3] }));
  anew();
  await clock.pass(2_000);
  expect(new Set(request().slice(before))).toEqual(days());
  same(api);
});

test('SYNC-12, LOG-6: in another epoch every day is fetched, whatever its tag', async () => {
  const { clock, server, annDevice, asked: request, same, days } = loaded();
  const api = annDevice.open();
  await clock.pass(2_000);
  const before = request().length;
  server.epoch = 'e2';
  server.poke({ kind: 'head', head: server.log.length, epoch: 'e2' });
  await clock.pass(2_000);
  expect(new Set(request().slice(before))).toEqual(days());
  same(api);
});
