/**
 * Servers on one database in simulated time: their heartbeats are slow or lost, they stand still, are
 * killed, the database restarts, and clocks are set. `SEED` repeats a story, `PROOF=50` tells 100.
 */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import type { AppContext, Clock } from '#server/platform/app-context.ts';
import type { Presence } from '#server/platform/db/presence.ts';
import type { Store } from '#server/platform/db/store.ts';
import { type JobRunner, makeJobRunner } from '#server/platform/jobs/runner.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { makeChance } from '#tests/sim/random.ts';
import { withoutJobs } from './fixtures.ts';
import { embedded } from '../db/databases.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const STORIES = 2 * Number(process.env['PROOF'] ?? 1);
const HOUR: Ms = 3_600_000;
/**
 * From a kill to the begin of the work elsewhere, at most, where nothing is slow: of 15 seconds, a third
 * is left for a busy machine and for what the work does first.
 */
const TAKEOVER_MS: Ms = 10_000;
const STEP_MS: Ms = 250;

/** A server that can stand still or be killed. Its work goes on only while it does neither. */
interface Simulated {
  readonly name: string;
  runner: JobRunner;
  state: 'runs' | 'stands' | 'killed';
  skew: Ms;
  /** How long its next heartbeats take, before and after the database has seen them. */
  slow: readonly [Ms, Ms];
  isCut: boolean;
  /** The jobs that it works on now, by key. */
  readonly works: Set<string>;
  resume(): void;
}

async function makeSite(store: Store, context: AppContext) {
  let pending = 0;
  // Answers of the database take real time, in which the simulated one stands.
  const settled = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet = pending === 0 ? quiet + 1 : 0)
      await new Promise((resolve) => void setImmediate(resolve));
  };
  const time = new TestClock(context.clock.now(), settled);
  const wait = (ms: Ms): Promise<void> =>
    ms <= 0 ? Promise.resolve() : new Promise((resolve) => void time.after(ms, () => resolve()));
  const marks = new Map<string, string>();
  const database = { isDown: false, refused: 0 };
  const servers: Simulated[] = [];
  /** When each job began, where. */
  const begun: { readonly at: Ms; readonly key: string; readonly server: string }[] = [];

  function add(jobMs: () => Ms): Simulated {
    const name = context.chance.uuid();
    const held: (() => void)[] = [];
    const ofProcess = (work: () => void): void => {
      if (server.state === 'runs') work();
      else if (server.state === 'stands') held.push(work);
    };
    /** What a process that stands still hears when it goes on. */
    const whenRunning = <T>(result: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        result.then(
          (value) => ofProcess(() => resolve(value)),
          (error: unknown) => ofProcess(() => reject(error)),
        );
      });
    const clock: Clock = {
      now: () => time.now() + server.skew,
      after(ms, work) {
        let isCancelled = false;
        const cancel = time.after(ms, () => ofProcess(() => void (isCancelled || work())));
        return {
          cancel() {
            isCancelled = true;
            cancel();
          },
        };
      },
    };
    const own: Store = {
      ...store,
      kind: 'postgres',
      onAppend: () => () => undefined,
      async system(work) {
        if (database.isDown) {
          database.refused += 1;
          // Endless looks in one moment would never end.
          if (database.refused > 10_000) database.isDown = false;
          throw new Error('The database is away.');
        }
        pending += 1;
        const result = store.system(work).finally(() => (pending -= 1));
        return whenRunning(result);
      },
    };
    const presence: Presence = {
      announced: Promise.resolve(),
      async beat() {
        const [before, after] = server.slow;
        await wait(before);
        if (database.isDown || server.isCut) {
          await whenRunning(wait(3_000));
          throw new Error('The connection is lost.');
        }
        if (server.state !== 'killed') marks.set(name, String(begun.length + Math.random()));
        await whenRunning(wait(after));
      },
      readBeats: () =>
        database.isDown || server.isCut
          ? Promise.reject(new Error('The connection is lost.'))
          : Promise.resolve(new Map(marks)),
      end: () => Promise.resolve(),
    };
    const server: Simulated = {
      name,
      state: 'runs',
      skew: 0,
      slow: [0, 0],
      isCut: false,
      works: new Set(),
      runner: makeJobRunner(
        { ...context, clock, store: own },
        {
          connection: ({ payload: { connection: message }, signal }) =>
            new Promise((resolve, reject) => {
              server.works.add(message);
              begun.push({ at: time.now(), key: message, server: name });
              signal.addEventListener('abort', () => {
                server.works.delete(message);
                reject(new Error('It was stopped.'));
              });
              clock.after(jobMs(), () => {
                if (signal.aborted) return;
                server.works.delete(message);
                resolve(clock.now() + 1_000);
              });
            }),
        },
        {
          name: 'Built-in',
          hasFolder: true,
          identity: { owner: name, presence },
          stopMs: 0,
          watch: () => Promise.resolve(),
        },
      ),
      resume() {
        if (server.state !== 'stands') return;
        server.state = 'runs';
        for (const work of held.splice(0)) work();
      },
    };
    servers.push(server);
    return server;
  }

  return {
    time,
    database,
    servers,
    begun,
    marks,
    add,
    /** Kills the process; PostgreSQL ends its connection, if the machine lives. */
    kill(server: Simulated, isMachineGone: boolean): void {
      server.state = 'killed';
      server.works.clear();
      if (!isMachineGone) marks.delete(server.name);
    },
    /** The jobs that more than one server works on that doesn't stand still. */
    findDoubled(): readonly string[] {
      const all = servers
        .filter(({ state }) => state === 'runs')
        .flatMap(({ works }) => [...works]);
      return all.filter((key, index) => all.indexOf(key) !== index);
    },
    async end(): Promise<void> {
      for (const server of servers) {
        server.resume();
        server.state = 'killed';
      }
      await settled();
    },
  };
}
type Site = Awaited<ReturnType<typeof makeSite>>;

async function begin(keys: readonly string[]): Promise<Site> {
  const { context } = await withoutJobs(embedded);
  const site = await makeSite(context.store, context);
  const tenant = context.chance.uuid();
  for (const key of keys)
    await context.store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at, payload)
        values (${tenant}, 'connection', ${key}, ${site.time.now()}, ${JSON.stringify({ connection: key })})`.execute(
        db,
      ),
    );
  return site;
}

/** Lets time pass, and expects at each step that no job runs twice. */
async function pass(site: Site, ms: Ms): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await site.time.pass(STEP_MS);
    expect(site.findDoubled()).toEqual([]);
  }
}

const WORK = 'a message';

test('JOB-3: the work of a server that is gone begins on another one within 15 seconds, whenever it is killed and whether or not its machine lives', async () => {
  const times: Ms[] = [];
  for (const [isMachineGone, phase] of [
    [true, 0],
    [true, 750],
    [false, 1_250],
  ] as const) {
    const site = await begin([WORK]);
    const killed = site.add(() => HOUR);
    killed.runner.start();
    await pass(site, 3_000);
    expect([...killed.works]).toEqual([WORK]);
    const heir = site.add(() => HOUR);
    await pass(site, phase);
    heir.runner.start();
    await pass(site, 4_000);
    expect([...heir.works]).toEqual([]);
    site.kill(killed, isMachineGone);
    const at = site.time.now();
    await pass(site, TAKEOVER_MS);
    expect([...heir.works]).toEqual([WORK]);
    times.push((site.begun.at(-1)?.at ?? 0) - at);
    await site.end();
  }
  expect(times).toHaveLength(3);
  expect(Math.max(...times)).toBeLessThanOrEqual(TAKEOVER_MS);
}, 600_000);

test('JOB-3: the work of a server that is gone begins on another one within 15 seconds, even if each heartbeat takes as long as the pause after it', async () => {
  for (const isMachineGone of [true, false]) {
    const site = await begin([WORK]);
    const [killed, heir] = [site.add(() => HOUR), site.add(() => HOUR)];
    killed.runner.start();
    await pass(site, 3_000);
    heir.slow = [750, 750];
    heir.runner.start();
    await pass(site, 5_000);
    site.kill(killed, isMachineGone);
    await pass(site, 15_000);
    expect([...heir.works]).toEqual([WORK]);
    await site.end();
  }
}, 600_000);

test('JOB-3: a process that stands still for less than five seconds keeps its jobs, again and again', async () => {
  const site = await begin([WORK]);
  const [paused, other] = [site.add(() => HOUR), site.add(() => HOUR)];
  paused.runner.start();
  await pass(site, 3_000);
  other.runner.start();
  await pass(site, 5_000);
  for (const [pauseMs, runsMs] of [
    [4_750, 250],
    [4_750, 750],
    [4_750, 3_250],
    [4_500, 500],
    [4_750, 20_000],
  ] as const) {
    paused.state = 'stands';
    await pass(site, pauseMs);
    paused.resume();
    await pass(site, runsMs);
    expect([[...paused.works], [...other.works], site.begun.length]).toEqual([[WORK], [], 1]);
  }
  await site.end();
}, 600_000);

test('JOB-3: slow heartbeats, a wrong clock and a short restart of the database take no job of a living server', async () => {
  const site = await begin([WORK]);
  const [living, other] = [site.add(() => HOUR), site.add(() => HOUR)];
  living.runner.start();
  await pass(site, 3_000);
  other.runner.start();
  const expectSame = async (ms: Ms): Promise<void> => {
    await pass(site, ms);
    expect([[...living.works], site.begun.length]).toEqual([[WORK], 1]);
  };
  living.slow = [1_500, 1_500];
  await expectSame(20_000);
  living.slow = [0, 0];
  for (const skew of [72 * HOUR, -72 * HOUR, 0]) {
    other.skew = skew;
    await expectSame(15_000);
    living.skew = -skew;
    await expectSame(15_000);
  }
  site.database.isDown = true;
  site.marks.clear();
  await expectSame(2_000);
  site.database.isDown = false;
  await expectSame(15_000);
  await site.end();
}, 600_000);

test('JOB-3: a server that others could not see stops its jobs before one of them begins, and has what nobody took again at its next heartbeat', async () => {
  const site = await begin([WORK]);
  const alone = site.add(() => HOUR);
  alone.runner.start();
  await pass(site, 3_000);
  alone.isCut = true;
  await pass(site, 12_000);
  expect([...alone.works]).toEqual([]);
  alone.isCut = false;
  // What a heartbeat that fails takes, until the next one.
  await pass(site, 5_000 + STEP_MS);
  expect([...alone.works]).toEqual([WORK]);

  const other = site.add(() => HOUR);
  other.runner.start();
  await pass(site, 5_000);
  alone.isCut = true;
  await pass(site, 25_000);
  expect([[...alone.works], [...other.works]]).toEqual([[], [WORK]]);
  alone.isCut = false;
  await pass(site, 10_000);
  expect([[...alone.works], [...other.works]]).toEqual([[], [WORK]]);
  await site.end();
}, 600_000);

test('JOB-3: a process that stood still has no job any more that another one took over', async () => {
  const site = await begin([WORK]);
  const [paused, other] = [site.add(() => HOUR), site.add(() => HOUR)];
  paused.runner.start();
  await pass(site, 3_000);
  other.runner.start();
  await pass(site, 5_000);
  paused.state = 'stands';
  await pass(site, TAKEOVER_MS);
  expect([...other.works]).toEqual([WORK]);
  paused.resume();
  await pass(site, 10_000);
  expect([[...paused.works], [...other.works]]).toEqual([[], [WORK]]);
  await site.end();
}, 600_000);

test('JOB-3: while the database is away, a server asks it once a second at most, and stores afterwards what ended', async () => {
  const site = await begin([WORK]);
  const server = site.add(() => 3_000);
  server.runner.start();
  await pass(site, 2_000);
  expect([...server.works]).toEqual([WORK]);
  site.database.isDown = true;
  site.marks.clear();
  const minutes = 3;
  await pass(site, minutes * 60_000);
  expect(site.database.isDown).toBe(true);
  // A success is tried to be stored as such, then as a failure.
  expect(site.database.refused).toBeLessThan(3 * 60 * minutes);
  site.database.isDown = false;
  await pass(site, 10_000);
  expect(site.begun.length).toBeGreaterThan(1);
  await site.end();
}, 600_000);

test(`JOB-2, JOB-3: whatever happens to three servers, no job runs on two of them at once, and all jobs run when it is over (seed ${SEED})`, async () => {
  for (let story = 0; story < STORIES; story += 1) {
    const chance = makeChance(SEED + story);
    const keys = ['one', 'two', 'three'];
    const site = await begin(keys);
    const add = (): Simulated => {
      const server = site.add(() => 500 + chance.below(40_000));
      server.runner.start();
      return server;
    };
    const servers = [add(), add(), add()];
    for (let n = 0; n < 30; n += 1) {
      const server = chance.pick(servers);
      const kind = chance.pick(['slow', 'cut', 'stand', 'kill', 'down', 'skew', 'mend', 'mend']);
      if (kind === 'slow') server.slow = [chance.below(6_000), chance.below(6_000)];
      else if (kind === 'cut') server.isCut = !server.isCut;
      else if (kind === 'skew') server.skew = chance.pick([0, 72 * HOUR, -72 * HOUR, 60_000]);
      else if (kind === 'down') {
        site.database.isDown = !site.database.isDown;
        if (site.database.isDown) site.marks.clear();
      } else if (kind === 'stand') {
        if (server.state === 'runs') server.state = 'stands';
        else server.resume();
      } else if (kind === 'kill') {
        site.kill(server, chance.below(2) === 0);
        servers[servers.indexOf(server)] = add();
      } else {
        site.database.isDown = false;
        server.slow = [0, 0];
        server.isCut = false;
        server.resume();
      }
      await pass(site, STEP_MS * chance.below(40));
    }
    site.database.isDown = false;
    for (const server of servers) {
      server.slow = [0, 0];
      server.isCut = false;
      server.skew = 0;
      server.resume();
    }
    // Waits after failures that were stored count too, and a server whose clock was a minute ahead
    // has stored the next time a minute late.
    const from = site.time.now();
    await pass(site, 2 * 60_000);
    expect(new Set(site.begun.filter(({ at }) => at > from).map(({ key }) => key))).toEqual(
      new Set(keys),
    );
    await site.end();
  }
}, 600_000);
