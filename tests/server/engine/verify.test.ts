import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import {
  repositoryVerification,
  scheduleVerifications,
} from '#server/engine/embedded/repositories/verify-job.ts';
import { readRepositoryUsage } from '#server/engine/embedded/repositories/repositories.ts';
import { requestVerification } from '#server/engine/embedded/repositories/requests.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import { failed } from '#server/engine/result.ts';
import type { Repository } from '#server/engine/embedded/restic/repository.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { memoryObject, type MemoryObject } from './memory-source.ts';
import { getValue, makeMemoryTarget, openAt } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  loadCopies,
  createRepositoryRow,
  makeSessionBench,
  readWithRestic,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

const DAY: Ms = 86_400_000;

async function makeBench(store: Store, objects: MemoryObject[]) {
  const bench = await makeSessionBench(store, objects);
  await createRepositoryRow(bench);
  return bench;
}

/** Opens the repository as the engine does: what is known to be damaged counts as missing. */
async function openMarked(bench: SessionBench): Promise<Repository> {
  const repository = await bench.open();
  const { upkeep } = await bench.ground.context.store.tenant(bench.tenant, ({ sql, tenant }) =>
    sql
      .selectFrom('repository_access')
      .select('upkeep')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow(),
  );
  repository.markDamaged(upkeep.damaged ?? []);
  return repository;
}

const verify = (bench: SessionBench) =>
  repositoryVerification(bench.ground.context, {
    openRepository: async () => ({ ok: true, value: await openMarked(bench) }),
  })({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: bench.ground.context.clock.now(),
    signal: new AbortController().signal,
  });

const loadState = async ({ ground: fixture, tenant, organization, repository }: SessionBench) => {
  const row = await fixture.context.store.tenant(tenant, async (tx) =>
    (await tx.rows('backupRepository', [repository])).get(repository),
  );
  const usage = getValue(
    await readRepositoryUsage(fixture.context, { tenant, organization, user: null }, repository),
  );
  return {
    verifiedAt: row?.verifiedAt,
    damaged: row?.damaged,
    items: usage.damagedItems.map(({ object, title }) => `${object}: ${title}`).sort(),
  };
};

/** Changes a byte of the pack without which an item can't be restored. */
async function damage(bench: SessionBench, title: string): Promise<void> {
  const isLost = async (): Promise<boolean> => {
    const repository = await bench.open();
    const { files } = getValue(await repository.check({ readData: true }));
    await repository.close();
    return files.some(({ path }) => path.endsWith(title));
  };
  for (const [name, bytes] of bench.files) {
    if (!name.startsWith('data/')) continue;
    for (let at = 20; at < bytes.length; at += 40) {
      const broken = Uint8Array.from(bytes);
      broken[at] = (broken[at] ?? 0) ^ 255;
      bench.files.set(name, broken);
      if (await isLost()) return;
    }
    bench.files.set(name, bytes);
  }
  throw new Error(`No pack has ${title}.`);
}

eachDatabase((name, open) => {
  test(`ENG-51: damage names its items, the next session heals what the source has, also in older points, and the rest stays named (${name})`, async () => {
    const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
    const [ann, bob] = objects;
    for (const memory of objects) memory.putFolder('top', null, 'Inbox');
    ann?.putItem('first', 'top', 'the first mail');
    const bench = await makeBench(await open(), objects);
    const job = await bench.addJob();
    const point = await backUp(bench, job);
    const copy = copiesNow(objects);
    const verifiedAt = bench.ground.context.clock.now();
    expect(await verify(bench)).toBe(verifiedAt + DAY);
    expect(await loadState(bench)).toEqual({ verifiedAt, damaged: 0, items: [] });

    await damage(bench, 'Item first ~1.eml');
    bench.ground.pass(DAY);
    await verify(bench);
    expect(await loadState(bench)).toMatchObject({ damaged: 1, items: ['Person ann: Item first'] });
    bob?.putItem('later', 'top', 'a file');
    const next = await backUp(bench, job, () => openMarked(bench));
    expect(await loadCopies(bench, next)).toEqual(copiesNow(objects));
    expect(await loadCopies(bench, point)).toEqual(copy);
    await verify(bench);
    expect(await loadState(bench)).toMatchObject({ damaged: 0, items: [] });
    await runCleanUp(bench);
    const cleaned = await bench.open();
    expect(getValue(await cleaned.check({ readData: true })).problems).toEqual([]);
    await cleaned.close();
    await readWithRestic(bench);

    ann?.removeItem('first');
    await backUp(bench, job);
    await damage(bench, 'Item later');
    bob?.removeItem('later');
    bench.isReadable = false;
    await verify(bench);
    await backUp(bench, job, () => openMarked(bench));
    await verify(bench);
    expect(await loadState(bench)).toMatchObject({ damaged: 1, items: ['Person bob: Item later'] });
  });

  test(`ENG-51: a verification that is interrupted goes on where it was, and a requested one reads everything anew (${name})`, async () => {
    const people = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay'];
    const objects = people.map((person) => memoryObject('mailbox', person));
    for (const memory of objects) {
      memory.putFolder('top', null, 'Inbox');
      memory.putItem('first', 'top', `a mail of ${memory.object.name}`);
    }
    const bench = await makeBench(await open(), objects);
    await backUp(bench, await bench.addJob());
    const { context } = bench.ground;
    const packs = [...bench.files.keys()].filter((path) => path.startsWith('data/'));
    expect(packs.length).toBeGreaterThan(6);
    let reads: string[] = [];
    let minutes = 0;
    /** Reads the repository like a process that may be stopped, or whose connection is lost. */
    const run = (stopAfter = Infinity, loseAfter = Infinity) => {
      const stop = new AbortController();
      const before = reads.length;
      const memory = makeMemoryTarget(bench.files);
      const target: RepositoryTarget = {
        ...memory,
        read: async (type, name) => {
          if (type !== 'data') return memory.read(type, name);
          if (reads.length - before >= loseAfter) return failed('unreachable', 'No connection.');
          bench.ground.pass(minutes * 60_000);
          reads.push(`data/${name}`);
          if (reads.length - before >= stopAfter) stop.abort();
          return memory.read(type, name);
        },
      };
      return repositoryVerification(context, {
        openRepository: async () => ({ ok: true, value: await openAt(target, { lock: 'none' }) }),
      })({
        tenant: bench.tenant,
        payload: { repository: bench.repository },
        now: context.clock.now(),
        signal: stop.signal,
      });
    };
    expect(await run(2)).toBe(context.clock.now());
    expect(await loadState(bench)).toMatchObject({ verifiedAt: null });
    expect(await run(1)).toBe(context.clock.now());
    // After ten minutes, what was read is stored: a lost connection repeats no more than that.
    minutes = 10;
    await run();
    await run();
    await expect(run(Infinity, 0)).rejects.toThrow('No connection.');
    minutes = 0;
    const now = context.clock.now();
    expect(await run()).toBe(now + DAY);
    expect(await loadState(bench)).toMatchObject({ verifiedAt: now, damaged: 0 });
    expect(reads).toHaveLength(packs.length);
    expect(reads.toSorted()).toEqual(packs.toSorted());

    bench.ground.pass(DAY);
    await run(2);
    reads = [];
    getValue(
      await requestVerification(
        context,
        { tenant: bench.tenant, organization: bench.organization, user: null },
        bench.repository,
      ),
    );
    await run(3);
    await run();
    expect(reads.toSorted()).toEqual(packs.toSorted());
  });

  test(`ENG-51: every repository is verified each day while it exists (${name})`, async () => {
    const bench = await makeBench(await open(), []);
    const { tenant, ground: fixture, repository } = bench;
    const now = fixture.context.clock.now();
    const schedule = () =>
      fixture.context.store.tenant(tenant, async (tx) => {
        await scheduleVerifications(tx, now);
        return tx.sql
          .selectFrom('background_job')
          .select(['key', 'payload', 'due_at'])
          .where('tenant_id', '=', tenant)
          .where('type', '=', 'repository-verification')
          .execute();
      });
    expect(await schedule()).toEqual([{ key: repository, payload: { repository }, due_at: now }]);
    expect(await schedule()).toHaveLength(1);
    await bench.append({ type: 'backuprepository.deleted@1', data: { id: repository } });
    expect(await verify(bench)).toBe(null);
  });
});
