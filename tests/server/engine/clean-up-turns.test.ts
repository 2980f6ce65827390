import { expect, test } from 'vitest';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { repositoryVerification } from '#server/engine/embedded/repositories/verify-job.ts';
import { sessionMessages } from '#server/engine/shared/sessions.messages.en.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { memoryObject } from './memory-source.ts';
import { getValue, makeMemoryTarget, PASSWORD } from './restic/fixtures.ts';
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

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A repository in which the oldest of two restore points has expired. */
async function makeDue(store: Store) {
  const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'ann')];
  for (const [n, object] of objects.entries()) {
    object.putFolder('inbox', null);
    object.putItem(`item ${n}`, 'inbox', `content ${n}`);
  }
  const bench = await makeSessionBench(store, objects);
  await createRepositoryRow(bench);
  const job = await bench.addJob();
  const expired = await backUp(bench, job);
  bench.ground.pass(400 * DAY);
  objects[0]?.putItem('newer', 'inbox', 'newer content');
  await backUp(bench, job);
  const isCleaned = async (): Promise<boolean> =>
    (await loadPoints(bench)).every(({ id }) => id !== expired);
  return { bench, job, isCleaned };
}

const now = ({ ground: fixture }: SessionBench): number => fixture.context.clock.now();

/** A job whose next session begins as soon as the last has ended, and that has the repository for a while. */
function makeContinuousJob(bench: SessionBench, job: string, lastsMs: number) {
  let session: string | null = null;
  let dueAt = now(bench);
  let work: { readonly endsAt: number; end(): Promise<void> } | null = null;
  let sessions = 0;
  async function begin(): Promise<void> {
    session ??= await bench.start(job, 'schedule');
    const ended = Promise.withResolvers<undefined>();
    const opened = Promise.withResolvers<'opened'>();
    const run = bench.run(session ?? '', {
      open: async () => {
        const repository = await bench.open();
        opened.resolve('opened');
        await ended.promise;
        return repository;
      },
    });
    const after = (next: number | null): void => {
      if (next === null) {
        session = null;
        sessions += 1;
      }
      dueAt = next ?? now(bench);
      work = null;
    };
    const first = await Promise.race([run, opened.promise]);
    if (first !== 'opened') return after(first);
    work = {
      endsAt: now(bench) + lastsMs,
      async end() {
        ended.resolve(undefined);
        after(await run);
      },
    };
  }
  return {
    countSessions: () => sessions,
    async tick(): Promise<void> {
      if (work !== null && now(bench) >= work.endsAt) await work.end();
      if (work === null && now(bench) >= dueAt) await begin();
    },
    end: async (): Promise<void> => work?.end(),
  };
}

const readLog = async ({ ground: { context }, tenant }: SessionBench, session: string) =>
  (
    await context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('backup_log')
        .select('message')
        .where('tenant_id', '=', tenant)
        .where('session_id', '=', session)
        .execute(),
    )
  ).map(({ message }) => message);

eachDatabase((name, open) => {
  test(`ENG-142: a daily clean-up has its turn between sessions without a gap, and they go on after it (${name})`, async () => {
    const { bench, isCleaned } = await makeDue(await open());
    const jobs = [
      makeContinuousJob(bench, await bench.addJob(), 10 * MINUTE),
      makeContinuousJob(bench, await bench.addJob(), 10 * MINUTE),
    ];
    const [first, second] = jobs;
    await first?.tick();
    let cleanUpAt = now(bench) + MINUTE;
    const startedAt = now(bench);
    let cleanedAt: number | null = null;
    let atCleanUp: number[] = [];
    for (let elapsed = 0; elapsed <= HOUR; elapsed += 10 * SECOND) {
      await first?.tick();
      if (elapsed >= 5 * MINUTE) await second?.tick();
      if (now(bench) >= cleanUpAt) {
        cleanUpAt = (await runCleanUp(bench)) ?? Infinity;
        if (cleanedAt === null && (await isCleaned())) {
          cleanedAt = now(bench);
          atCleanUp = jobs.map((job) => job.countSessions());
          expect(cleanUpAt).toBe(now(bench) + DAY);
        }
      }
      bench.ground.pass(10 * SECOND);
    }
    expect(cleanedAt).not.toBeNull();
    expect((cleanedAt ?? 0) - startedAt).toBeLessThan(12 * MINUTE);
    // In the rest of the hour, each had its usual sessions of ten minutes.
    for (const [n, job] of jobs.entries()) {
      expect(job.countSessions() - (atCleanUp[n] ?? 0)).toBeGreaterThanOrEqual(4);
      await job.end();
    }
    const last = (await loadPoints(bench)).findLast(({ complete }) => complete);
    expect(await loadCopies(bench, last?.id ?? '')).toEqual(copiesNow(bench.objects));
  });

  test(`ENG-142: a session that runs for hours pauses for a clean-up, and its work goes on where it was (${name})`, async () => {
    const { bench, job, isCleaned } = await makeDue(await open());
    const waiting = Promise.withResolvers<undefined>();
    const [mailbox, drive] = bench.objects;
    const last = memoryObject('mailbox', 'bea');
    last.putFolder('inbox', null);
    last.putItem('item', 'inbox', 'content');
    bench.objects.push(last);
    if (mailbox)
      mailbox.trouble.onPage = async () => {
        mailbox.trouble.onPage = null;
        for (let elapsed = 0; elapsed <= 16 * MINUTE; elapsed += 20 * SECOND) {
          expect(await runCleanUp(bench)).toBe(now(bench) + 20 * SECOND);
          if (elapsed < 16 * MINUTE) bench.ground.pass(20 * SECOND);
        }
        waiting.resolve(undefined);
      };
    if (drive) drive.trouble.onPage = () => waiting.promise;
    const session = (await bench.start(job)) ?? '';
    const paused = await bench.run(session);
    expect(paused).not.toBeNull();
    expect(await bench.run(session)).toBe(now(bench) + 20 * SECOND);
    expect(await readLog(bench, session)).toContain(sessionMessages.cleanUpFirst);
    expect(await runCleanUp(bench)).toBe(now(bench) + DAY);
    expect(await isCleaned()).toBe(true);
    let next = await bench.run(session);
    for (let runs = 0; next !== null && runs < 5; runs += 1) next = await bench.run(session);
    expect(next).toBeNull();
    const point = (await loadPoints(bench)).find(({ session_id: id }) => id === session);
    expect(point?.complete).toBe(true);
    expect(await loadCopies(bench, point?.id ?? '')).toEqual(copiesNow(bench.objects));
  });

  test(`ENG-142: a clean-up that is killed while it waits, or while it works, delays no session for more than two minutes (${name})`, async () => {
    const { bench, job } = await makeDue(await open());
    const other = await bench.open();
    expect(await runCleanUp(bench)).toBe(now(bench) + 20 * SECOND);
    await other.close();
    const session = (await bench.start(job)) ?? '';
    expect(await bench.run(session)).toBe(now(bench) + 20 * SECOND);
    // Nobody looks again.
    bench.ground.pass(2 * MINUTE);
    expect(await bench.run(session)).toBeNull();

    const second = await bench.open();
    await runCleanUp(bench);
    await second.close();
    const next = (await bench.start(job)) ?? '';
    const reached = Promise.withResolvers<undefined>();
    const memory = makeMemoryTarget(bench.files);
    // Its process dies before it lists the files, so without a lock.
    void runCleanUp(bench, {
      ...memory,
      list: (type) => {
        if (type !== 'locks') return memory.list(type);
        reached.resolve(undefined);
        return new Promise(() => undefined);
      },
    });
    await reached.promise;
    expect(await bench.run(next)).toBe(now(bench) + 20 * SECOND);
    bench.ground.pass(2 * MINUTE);
    expect(await bench.run(next)).toBeNull();
  });

  test(`ENG-142: sessions wait for a clean-up as long as it works, and no longer if it fails (${name})`, async () => {
    const { bench, job } = await makeDue(await open());
    const other = await bench.open();
    await runCleanUp(bench);
    await other.close();
    const session = (await bench.start(job)) ?? '';
    const memory = makeMemoryTarget(bench.files);
    const reached = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const renewals: (() => void)[] = [];
    const { clock, ...context } = withoutWaits(bench);
    const work = cleanUp(
      {
        ...context,
        clock: {
          ...clock,
          after(ms, renew) {
            if (ms <= SECOND) return clock.after(ms, renew);
            if (ms < MINUTE) renewals.push(renew);
            return { cancel: () => undefined };
          },
        },
      },
      async () => ({
        ok: true,
        value: {
          target: {
            ...memory,
            list: async (type) => {
              if (type !== 'index') return memory.list(type);
              reached.resolve(undefined);
              await goOn.promise;
              return { ok: false, error: { kind: 'unreachable', message: 'The disk is away.' } };
            },
          },
          password: PASSWORD,
        },
      }),
    )({
      tenant: bench.tenant,
      payload: { repository: bench.repository },
      now: now(bench),
      signal: new AbortController().signal,
    });
    await reached.promise;
    for (let elapsed = 0; elapsed < 5 * MINUTE; elapsed += 30 * SECOND) {
      expect(await bench.run(session)).toBe(now(bench) + 20 * SECOND);
      bench.ground.pass(30 * SECOND);
      const due = renewals.splice(0);
      expect(due).toHaveLength(1);
      for (const renew of due) renew();
      await expect
        .poll(async () => (await loadReserved(bench))?.until)
        .toBe(now(bench) + 2 * MINUTE);
    }
    goOn.resolve(undefined);
    await expect(work).rejects.toThrow('The disk is away.');
    expect(await bench.run(session)).toBeNull();
  });

  test(`ENG-142: backups come first again if something else uses the repository for an hour (${name})`, async () => {
    const { bench, job } = await makeDue(await open());
    const session = (await bench.start(job)) ?? '';
    // Another program that always has a lock: it takes the next before it gives the last up.
    let lock = await bench.open();
    let waitedMs = 0;
    let next: number | null = now(bench);
    for (; next !== null && waitedMs < DAY; waitedMs += 20 * SECOND) {
      if (waitedMs % (10 * MINUTE) === 0) {
        const last = lock;
        lock = await bench.open();
        await last.close();
      }
      await runCleanUp(bench);
      next = await bench.run(session);
      if (next !== null) bench.ground.pass(20 * SECOND);
    }
    expect(waitedMs).toBeGreaterThan(44 * MINUTE);
    expect(waitedMs).toBeLessThan(46 * MINUTE);
    // For three hours, nobody waits, however often the clean-up looks.
    expect(await runCleanUp(bench)).toBe(now(bench) + 10 * MINUTE);
    bench.ground.pass(HOUR);
    const last = lock;
    lock = await bench.open();
    await last.close();
    await runCleanUp(bench);
    const another = (await bench.start(job)) ?? '';
    expect(await bench.run(another)).toBeNull();
    await lock.close();
  });

  test(`ENG-142: a verification lets a clean-up that waits go first, and looks again soon (${name})`, async () => {
    const { bench, isCleaned } = await makeDue(await open());
    const other = await bench.open();
    await runCleanUp(bench);
    const verify = () =>
      repositoryVerification(bench.ground.context, {
        openRepository: async () => ({ ok: true, value: await bench.open() }),
      })({
        tenant: bench.tenant,
        payload: { repository: bench.repository },
        now: now(bench),
        signal: new AbortController().signal,
      });
    expect(await verify()).toBe(now(bench) + 20 * SECOND);
    await other.close();
    await runCleanUp(bench);
    expect(await isCleaned()).toBe(true);
    expect(await verify()).toBe(now(bench) + DAY);
    const opened = await bench.open();
    expect(getValue(await opened.check({ readData: true })).problems).toEqual([]);
    await opened.close();
  });
});

const loadReserved = async ({ ground: { context }, tenant }: SessionBench) =>
  (
    await context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('repository_access')
        .select('upkeep')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow(),
    )
  ).upkeep.reserved;
