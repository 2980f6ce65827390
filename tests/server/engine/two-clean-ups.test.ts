import { expect, test } from 'vitest';
import type { OrganizationId } from '#contract/ids.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { loadRemovals } from '#server/engine/embedded/repositories/exclusions.ts';
import { readProtections } from '#server/engine/embedded/repositories/protections.ts';
import { repositoryVerification } from '#server/engine/embedded/repositories/verify-job.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { exclude, findStored, makePeople } from './people.ts';
import { getValue, makeMemoryTarget, PASSWORD, PROOF } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  loadPoints,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
  withoutWaits,
} from './session-bench.ts';

// A server is suspended in the middle of a clean-up, and another one does its work. Later it goes on.

const MINUTE = 60_000;
const DAY = 86_400_000;
/** When the items of `makePeople` were last changed. */
const CHANGED_AT = 1_790_000_000_000;

interface Suspended {
  /** Whether it has come to this transaction, and didn't end before. */
  readonly isReached: boolean;
  /** Lets it go on to its end, however it ends. */
  goOn(): Promise<void>;
}

/** Begins a clean-up that stops before a transaction, counted from 0. */
async function suspendCleanUp(bench: SessionBench, at: number): Promise<Suspended> {
  const context = withoutWaits(bench);
  const { store } = context;
  const reached = Promise.withResolvers<boolean>();
  const resumed = Promise.withResolvers<undefined>();
  let count = 0;
  const stopping: Store = {
    ...store,
    tenant: async (...input) => {
      count += 1;
      if (count === at + 1) {
        reached.resolve(true);
        await resumed.promise;
      }
      return store.tenant(...input);
    },
  };
  const work = cleanUp({ ...context, store: stopping }, async () => ({
    ok: true,
    value: { target: makeMemoryTarget(bench.files), password: PASSWORD },
  }))({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: context.clock.now(),
    signal: new AbortController().signal,
  }).catch(() => null);
  void work.then(() => reached.resolve(false));
  const isReached = await reached.promise;
  return {
    isReached,
    goOn: async () => {
      resumed.resolve(undefined);
      await work;
    },
  };
}

/** Runs clean-ups until nothing is left for now. */
async function cleanUpWhole(bench: SessionBench): Promise<void> {
  for (let runs = 0; runs < 10; runs += 1) {
    const next = (await runCleanUp(bench)) ?? Infinity;
    if (next - bench.ground.context.clock.now() > 60 * MINUTE) return;
    bench.ground.pass(10 * MINUTE);
  }
  throw new Error('It does not end.');
}

const listRemovals = async ({ ground: fixture, tenant, organization }: SessionBench) =>
  (
    await fixture.context.store.tenant(tenant, (tx) =>
      loadRemovals(tx, organization as OrganizationId),
    )
  ).map(({ isDone }) => isDone);

async function listProtections(bench: SessionBench) {
  const opened = await bench.open();
  const listed = getValue(
    await readProtections(opened, getValue(await opened.listSnapshots(() => undefined))),
  );
  await opened.close();
  return listed;
}

const requestRepack = ({ ground: fixture, tenant }: SessionBench) =>
  fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('repository_access')
      .set({ upkeep: JSON.stringify({ repack: true, rewrite: true }) })
      .where('tenant_id', '=', tenant)
      .execute(),
  );

async function loadUpkeep({ ground: fixture, tenant }: SessionBench) {
  const row = await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('repository_access')
      .select('upkeep')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow(),
  );
  return row.upkeep;
}

async function makeBench(store: Store) {
  const bench = await makeSessionBench(store, makePeople());
  await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
  const job = await bench.addJob();
  await backUp(bench, job);
  return { bench, job };
}

/** Every fourth transaction; in a soak, each. */
const STEP = PROOF > 1 ? 1 : 4;

eachDatabase((kind, open) => {
  test(`ENG-7, ENG-122: a suspended clean-up that goes on removes nothing of a person who is backed up again since (${kind})`, async () => {
    const store = await open();
    let count = 0;
    for (let at = 1, isReached = true; isReached; at += STEP) {
      const { bench, job } = await makeBench(store);
      const end = await exclude(bench, 'ann');
      const suspended = await suspendCleanUp(bench, at);
      ({ isReached } = suspended);
      if (!isReached) break;
      count += 1;
      bench.ground.pass(DAY);
      await end();
      await cleanUpWhole(bench);
      const again = await backUp(bench, job);
      expect(await loadCopies(bench, again)).toEqual(copiesNow(bench.objects));
      await suspended.goOn();
      expect({ at, copies: await loadCopies(bench, again) }).toEqual({
        at,
        copies: copiesNow(bench.objects),
      });
      bench.ground.pass(DAY);
      await cleanUpWhole(bench);
      const next = await backUp(bench, job);
      for (const point of [again, next])
        expect(await loadCopies(bench, point)).toEqual(copiesNow(bench.objects));
      const opened = await bench.open();
      expect(getValue(await opened.check({ readData: true })).problems).toEqual([]);
      await opened.close();
    }
    expect(count).toBeGreaterThan(3);
  });

  test(`ENG-7, ENG-122: a suspended clean-up from before an exclusion brings nothing of the person back, nor its list of exclusions (${kind})`, async () => {
    const store = await open();
    let count = 0;
    for (let at = 1, isReached = true; isReached; at += STEP) {
      const { bench } = await makeBench(store);
      const other = await exclude(bench, 'cem');
      await requestRepack(bench);
      const suspended = await suspendCleanUp(bench, at);
      ({ isReached } = suspended);
      if (!isReached) break;
      count += 1;
      bench.ground.pass(DAY);
      await exclude(bench, 'ann');
      await cleanUpWhole(bench);
      await suspended.goOn();
      expect({ at, states: await listRemovals(bench) }).toEqual({ at, states: [true, true] });
      const own = ['only of mailbox ann', 'only of drive ann', 'only of drive cem'];
      expect(await findStored(bench, own)).toEqual([]);
      const excluded = (await listProtections(bench))?.excluded.map(({ object }) => object);
      expect({ at, excluded: excluded?.toSorted() }).toEqual({ at, excluded: ['ann', 'cem'] });
      await other();
    }
    expect(count).toBeGreaterThan(3);
  });

  test(`ENG-7, ENG-51: a verification leaves what a clean-up has noted meanwhile, and the other way round (${kind})`, async () => {
    const { bench } = await makeBench(await open());
    const verify = repositoryVerification(withoutWaits(bench), {
      openRepository: async () => {
        await requestRepack(bench);
        return { ok: true, value: await bench.open() };
      },
    });
    await verify({
      tenant: bench.tenant,
      payload: { repository: bench.repository },
      now: bench.ground.context.clock.now(),
      signal: new AbortController().signal,
    });
    expect(await loadUpkeep(bench)).toMatchObject({ repack: true, rewrite: true });
    await cleanUpWhole(bench);
    expect(await loadUpkeep(bench)).not.toHaveProperty('repack');
    expect(await loadUpkeep(bench)).not.toHaveProperty('run');
  });

  test(`ENG-122: the clean-up of an exclusion is due at once after a restart of the server (${kind})`, async () => {
    const { bench } = await makeBench(await open());
    await exclude(bench, 'ann');
    // Nothing but what is stored.
    const jobs = await bench.ground.context.store.tenant(bench.tenant, ({ sql }) =>
      sql
        .selectFrom('background_job')
        .select(['key', 'due_at', 'payload'])
        .where('tenant_id', '=', bench.tenant)
        .where('type', '=', 'repository-clean-up')
        .execute(),
    );
    expect(jobs).toEqual([
      {
        key: bench.repository,
        due_at: bench.ground.context.clock.now(),
        payload: { repository: bench.repository },
      },
    ]);
    await cleanUpWhole(bench);
    expect(await listRemovals(bench)).toEqual([true]);
  });

  test(`ENG-121: a hold that is placed while a restore delays the removal of old items is written into the repository at once, and once (${kind})`, async () => {
    const bench = await makeSessionBench(await open(), makePeople());
    await createRepositoryRow(bench, { retentionType: 'ItemLevel' });
    const { ground: fixture, tenant, organization } = bench;
    const point = await backUp(bench, await bench.addJob());
    fixture.pass(CHANGED_AT + 400 * DAY - fixture.context.clock.now());
    const now = fixture.context.clock.now();
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
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
        .execute(),
    );
    const copies = copiesNow(bench.objects);
    await bench.append({
      type: 'organization.holdplaced@1',
      data: {
        id: organization,
        hold: {
          id: fixture.context.chance.uuid(),
          kind: 'user',
          object: 'ann',
          name: 'ann',
          reason: 'A lawsuit',
          user: fixture.context.chance.uuid(),
          until: null,
        },
      },
    });
    await runCleanUp(bench);
    expect((await listProtections(bench))?.holds.map(({ object }) => object)).toEqual(['ann']);
    const files = [...bench.files.keys()].sort();
    await runCleanUp(bench);
    expect([...bench.files.keys()].sort()).toEqual(files);
    expect(await loadCopies(bench, point)).toEqual(copies);
    expect(await loadPoints(bench)).toHaveLength(1);
  });
});
