import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { repositoryVerification } from '#server/engine/embedded/repositories/verify-job.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { Killed, makeKilledAt, type Moment, type NamedWrite } from './killed.ts';
import { makeRandom } from './random.ts';
import { memoryObject, type MemoryObject } from './memory-source.ts';
import { getValue, makeClock, PASSWORD, PROOF, tools } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  loadFiles,
  makeSessionBench,
  loadPoints,
  type SessionBench,
  withoutWaits,
} from './session-bench.ts';

// A process writes files of a repository and commits transactions. It ends before or after each of
// them; the next one has nothing but what is stored, and must end with the same result.

const MINUTE: Ms = 60_000;
const DAY: Ms = 86_400_000;
const YEAR: Ms = 366 * DAY;
/** More than a year after what the others were last changed. */
const YOUNG: Ms = 1_790_000_000_000 + 400 * DAY;

type Kill = ReturnType<typeof makeKilledAt>;

interface Scenario {
  readonly name: string;
  readonly retentionType?: 'ItemLevel';
  /** What is there before the run. */
  prepare(bench: SessionBench): Promise<void>;
  /** Runs once as a process does. Returns when the work goes on; null: it is done. */
  run(bench: SessionBench, kill: Kill | null): Promise<Ms | null>;
  /** Writes without which the walk has missed something. */
  readonly named: readonly string[];
}

/** Two people, whose items are in several pages. */
function makeObjects(): MemoryObject[] {
  const objects = [memoryObject('mailbox', 'ann', 2), memoryObject('drive', 'bob', 2)];
  for (const memory of objects) {
    memory.hasHistory = true;
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 3; n += 1)
      memory.putItem(`i${n}`, 'top', `content ${n} of ${memory.object.name}`);
  }
  return objects;
}
const changeObjects = ([ann, bob]: readonly MemoryObject[]): void => {
  ann?.putFolder('sub', 'top', 'Projects');
  ann?.putItem('new', 'sub', 'a new mail');
  ann?.putItem('i1', 'top', 'a changed mail');
  ann?.removeItem('i2');
  bob?.putItem('new', 'top', 'a new file');
  bob?.putItem('i1', 'top', 'a changed file');
  bob?.removeItem('i0');
};

const sessions = new WeakMap<SessionBench, string>();
const runSession: Scenario['run'] = (bench, kill) =>
  bench.run(sessions.get(bench) ?? '', kill ?? {});
async function startSession(bench: SessionBench): Promise<void> {
  bench.ground.pass(MINUTE);
  sessions.set(bench, (await bench.start(await bench.addJob())) ?? '');
}

const place = (bench: SessionBench, kill: Kill | null) => ({
  ...withoutWaits(bench),
  ...(kill && { store: kill.store }),
});
const request = (bench: SessionBench) => ({
  tenant: bench.tenant,
  payload: { repository: bench.repository },
  now: bench.ground.context.clock.now(),
  signal: new AbortController().signal,
});
/** Daily work is done when it returns the next day. */
const orDone = (bench: SessionBench, next: Ms | null): Ms | null =>
  next === null || next >= bench.ground.context.clock.now() + DAY ? null : next;

const runCleanUp: Scenario['run'] = async (bench, kill) => {
  const { target } = kill ?? makeKilledAt(bench, null, 'before');
  const found = { ok: true, value: { target, password: PASSWORD } } as const;
  return orDone(bench, await cleanUp(place(bench, kill), async () => found)(request(bench)));
};
const runVerification: Scenario['run'] = async (bench, kill) => {
  const { target } = kill ?? makeKilledAt(bench, null, 'before');
  const clock = makeClock(bench.ground.context.clock.now());
  const openIt = () => openRepository(target, { ...tools(clock), lock: 'shared' });
  const verify = repositoryVerification(place(bench, kill), { openRepository: openIt });
  return orDone(bench, await verify(request(bench)));
};

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a first session',
    prepare: startSession,
    run: runSession,
    named: ['write locks', 'write data', 'write index', 'write snapshots', 'remove locks'],
  },
  {
    name: 'an incremental session',
    async prepare(bench) {
      await backUp(bench, await bench.addJob());
      changeObjects(bench.objects);
      await startSession(bench);
    },
    run: runSession,
    named: ['write locks', 'write data', 'write index', 'write snapshots', 'remove locks'],
  },
  {
    name: 'a clean-up of old restore points',
    async prepare(bench) {
      const job = await bench.addJob();
      await backUp(bench, job);
      changeObjects(bench.objects);
      bench.ground.pass(YEAR);
      await backUp(bench, job);
    },
    run: runCleanUp,
    named: ['write locks', 'write data', 'write index', 'remove index', 'remove data'].concat(
      'remove snapshots',
      'remove locks',
    ),
  },
  {
    name: 'a clean-up of old items',
    retentionType: 'ItemLevel',
    async prepare(bench) {
      const job = await bench.addJob();
      for (const memory of bench.objects) memory.putItem('young', 'top', 'young', YOUNG);
      await backUp(bench, job);
      changeObjects(bench.objects);
      bench.ground.pass(MINUTE);
      await backUp(bench, job);
      bench.ground.pass(YOUNG - bench.ground.context.clock.now());
    },
    run: runCleanUp,
    named: ['write data', 'write snapshots', 'write index', 'remove snapshots', 'remove data'],
  },
  {
    name: 'a verification that finds damage',
    async prepare(bench) {
      await backUp(bench, await bench.addJob());
      for (const [path, bytes] of [...bench.files].filter(([name]) => name.startsWith('data/')))
        bench.files.set(
          path,
          bytes.map((byte) => byte ^ 1),
        );
      bench.isReadable = false;
      bench.ground.pass(DAY);
    },
    run: runVerification,
    named: ['write locks', 'remove locks'],
  },
];

/** Runs to the end, in processes that begin with nothing but what is stored. */
async function runToEnd(bench: SessionBench, scenario: Scenario): Promise<void> {
  for (let runs = 0; runs < 20; runs += 1) {
    const next = await scenario.run(bench, null);
    if (next === null) return;
    bench.ground.pass(Math.max(MINUTE, next - bench.ground.context.clock.now()));
  }
  throw new Error('It does not end.');
}

/** All that a run leaves behind, without what is different each time: ids and times. */
async function loadResult(bench: SessionBench, hasData: boolean) {
  const { tenant, repository: id } = bench;
  const points = await loadPoints(bench);
  const repository = await bench.open();
  const snapshots = getValue(await repository.listSnapshots());
  const trees = [];
  for (const { snapshot } of hasData ? points : []) {
    const { tree = '' } = snapshots.find((one) => one.id === snapshot) ?? {};
    const { files, lines } = await loadFiles(repository, tree);
    trees.push({ files: Object.fromEntries(files), lines: lines.length });
  }
  const { blobs, problems } = getValue(await repository.check({ readData: true }));
  await repository.close();
  const stored = await bench.ground.context.store.tenant(tenant, async (tx) => ({
    row: (await tx.rows('backupRepository', [id])).get(id),
    jobs: await tx.all('backupJob'),
    access: await tx.sql
      .selectFrom('repository_access')
      .select('upkeep')
      .where('tenant_id', '=', tenant)
      .executeTakeFirst(),
    items: await tx.sql
      .selectFrom('item')
      .select(['key', 'from_point', 'to_point', 'title'])
      .where('tenant_id', '=', tenant)
      .orderBy('object_n')
      .orderBy('key')
      .orderBy('from_point')
      .execute(),
  }));
  const copies = [];
  for (const point of hasData ? points : []) copies.push(await loadCopies(bench, point.id));
  const { damaged = [], items: lost, part, of, ...upkeep } = stored.access?.upkeep ?? {};
  return {
    trees,
    copies,
    blobs: hasData ? blobs : null,
    problems: hasData ? problems : [],
    snapshots: snapshots.length,
    complete: points.map(({ complete }) => complete),
    recent: stored.jobs.flatMap(({ recent }) =>
      recent.map(({ result, counts, message }) => ({ result, counts, message })),
    ),
    running: stored.jobs.map(({ running }) => running),
    damaged: [stored.row?.damaged, damaged.length, lost, part, of],
    upkeep: { ...upkeep, run: undefined },
    items: stored.items,
  };
}

async function makeBench(store: Awaited<ReturnType<typeof freshStore>>, scenario: Scenario) {
  const bench = await makeSessionBench(store, makeObjects());
  const { retentionType } = scenario;
  await createRepositoryRow(bench, retentionType && { retentionType });
  await scenario.prepare(bench);
  return bench;
}

/**
 * Runs a process that ends at the write. Objects are worked on side by side, so that one flush may
 * index what another time takes two: where there are fewer writes of the name this time, it ends at
 * an earlier one.
 */
async function runKilled(
  store: Awaited<ReturnType<typeof freshStore>>,
  scenario: Scenario,
  { name, nth }: NamedWrite,
  moment: Moment,
) {
  for (let n = nth; ; n -= 1) {
    const write = { name, nth: n };
    const bench = await makeBench(store, scenario);
    const kill = makeKilledAt(bench, write, moment);
    await scenario.run(bench, kill).catch((error: unknown) => {
      if (!(error instanceof Killed) && !kill.isOver()) throw error;
    });
    if (kill.isOver() || n === 0) return { bench, kill, write };
  }
}

/** Progress is written after two seconds: only slow runs do. */
const TIMED = 'commit in sessions/run-session write';

const MOMENTS: readonly Moment[] = ['before', 'after'];

test.each(SCENARIOS)(
  'ENG-2, ENG-3, ENG-7: $name that is killed before or after any write ends with the same result as one that is not',
  async (scenario) => {
    const store = await freshStore(ONE);
    const whole = await makeBench(store, scenario);
    const { isReadable } = whole;
    const counted = makeKilledAt(whole, null, 'before');
    if ((await scenario.run(whole, counted)) !== null) throw new Error('It does not end.');
    const expected = await loadResult(whole, isReadable);
    if (scenario.run === runSession)
      expect(expected.copies.at(-1)).toEqual(copiesNow(whole.objects));
    const writes = counted.writes.filter(({ name }) => name !== TIMED);
    const names = [...new Set(writes.map(({ name }) => name))];
    expect(names).toEqual(expect.arrayContaining([...scenario.named]));
    expect(names.filter((name) => name.startsWith('commit in')).length).toBeGreaterThan(0);

    // Each name once, before or after it; in a soak, each write before and after it.
    const random = makeRandom(scenario.name.length);
    const byName = [...Map.groupBy(writes, ({ name }) => name).values()];
    const kills = byName.flatMap((all, n): (readonly [NamedWrite, Moment])[] => {
      const moments = PROOF > 1 ? MOMENTS : [MOMENTS[(n + scenario.name.length) % 2] ?? 'after'];
      const killing = PROOF > 1 ? all : all.slice(random(all.length)).slice(0, 1);
      return killing.flatMap((write) => moments.map((moment) => [write, moment] as const));
    });
    const killed = new Set<string>();
    for (const [chosen, moment] of kills) {
      const { bench, kill, write } = await runKilled(store, scenario, chosen, moment);
      if (kill.isOver()) killed.add(write.name);
      bench.ground.pass(5 * MINUTE);
      await runToEnd(bench, scenario);
      expect({ write, moment, result: await loadResult(bench, isReadable) }).toEqual({
        write,
        moment,
        result: expected,
      });
    }
    expect([...killed].sort()).toEqual(names.toSorted());
  },
);
