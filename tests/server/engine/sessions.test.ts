import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { Killed, makeKilled } from './killed.ts';
import { makeRandom } from './random.ts';
import { memoryObject, type MemoryObject } from './memory-source.ts';
import { getValue } from './restic/fixtures.ts';
import {
  copiesNow,
  loadCopies,
  loadFiles,
  makeSessionBench,
  type SessionBench,
} from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const MINUTE = 60_000;

/** A small company: two mailboxes and a drive. */
function makeObjects(): MemoryObject[] {
  const objects = [
    memoryObject('mailbox', 'ann'),
    memoryObject('drive', 'ann'),
    memoryObject('mailbox', 'bob'),
  ];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    memory.putFolder('sub', 'top', 'Projects');
    for (let n = 0; n < 6; n += 1)
      memory.putItem(`i${n}`, n % 2 === 0 ? 'top' : 'sub', `content ${n} of ${memory.object.name}`);
  }
  return objects;
}

interface StoredPoint {
  readonly id: string;
  readonly session_id: string;
  readonly snapshot: string | null;
  readonly complete: boolean;
  readonly result: string | null;
  readonly changes: number;
  readonly lacks: readonly string[];
  readonly at: number;
}
const loadPoints = ({ ground: fixture, tenant }: SessionBench): Promise<StoredPoint[]> =>
  fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('restore_point')
      .select(['id', 'session_id', 'snapshot', 'complete', 'result', 'changes', 'lacks', 'at'])
      .where('tenant_id', '=', tenant)
      .orderBy('at')
      .execute(),
  );
const loadLog = ({ ground: fixture, tenant }: SessionBench, session: string): Promise<string[]> =>
  fixture.context.store.tenant(tenant, async ({ sql }) =>
    (
      await sql
        .selectFrom('backup_log')
        .select('message')
        .where('tenant_id', '=', tenant)
        .where('session_id', '=', session)
        .orderBy('n')
        .execute()
    ).map(({ message }) => message),
  );

const loadWaiting = ({ ground: fixture, tenant }: SessionBench, session: string) =>
  fixture.context.store.tenant(tenant, async ({ sql }) => {
    const { progress } = await sql
      .selectFrom('backup_session')
      .select('progress')
      .where('tenant_id', '=', tenant)
      .where('id', '=', session)
      .executeTakeFirstOrThrow();
    return progress.waiting;
  });

/** Runs a session as often as it asks for. */
async function runToEnd(bench: SessionBench, session: string): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const next = await bench.run(session);
    if (next === null) return runs;
    bench.ground.pass(Math.max(1, next - bench.ground.context.clock.now()));
    expect(runs).toBeLessThan(20);
  }
}
/** Runs a session some minutes later. */
function after(
  bench: SessionBench,
  session: string,
  place: Parameters<SessionBench['run']>[1],
  minutes: number,
) {
  bench.ground.pass(minutes * MINUTE);
  return bench.run(session, place);
}
async function backUp(bench: SessionBench, job: string, reason: 'manual' | 'schedule' = 'manual') {
  bench.ground.pass(MINUTE);
  const session = (await bench.start(job, reason)) ?? '';
  await runToEnd(bench, session);
  const point = (await loadPoints(bench)).find(({ session_id }) => session_id === session);
  return { session, point };
}

eachDatabase((name, open) => {
  test(`ENG-2, SUITE-1: a session makes a restore point with what the tenant has, and says so in its log (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    const job = await bench.addJob();
    const { session, point } = await backUp(bench, job);
    expect(point).toMatchObject({ complete: true, result: 'success', changes: 18, lacks: [] });
    expect(await loadCopies(bench, point?.id ?? '')).toEqual(copiesNow(objects));
    const row = await bench.job(job);
    expect(row).toMatchObject({ running: null, lastPointAt: expect.any(Number) as number });
    expect(row.recent[0]).toMatchObject({
      id: session,
      result: 'success',
      // Bob has no drive, and so lacks nothing.
      counts: { objects: 6, succeeded: 6, warned: 0, failed: 0 },
      point: point?.id,
    });
    expect((await loadLog(bench, session)).slice(0, 2)).toEqual([
      'The session started.',
      '6 objects to back up.',
    ]);
    expect(await loadLog(bench, session)).toContain('Person bob (mailbox): 6 changes.');

    objects[0]?.putItem('new', 'sub', 'new mail');
    objects[0]?.removeItem('i0');
    const before = bench.files.size;
    const second = await backUp(bench, job);
    expect(second.point).toMatchObject({ changes: 2 });
    expect(bench.files.size).toBeGreaterThan(before);
    expect(await loadCopies(bench, second.point?.id ?? '')).toEqual(copiesNow(objects));
  });

  test(`ENG-84: a file has the size of its content, also one that is listed with another and moved later (${name})`, async () => {
    const drive = memoryObject('drive', 'ann');
    drive.putFolder('top', null);
    drive.putFolder('other', null);
    drive.putItem('notebook', 'top', 'much more than listed');
    drive.trouble.listedBytes = 3;
    const bench = await makeSessionBench(await open(), [drive]);
    const job = await bench.addJob();
    for (const folder of ['top', 'other']) {
      drive.moveItem('notebook', folder);
      const { point } = await backUp(bench, job);
      const items = await bench.ground.context.store.tenant(bench.tenant, ({ sql }) =>
        sql
          .selectFrom('item')
          .select(['folder_key', 'bytes'])
          .where('tenant_id', '=', bench.tenant)
          .where('to_point', 'is', null)
          .execute(),
      );
      expect([point?.complete, items]).toEqual([true, [{ folder_key: folder, bytes: 21 }]]);
    }
  });

  test(`ENG-30: a snapshot has readable names, and all that the index knows (${name})`, async () => {
    const objects = makeObjects();
    for (let n = 0; n < 300; n += 1)
      objects[2]?.putItem(`many${n}`, 'top', `mail ${n}`, Date.UTC(2020 + (n % 4), n % 12));
    const bench = await makeSessionBench(await open(), objects);
    const { point } = await backUp(bench, await bench.addJob());
    const repository = await bench.open();
    const [snapshot] = getValue(await repository.listSnapshots());
    expect(snapshot?.id).toBe(point?.snapshot);
    const { files, lines, largest } = await loadFiles(repository, snapshot?.tree ?? '');
    await repository.close();
    expect(largest).toBeLessThanOrEqual(256);
    expect(files.get('/users/ann@example.com/onedrive/Inbox/Projects/Item i1')).toBe(
      'content 1 of Person ann',
    );
    expect(
      [...files.keys()].filter((path) =>
        path.startsWith('/users/bob@example.com/mailbox/Inbox/2021/'),
      ),
    ).toHaveLength(75);
    expect(files.size).toBe(318);
    const known = lines.map(
      (line) => JSON.parse(line) as { item?: { key: string; title: string; parts: unknown[] } },
    );
    expect(known.filter(({ item }) => item !== undefined)).toHaveLength(318);
    expect(known.filter(({ item }) => item?.key === 'many7')[0]?.item).toMatchObject({
      title: 'Item many7',
      people: 'ann@example.com',
    });
  });

  test(`ENG-6: an object fails alone, the point states what it lacks, and the next session has it (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    const job = await bench.addJob();
    const bob = objects[2] as MemoryObject;
    bob.trouble.cutAfter = 1;
    const first = await backUp(bench, job);
    expect(first.point).toMatchObject({ result: 'warning', lacks: ['Person bob'] });
    expect((await bench.job(job)).recent[0]).toMatchObject({
      result: 'warning',
      message: '1 of 6 objects failed.',
    });
    expect(await loadLog(bench, first.session)).toContain(
      'Person bob (mailbox): The tenant does not answer.',
    );
    bob.trouble.cutAfter = null;
    bob.trouble.unreadable.add('i3');
    const second = await backUp(bench, job);
    expect(second.point).toMatchObject({ result: 'warning', lacks: [] });
    bob.trouble.unreadable.clear();
    const third = await backUp(bench, job);
    expect(third.point).toMatchObject({ result: 'success' });
    expect(await loadCopies(bench, third.point?.id ?? '')).toEqual(copiesNow(objects));
  });

  test(`PLAN-2, PLAN-3: a session that a person stops ends with what it has, and two of a job don't overlap (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    const job = await bench.addJob();
    const session = (await bench.start(job)) ?? '';
    expect(await bench.start(job)).toBeNull();
    let pages = 0;
    for (const memory of objects)
      memory.trouble.onPage = async () => {
        pages += 1;
        if (pages === 5) expect(await bench.stop(job)).toBe(true);
      };
    await runToEnd(bench, session);
    expect(await bench.stop(job)).toBe(false);
    expect((await bench.job(job)).recent[0]).toMatchObject({
      result: 'cancelled',
      message: 'The session was stopped.',
    });
    const [point] = await loadPoints(bench);
    expect(point?.lacks.length ?? 1).toBeGreaterThan(0);
    for (const memory of objects) memory.trouble.onPage = null;
    const next = await backUp(bench, job);
    expect(await loadCopies(bench, next.point?.id ?? '')).toEqual(copiesNow(objects));
  });

  test(`ENG-2, ENG-9, PLAN-2: outside the open hours of its job a session waits and holds nothing (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    // 2026-03-02 is a Monday; the test begins at 07:30.
    const hours = Array.from({ length: 168 }, (_, hour) => (hour === 24 + 9 ? '1' : '0')).join('');
    const job = await bench.addJob({
      schedulePolicy: {
        schedule: { type: 'Disabled' },
        backupWindow: hours,
        retryNumber: 0,
        retryWaitInterval: 10,
      },
    });
    const session = (await bench.start(job)) ?? '';
    const next = await bench.run(session);
    expect(next).toBe(Date.parse('2026-03-02T09:00:00Z'));
    expect(await loadLog(bench, session)).toContain(
      'The session pauses until the backup window opens.',
    );
    expect(await loadWaiting(bench, session)).toEqual({
      until: next,
      reason: 'The session pauses until the backup window opens.',
    });
    bench.ground.pass((next ?? 0) - bench.ground.context.clock.now());
    // Its repository is cleaned up for a while.
    const repositoryFailure = {
      kind: 'busy',
      message: 'It is cleaned up.',
      waitMs: 20 * MINUTE,
    } as const;
    expect(await bench.run(session, { repositoryFailure })).not.toBeNull();
    bench.ground.pass(20 * MINUTE);
    expect(await bench.run(session)).toBeNull();
    // The point has what the cloud has then, and is dated so.
    const at = Date.parse('2026-03-02T09:20:00Z');
    expect(await loadPoints(bench)).toMatchObject([{ complete: true, at }]);
  });

  test(`ENG-9: a session shows until when it waits and why, while a request waits and while nobody works on it (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects);
    const session = (await bench.start(await bench.addJob())) ?? '';
    const failure = {
      kind: 'busy',
      message: 'Microsoft 365 asks to wait.',
      waitMs: 4 * MINUTE,
    } as const;
    for (let times = 0; times < 2; times += 1) {
      const until = bench.ground.context.clock.now() + 4 * MINUTE;
      expect(await bench.run(session, { failure })).toBe(until);
      expect(await loadWaiting(bench, session)).toMatchObject({ until });
      bench.ground.pass(4 * MINUTE);
    }
    const lines = await loadLog(bench, session);
    expect(lines.join('\n').split('Microsoft 365 asks to wait.')).toHaveLength(2);

    const until = bench.ground.context.clock.now() + 5 * MINUTE;
    const seen: unknown[] = [];
    const [ann] = objects;
    if (ann === undefined) throw new Error('no object');
    ann.trouble.onPage = async (call) => {
      ann.trouble.onPage = null;
      call?.onWaiting({ until, reason: 'Slow down.' });
      call?.onWaiting({ until: until - MINUTE, reason: 'Slow down a bit.' });
      await expect.poll(() => loadWaiting(bench, session)).toEqual({ until, reason: 'Slow down.' });
      call?.onWaiting(null);
      seen.push(await loadWaiting(bench, session));
      call?.onWaiting(null);
      await expect.poll(() => loadWaiting(bench, session)).toBeNull();
    };
    await runToEnd(bench, session);
    expect(seen).toEqual([{ until, reason: 'Slow down.' }]);
    expect(await loadLog(bench, session)).toContain('Waiting 5 minutes. Slow down.');
  });

  test(`ENG-85: a long session outlasts interruptions, and what it backed up is in its point when it fails after an hour without an answer (${name})`, async () => {
    const down = { kind: 'unreachable', message: 'No answer.' } as const;
    const store = await open();
    /** A session that has read all but one mailbox, three hours after its start. */
    const begin = async () => {
      const objects = makeObjects();
      const bench = await makeSessionBench(store, objects);
      const job = await bench.addJob();
      const session = (await bench.start(job)) ?? '';
      const bob = objects[2] as MemoryObject;
      bob.trouble.cutAfter = 1;
      expect(await bench.run(session)).toBeGreaterThan(0);
      bench.ground.pass(180 * MINUTE);
      return { objects, bench, job, session, bob };
    };
    const long = await begin();
    for (const place of [{ failure: down }, { repositoryFailure: down }]) {
      expect(await long.bench.run(long.session, place)).toBeGreaterThan(0);
      // It goes on in between.
      expect(await after(long.bench, long.session, {}, 25)).toBeGreaterThan(0);
    }
    expect(await after(long.bench, long.session, { failure: down }, 25)).toBeGreaterThan(0);
    long.bob.trouble.cutAfter = null;
    await runToEnd(long.bench, long.session);
    const [complete] = await loadPoints(long.bench);
    expect(complete).toMatchObject({ complete: true, result: 'success' });
    expect(await loadCopies(long.bench, complete?.id ?? '')).toEqual(copiesNow(long.objects));

    const lost = await begin();
    for (let minutes = 0; minutes <= 40; minutes += 20)
      expect(await after(lost.bench, lost.session, { failure: down }, 20)).toBeGreaterThan(0);
    expect(await after(lost.bench, lost.session, { failure: down }, 20)).toBeNull();
    const [partial] = await loadPoints(lost.bench);
    expect(partial).toMatchObject({ complete: true, result: 'warning', lacks: ['Person bob'] });
    const { 'mailbox bob': _, ...read } = copiesNow(lost.objects);
    expect(await loadCopies(lost.bench, partial?.id ?? '')).toEqual(read);
    expect((await lost.bench.job(lost.job)).recent[0]).toMatchObject({
      result: 'failed',
      message: "The organization couldn't be read. No answer.",
      point: partial?.id,
    });

    // Without its repository, it waits for a day: else what it has would have no point.
    const unsaved = await begin();
    for (let minutes = 0; minutes <= 100; minutes += 20)
      expect(
        await after(unsaved.bench, unsaved.session, { repositoryFailure: down }, 20),
      ).toBeGreaterThan(0);
    unsaved.bob.trouble.cutAfter = null;
    await runToEnd(unsaved.bench, unsaved.session);
    expect(await loadPoints(unsaved.bench)).toMatchObject([{ complete: true, result: 'success' }]);

    // One that could not begin has nothing to save.
    const bench = await makeSessionBench(store, makeObjects());
    const job = await bench.addJob();
    const session = (await bench.start(job)) ?? '';
    for (let minutes = 0; minutes <= 40; minutes += 20)
      expect(await after(bench, session, { repositoryFailure: down }, 20)).toBeGreaterThan(0);
    expect(await after(bench, session, { repositoryFailure: down }, 20)).toBeNull();
    expect((await bench.job(job)).recent[0]).toMatchObject({ result: 'failed', point: null });
    expect(await loadPoints(bench)).toEqual([]);
  });

  test(`ENG-31: a job backs up whom it selects, also through groups, without whom it excludes (${name})`, async () => {
    const objects = makeObjects();
    const bench = await makeSessionBench(await open(), objects, { crew: ['ann', 'bob'] });
    const job = await bench.addJob({
      backupType: 'SelectedItems',
      selectedItems: [{ type: 'Group', id: 'crew', parts: ['mailbox', 'oneDrive', 'members'] }],
      excludedItems: [{ type: 'User', id: 'ann', parts: ['mailbox'] }],
    });
    const { point } = await backUp(bench, job);
    expect(Object.keys(await loadCopies(bench, point?.id ?? '')).sort()).toEqual([
      'drive ann',
      'mailbox bob',
    ]);
  });
});

eachDatabase((name, open) => {
  test(`ENG-56: a session whose database fails once, at any statement, goes on within two minutes (${name})`, async () => {
    const store = await open();
    let failures = 0;
    // PGlite takes six times as long.
    const step = name === 'pglite' ? 5 : 1;
    for (let failAt = 1; failures * step === failAt - 1; failAt += step) {
      const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
      for (const memory of objects) {
        memory.putFolder('top', null);
        memory.putItem('i1', 'top', 'content');
      }
      const bench = await makeSessionBench(store, objects);
      let count = 0;
      const broken: Store = {
        ...store,
        tenant: (tenant, work, how) => {
          count += 1;
          if (count !== failAt) return store.tenant(tenant, work, how);
          failures += 1;
          return Promise.reject(new Error('The connection was lost.'));
        },
      };
      const session = (await bench.start(await bench.addJob())) ?? '';
      const startedAt = bench.ground.context.clock.now();
      for (;;) {
        const now = bench.ground.context.clock.now();
        const next = await bench.run(session, { store: broken }).catch(() => now + 1_000);
        if (next === null) break;
        bench.ground.pass(Math.max(1, next - now));
        expect({ failAt, waited: next - startedAt }).toEqual({
          failAt,
          waited: expect.toSatisfy((waited: Ms) => waited <= 2 * MINUTE),
        });
      }
      const [point] = await loadPoints(bench);
      expect({ failAt, copies: await loadCopies(bench, point?.id ?? '') }).toEqual({
        failAt,
        copies: copiesNow(objects),
      });
    }
    expect(failures * step).toBeGreaterThan(10);
  });

  test(`ENG-2, ENG-3, ENG-32: a session that is killed at any write ends with the same index and content as one that isn't (${name})`, async () => {
    const store = await open();
    const seeds = (name === 'pglite' ? 3 : 8) * PROOF;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = makeRandom(seed);
      const objects = [memoryObject('mailbox', 'ann', 2), memoryObject('drive', 'bob', 2)];
      for (const memory of objects) memory.putFolder('top', null);
      const bench = await makeSessionBench(store, objects);
      const job = await bench.addJob();
      const change = (): void => {
        for (const memory of objects)
          for (let times = random(6); times > 0; times -= 1) {
            const key = `i${random(8)}`;
            if (random(4) === 0) memory.removeItem(key);
            else memory.putItem(key, 'top', `content ${random(50)}`);
          }
      };
      for (let sessions = 0; sessions < 3; sessions += 1) {
        change();
        bench.ground.pass(MINUTE);
        const session = (await bench.start(job)) ?? '';
        const kill = makeKilled(
          bench,
          1 + random(sessions === 0 ? 30 : 20),
          random(2) === 0 ? 'before' : 'after',
        );
        await bench.run(session, kill).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Killed);
        });
        const wait: Ms = 5 * MINUTE;
        bench.ground.pass(wait);
        await runToEnd(bench, session);
        const point = (await loadPoints(bench)).find(({ session_id }) => session_id === session);
        expect({
          seed,
          complete: point?.complete,
          copies: await loadCopies(bench, point?.id ?? ''),
        }).toEqual({
          seed,
          complete: true,
          copies: copiesNow(objects),
        });
      }
      const repository = await bench.open();
      const snapshots = getValue(await repository.listSnapshots());
      expect({ seed, snapshots: snapshots.map(({ id }) => id).sort() }).toEqual({
        seed,
        snapshots: (await loadPoints(bench)).map(({ snapshot }) => snapshot ?? '').sort(),
      });
      expect(getValue(await repository.check({ readData: true })).problems).toEqual([]);
      await repository.close();
    }
  });
});
