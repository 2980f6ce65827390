import { type KyselyPlugin, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { JobHandlers } from '#server/platform/jobs/job-types.ts';
import { makeJobRunner, retryWait } from '#server/platform/jobs/runner.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Presence } from '#server/platform/db/presence.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { type Fixture, provider } from '../http/fixtures.ts';
import {
  DAY,
  manualClock,
  MINUTE,
  noJobs,
  putJob,
  RECURRING,
  storedJobs,
  whileRunning,
  withoutJobs,
} from './fixtures.ts';

test('JOB-5: a failed job waits for twice as long after each failure, up to a limit, plus or minus half of it', () => {
  const retry = { firstMs: 10_000, longestMs: 600_000 };
  const middle = 127.5;
  expect([1, 2, 3, 6, 7, 1_000].map((attempts) => retryWait(retry, attempts, middle))).toEqual([
    10_000, 20_000, 40_000, 320_000, 600_000, 600_000,
  ]);
  expect([0, 255].map((random) => retryWait(retry, 1, random))).toEqual([5_000, 15_000]);
});

const never = (): Promise<number> => new Promise(() => undefined);

eachDatabase((name, open) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await withoutJobs(open);
    ({ store } = fixture.context);
  });

  const now = (): number => fixture.context.clock.now();
  const uuid = (): string => fixture.context.chance.uuid();

  test(`JOB-1: a look at a thousand providers with none due is one query (${name})`, async () => {
    await store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at)
        select p.id, t.type, '', ${now() + MINUTE} from (select gen_random_uuid() as id from generate_series(1, 1000)) as p cross join unnest(${`{${RECURRING.join(',')}}`}::text[]) as t(type)`.execute(
        db,
      ),
    );
    let queries = 0;
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        queries += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const counted: Store = {
      ...store,
      system: (work) => store.system((db) => work(db.withPlugin(counting))),
      tenant: () => Promise.reject(new Error('A provider was walked to.')),
      tenants: () => Promise.reject(new Error('The providers were listed.')),
    };
    const ran: string[] = [];
    const handlers = Object.fromEntries(
      RECURRING.map((type) => [
        type,
        ({ tenant }: { readonly tenant: string }) => {
          ran.push(tenant);
          return Promise.resolve(null);
        },
      ]),
    ) as Partial<JobHandlers>;
    const runner = makeJobRunner({ ...fixture.context, store: counted }, handlers);
    await runner.tick();
    expect([queries, ran]).toEqual([1, []]);
    // Those of one provider are due.
    await store.system((db) =>
      sql`update background_job set due_at = ${now()} where tenant_id = (select min(tenant_id::text)::uuid from background_job)`.execute(
        db,
      ),
    );
    await runner.tick();
    expect([ran.length, new Set(ran).size]).toEqual([20, 1]);
  });

  test(`JOB-2: several runners on one database never run a job at the same time, and each due time once (${name})`, async () => {
    const tenants = [uuid(), uuid(), uuid()];
    const keys = Array.from({ length: 30 }, (_, n) => `message-${n}`);
    for (const [n, key] of keys.entries())
      await putJob(store, tenants[n % 3] ?? '', 'mail', now(), key);
    const inside = new Set<string>();
    const overlaps: string[] = [];
    const runs: Record<string, number> = {};
    const runners = Array.from({ length: 3 }, () =>
      makeJobRunner(fixture.context, {
        mail: async ({ payload: { message } }) => {
          if (inside.has(message)) overlaps.push(message);
          inside.add(message);
          await store.system((db) => sql`select pg_sleep(0.002)`.execute(db));
          inside.delete(message);
          runs[message] = (runs[message] ?? 0) + 1;
          return now() + 1_000;
        },
      }),
    );
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(runners.map((runner) => runner.tick()));
      expect([overlaps, runs]).toEqual([[], Object.fromEntries(keys.map((key) => [key, round]))]);
      fixture.pass(1_000);
    }
  });

  test(`JOB-3: the job of a server that died runs once more after its lease ended, and the lease of a living one goes on (${name})`, async () => {
    const tenant = uuid();
    await putJob(store, tenant, 'sla-alarms', now());
    let begun = 0;
    const dead = makeJobRunner(fixture.context, {
      'sla-alarms': () => {
        begun += 1;
        return new Promise(() => undefined);
      },
    });
    // Nobody hears of what a dead process still tries.
    dead.tick().catch(() => undefined);
    await expect.poll(() => begun).toBe(1);
    let ran = 0;
    const other = makeJobRunner(fixture.context, {
      'sla-alarms': () => {
        ran += 1;
        return Promise.resolve(now() + 5 * MINUTE);
      },
    });
    await other.tick();
    fixture.pass(5 * MINUTE);
    await other.tick();
    expect(ran).toBe(0);
    fixture.pass(2 * MINUTE);
    await other.tick();
    await other.tick();
    expect([ran, await storedJobs(store)]).toMatchObject([
      1,
      [{ lease_owner: null, due_at: now() + 5 * MINUTE }],
    ]);
  });

  // The embedded database has one server.
  test.runIf(name === 'postgres')(
    'JOB-3: the jobs of a server whose process ended are taken over within seconds, and those of a living one are not',
    async () => {
      const [first, second] = [uuid(), uuid()];
      await putJob(store, first, 'sla-alarms', now());
      await putJob(store, second, 'reports', now());
      const clock = manualClock(fixture);
      const presences: (Presence & { readonly looks: number })[] = [];
      const countLooks = () => presences.slice(1).map(({ looks }) => looks);
      const announcing: Store = {
        ...store,
        announce(owner) {
          const presence = store.announce(owner);
          const shown = { ...presence, looks: 0 };
          presences.push(shown);
          return Object.assign(shown, {
            readBeats: async (owners: readonly string[]) => {
              const marks = await presence.readBeats(owners);
              shown.looks += 1;
              return marks;
            },
          });
        },
      };
      const context = { ...fixture.context, clock, store: announcing };
      const begun: string[] = [];
      const other = makeJobRunner(context, {
        'sla-alarms': () => {
          begun.push('taken over');
          return Promise.resolve(now() + DAY);
        },
        'reports': () => Promise.reject(new Error('It was taken from a living server.')),
      });
      const [dead, living] = [
        makeJobRunner(context, { 'sla-alarms': () => (begun.push('dead'), never()) }),
        makeJobRunner(context, { reports: () => (begun.push('living'), never()) }),
      ];
      dead.start();
      living.start();
      try {
        await expect.poll(() => (clock.fire(), begun.toSorted())).toEqual(['dead', 'living']);
        // PostgreSQL ends the connection of a process that ended.
        await presences[0]?.end();
        await whileRunning(other, async () => {
          await expect.poll(() => countLooks().every((looks) => looks > 0)).toBe(true);
          // Within 15 seconds: a heartbeat and a look every 1.5.
          for (let n = 0; n < 8; n += 1) {
            const before = countLooks();
            fixture.pass(1_500);
            await expect
              .poll(
                () => (clock.fire(), countLooks().every((looks, at) => looks > (before[at] ?? 0))),
              )
              .toBe(true);
          }
          await expect.poll(() => (clock.fire(), begun)).toContain('taken over');
          expect((await storedJobs(store)).find(({ type }) => type === 'reports')).toMatchObject({
            lease_owner: expect.any(String),
            attempts: 1,
          });
        });
      } finally {
        clock.release();
        await Promise.all([dead.stop(), living.stop()]);
      }
    },
  );

  test(`JOB-3: a server that works for long keeps its job (${name})`, async () => {
    await putJob(store, uuid(), 'reports', now());
    const clock = manualClock(fixture);
    let begun = 0;
    const finish = Promise.withResolvers<void>();
    const runner = makeJobRunner(
      { ...fixture.context, clock },
      {
        reports: async () => {
          begun += 1;
          await finish.promise;
          return now() + DAY;
        },
      },
    );
    const other = makeJobRunner(fixture.context, {
      reports: () => Promise.reject(new Error('It was taken from a living server.')),
    });
    await whileRunning(
      runner,
      async () => {
        await expect.poll(() => (clock.fire(), begun)).toBe(1);
        for (let n = 0; n < 15; n += 1) {
          const until = now() + MINUTE;
          fixture.pass(MINUTE);
          await expect
            .poll(async () => (clock.fire(), (await storedJobs(store))[0]?.lease_until))
            .toBeGreaterThan(until + MINUTE);
          await other.tick();
        }
        finish.resolve();
        await expect
          .poll(async () => (clock.fire(), (await storedJobs(store))[0]?.due_at))
          .toBe(now() + DAY);
      },
      () => {
        clock.release();
        finish.resolve();
      },
    );
    expect(begun).toBe(1);
  });

  test(`JOB-8: a job that is due again runs again, also if a look comes between its end and the news of it (${name})`, async () => {
    const tenant = uuid();
    await putJob(store, tenant, 'mail', now(), 'm');
    const [ended, looked, news] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let isEnding = false;
    let ran = 0;
    const slow: Store = {
      ...store,
      async system(work) {
        const isEnd = isEnding;
        isEnding = false;
        const value = await store.system(work);
        if (isEnd) {
          ended?.resolve();
          await news?.promise;
        } else if (ran > 0) looked?.resolve();
        return value;
      },
    };
    const runner = makeJobRunner(
      { ...fixture.context, store: slow },
      {
        mail: () => {
          ran += 1;
          isEnding = ran === 1;
          return Promise.resolve(ran === 1 ? now() : null);
        },
      },
    );
    const first = runner.tick();
    await ended?.promise;
    fixture.pass(1);
    const second = runner.tick();
    await looked?.promise;
    news?.resolve();
    await Promise.all([first, second]);
    expect([ran, await storedJobs(store)]).toEqual([2, []]);
  });

  test(`JOB-4: addresses of one provider that hang delay no other provider (${name})`, async () => {
    const [slow, ...others] = Array.from({ length: 12 }, uuid);
    const ran: string[] = [];
    const hanging = Promise.withResolvers<void>();
    const work = async (tenant: string): Promise<null> => {
      if (tenant === slow) await hanging.promise;
      ran.push(tenant);
      return null;
    };
    await putJob(store, slow ?? '', 'webhooks', now() - 1);
    for (let n = 0; n < 60; n += 1) await putJob(store, slow ?? '', 'mail', now() - 1, `slow-${n}`);
    for (const tenant of others) {
      await putJob(store, tenant, 'webhooks', now());
      await putJob(store, tenant, 'mail', now(), `to-${tenant}`);
    }
    const runner = makeJobRunner(fixture.context, {
      webhooks: ({ tenant }) => work(tenant),
      mail: ({ tenant }) => work(tenant),
    });
    await whileRunning(
      runner,
      async () => {
        await expect.poll(() => ran.length, { timeout: 60_000 }).toBe(22);
        expect(new Set(ran)).toEqual(new Set(others));
        hanging.resolve();
        await expect.poll(() => ran.length, { timeout: 60_000 }).toBe(22 + 61);
      },
      () => {
        hanging.resolve();
      },
    );
  });

  test(`JOB-5: a job that fails says so and waits, and the others go on (${name})`, async () => {
    const [bad, good] = [uuid(), uuid()];
    await putJob(store, bad, 'sla-alarms', now());
    await putJob(store, good, 'sla-alarms', now() + 1);
    const ran: string[] = [];
    let broken = true;
    const context: AppContext = {
      ...fixture.context,
      chance: { ...fixture.context.chance, bytes: (count) => new Uint8Array(count).fill(255) },
    };
    const runner = makeJobRunner(context, {
      'sla-alarms': ({ tenant }) => {
        ran.push(tenant);
        return tenant === bad && broken
          ? Promise.reject(new Error('The alarm has no window.'))
          : Promise.resolve(now() + 5 * MINUTE);
      },
    });
    fixture.pass(1);
    await runner.tick();
    expect(new Set(ran)).toEqual(new Set([bad, good]));
    const ofBad = async () => (await storedJobs(store)).find(({ tenant_id }) => tenant_id === bad);
    expect(await ofBad()).toMatchObject({
      attempts: 1,
      last_error: 'The alarm has no window.',
      due_at: now() + 15_000,
      lease_owner: null,
    });
    expect(fixture.lines.join('\n')).toMatch(
      /the SLA alarms could not be evaluated.*"attempts":1.*The alarm has no window/,
    );
    fixture.pass(14_999);
    await runner.tick();
    expect(ran.length).toBe(2);
    fixture.pass(1);
    await runner.tick();
    expect(await ofBad()).toMatchObject({ attempts: 2, due_at: now() + 30_000 });
    broken = false;
    fixture.pass(30_000);
    await runner.tick();
    expect([ran.filter((tenant) => tenant === bad).length, await ofBad()]).toMatchObject([
      3,
      { attempts: 0, last_error: null, due_at: now() + 5 * MINUTE },
    ]);
  });

  test(`JOB-5: a job that doesn't end in its time is given up, and a payload of another form fails (${name})`, async () => {
    const tenant = uuid();
    await putJob(store, tenant, 'tickets', now());
    await store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at, payload) values (${tenant}, 'mail', 'm', ${now()}, '{"message":7}')`.execute(
        db,
      ),
    );
    const context: AppContext = {
      ...fixture.context,
      clock: {
        ...fixture.context.clock,
        after: (_ms, work) => fixture.context.clock.after(1, work),
      },
    };
    let isAborted = false;
    const runner = makeJobRunner(context, {
      tickets: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            isAborted = true;
          });
        }),
      mail: () => Promise.resolve(null),
    });
    await runner.tick();
    expect(isAborted).toBe(true);
    expect(await storedJobs(store)).toMatchObject([
      { type: 'mail', attempts: 1, last_error: expect.stringMatching(/string.*7/i) as unknown },
      { type: 'tickets', attempts: 1, last_error: "It didn't end within 600000 ms." },
    ]);
  });

  test(`JOB-6: a new provider has every recurring job, and one from before gets them at the next start (${name})`, async () => {
    const { tenant } = await provider(fixture);
    const types = async (): Promise<readonly string[]> =>
      (await storedJobs(store)).filter((job) => job.tenant_id === tenant).map(({ type }) => type);
    expect(await types()).toEqual(RECURRING);
    await noJobs(store);
    const handlers = Object.fromEntries(
      RECURRING.map((type) => [type, () => Promise.resolve(now() + DAY)]),
    ) as Partial<JobHandlers>;
    await whileRunning(makeJobRunner(fixture.context, handlers), async () => {
      await expect.poll(types).toEqual(RECURRING);
    });
  });

  test(`JOB-6: what was due while no server ran is done at the start (${name})`, async () => {
    const { tenant } = await provider(fixture);
    await noJobs(store);
    await putJob(store, tenant, 'sla-alarms', now() + MINUTE);
    fixture.pass(3 * DAY);
    const ran: number[] = [];
    const runner = makeJobRunner(fixture.context, {
      'sla-alarms': ({ tenant: one, now: at }) => {
        if (one === tenant) ran.push(at);
        return Promise.resolve(at + 5 * MINUTE);
      },
    });
    await whileRunning(runner, async () => {
      await expect.poll(() => ran).toEqual([now()]);
    });
  });
});
