import { ALL } from '#tests/sim/all-runs.ts';
import { makeChance } from '#tests/sim/random.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { SimDevice } from '#tests/sim/device.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { SimWire } from '#tests/sim/wire.ts';
import type { Loop } from '#workers/sync/loop.ts';
import type { createWorkerApi } from '#workers/queries/live-queries.ts';

/**
 * One provider with a few jobs and bad runs, Ann's browser and Bob's: the real worker on a server
 * and a clock of the test.
 */
export function scene(seed = 1) {
  const clock = new TestClock();
  const chance = makeChance(seed);
  const server = new SimServer(() => clock.now());
  const ann = server.addUser('ann');
  const bob = server.addUser('bob');
  const story = new Story(server, chance, () => clock.now());
  story.begin(3, 6, 60);
  const getDevice = (user: typeof ann): SimDevice =>
    new SimDevice(clock, chance, new SimWire(server, clock, chance, user.me.id), user);
  /** Runs with an open problem, one a problem. */
  const bad = (): number[] =>
    [...server.rows.problem.values()]
      .filter(({ closedAt }) => closedAt === null)
      .map(({ lastRun }) => lastRun);
  const getProblem = (run: number) =>
    server.rows.problem.get(server.rows.run.get(run)?.problem ?? 0);
  return {
    clock,
    chance,
    server,
    ann,
    bob,
    story,
    annDevice: getDevice(ann),
    bobDevice: getDevice(bob),
    deviceOf: getDevice,
    bad,
    problemOf: getProblem,
  };
}

export function getLoop(api: ReturnType<typeof createWorkerApi>): Loop {
  const { loop } = api.session;
  if (!loop) throw new Error('nobody is signed in');
  return loop;
}

/** The problem behind a run as the device shows it. */
export function shown(api: ReturnType<typeof createWorkerApi>, run: number, now: number) {
  const { engine } = getLoop(api).replica;
  const selection = engine.select({ ...ALL, jobs: [engine.runs([run]).get(run)?.job ?? 0] }, now);
  return engine
    .view(selection, { first: 0, count: selection.total }, now)
    .find(({ n }) => n === run);
}

/** What must be there for the test to go on. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the test expected something here');
  return value;
}
