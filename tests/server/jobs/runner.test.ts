import { type KyselyPlugin, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { JobHandlers } from '#server/platform/jobs/job-types.ts';
import { type JobRunner, makeJobRunner, retryWait } from '#server/platform/jobs/runner.ts';
import { scheduleJob, scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { byClock, jobDraft } from '../db/drafts.ts';
import { type Ground, makeGround, provider } from '../http/fixtures.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Every provider has these from its creation on. */
const RECURRING = [
  'day-totals',
  'directory-accounts',
  'invoices',
  'license-months',
  'missed-runs',
  'notifications',
  'push',
  'reports',
  'sla-alarms',
  'ticket-results',
  'tickets',
  'upkeep',
  'webhooks',
];

test('JOB-5: a failed job waits for twice as long after each failure, up to a limit, plus or minus half of it', () => {
  const retry = { firstMs: 10_000, longestMs: 600_000 };
  const middle = 127.5;
  expect([1, 2, 3, 6, 7, 1_000].map((attempts) => retryWait(retry, attempts, middle))).toEqual([
    10_000, 20_000, 40_000, 320_000, 600_000, 600_000,
  ]);
  expect([0, 255].map((random) => retryWait(retry, 1, random))).toEqual([5_000, 15_000]);
});

eachDatabase((name, open) => {
  let ground: Ground;
  let store: Store;
  beforeEach(async () => {
    store = await open();
    ground = await makeGround({}, store);
    await store.system((db) => sql`delete from background_job`.execute(db));
  });

  interface Stored {
    readonly tenant_id: string;
    readonly type: string;
    readonly key: string;
    readonly due_at: number | null;
    readonly lease_owner: string | null;
    readonly attempts: number;
    readonly last_error: string | null;
  }
  const stored = (): Promise<readonly Stored[]> =>
    store.system(
      async (db) =>
        (
          await sql<Stored>`select tenant_id, type, key, due_at, lease_owner, attempts, last_error from background_job order by type, tenant_id, key`.execute(
            db,
          )
        ).rows,
    );
  const put = (tenant: string, type: string, key: string, dueAt: number): Promise<unknown> =>
    store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at, payload) values (${tenant}, ${type}, ${key}, ${dueAt}, ${JSON.stringify(type === 'mail' ? { message: key } : null)})`.execute(
        db,
      ),
    );
  const now = (): number => ground.world.clock.now();
  const uuid = (): string => ground.world.chance.uuid();
  /** Ends with the work, whether the test succeeds or not. */
  async function running(
    runner: JobRunner,
    work: () => Promise<void>,
    end: () => void = () => undefined,
  ): Promise<void> {
    await runner.start();
    try {
      await work();
    } finally {
      end();
      await runner.stop();
    }
  }

  test(`JOB-1: a look at a thousand providers of which none is due is one query (${name})`, async () => {
    await store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at)
        select gen_random_uuid(), t.type, '', ${now() + MINUTE} from generate_series(1, 1000) cross join unnest(${`{${RECURRING.join(',')}}`}::text[]) as t(type)`.execute(
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
    const runner = makeJobRunner({ ...ground.world, store: counted }, handlers);
    await runner.tick();
    expect([queries, ran]).toEqual([1, []]);
    // Those of one provider are due.
    await store.system((db) =>
      sql`update background_job set due_at = ${now()} where tenant_id = (select min(tenant_id::text)::uuid from background_job)`.execute(
        db,
      ),
    );
    await runner.tick();
    expect([ran.length, new Set(ran).size]).toEqual([13, 1]);
  });

  test(`JOB-2: several runners on one database never run a job at the same time, and each due time once (${name})`, async () => {
    const tenants = [uuid(), uuid(), uuid()];
    const keys = Array.from({ length: 30 }, (_, n) => `message-${n}`);
    for (const [n, key] of keys.entries()) await put(tenants[n % 3] ?? '', 'mail', key, now());
    const inside = new Set<string>();
    const overlaps: string[] = [];
    const runs = new Map<string, number>();
    const runners = Array.from({ length: 3 }, () =>
      makeJobRunner(ground.world, {
        mail: async ({ payload: { message } }) => {
          if (inside.has(message)) overlaps.push(message);
          inside.add(message);
          await store.system((db) => sql`select pg_sleep(0.002)`.execute(db));
          inside.delete(message);
          runs.set(message, (runs.get(message) ?? 0) + 1);
          return now() + 1_000;
        },
      }),
    );
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(runners.map((runner) => runner.tick()));
      expect([overlaps, [...runs].sort()]).toEqual([[], keys.map((key) => [key, round]).sort()]);
      ground.pass(1_000);
    }
  });

  test(`JOB-3: the job of a server that died runs once more after its lease ended, and the lease of a living one goes on (${name})`, async () => {
    const tenant = uuid();
    await put(tenant, 'sla-alarms', '', now());
    let begun = 0;
    const dead = makeJobRunner(ground.world, {
      'sla-alarms': () => {
        begun += 1;
        return new Promise(() => undefined);
      },
    });
    void dead.tick();
    await expect.poll(() => begun).toBe(1);
    let ran = 0;
    const other = makeJobRunner(ground.world, {
      'sla-alarms': () => {
        ran += 1;
        return Promise.resolve(now() + DAY);
      },
    });
    await other.tick();
    ground.pass(5 * MINUTE);
    await other.tick();
    expect(ran).toBe(0);
    ground.pass(2 * MINUTE);
    await other.tick();
    await other.tick();
    expect([ran, await stored()]).toMatchObject([1, [{ lease_owner: null, due_at: now() + DAY }]]);
  });

  test(`JOB-3: a server that works for long keeps its job (${name})`, async () => {
    await put(uuid(), 'reports', '', now());
    const clock = manualClock(ground);
    let begun = 0;
    let finish: () => void = () => undefined;
    const runner = makeJobRunner(
      { ...ground.world, clock },
      {
        reports: () =>
          new Promise((resolve) => {
            begun += 1;
            finish = () => {
              resolve(now() + DAY);
            };
          }),
      },
    );
    const other = makeJobRunner(ground.world, {
      reports: () => Promise.reject(new Error('It was taken from a living server.')),
    });
    await running(
      runner,
      async () => {
        await expect.poll(() => (clock.fire(), begun)).toBe(1);
        for (let n = 0; n < 15; n += 1) {
          const until = now() + MINUTE;
          ground.pass(MINUTE);
          await expect
            .poll(async () => (clock.fire(), await leaseEnd()))
            .toBeGreaterThan(until + MINUTE);
          await other.tick();
        }
        finish();
        await expect
          .poll(async () => (clock.fire(), (await stored())[0]?.due_at))
          .toBe(now() + DAY);
      },
      () => {
        clock.release();
        finish();
      },
    );
    expect(begun).toBe(1);

    async function leaseEnd(): Promise<number> {
      const { rows } = await store.system((db) =>
        sql<{ lease_until: number }>`select lease_until from background_job`.execute(db),
      );
      return rows[0]?.lease_until ?? 0;
    }
  });

  test(`JOB-4: addresses of one provider that hang delay no other provider (${name})`, async () => {
    const [slow, ...others] = Array.from({ length: 12 }, uuid);
    const ran: string[] = [];
    let release: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    const work = async (tenant: string): Promise<null> => {
      if (tenant === slow) await hanging;
      ran.push(tenant);
      return null;
    };
    await put(slow ?? '', 'webhooks', '', now() - 1);
    for (let n = 0; n < 60; n += 1) await put(slow ?? '', 'mail', `slow-${n}`, now() - 1);
    for (const tenant of others) {
      await put(tenant, 'webhooks', '', now());
      await put(tenant, 'mail', `to-${tenant}`, now());
    }
    const runner = makeJobRunner(ground.world, {
      webhooks: ({ tenant }) => work(tenant),
      mail: ({ tenant }) => work(tenant),
    });
    await running(
      runner,
      async () => {
        await expect.poll(() => ran.length, { timeout: 15_000 }).toBe(22);
        expect(new Set(ran)).toEqual(new Set(others));
        release();
        await expect.poll(() => ran.length, { timeout: 15_000 }).toBe(22 + 61);
      },
      release,
    );
  });

  test(`JOB-5: a job that fails says so and waits, and the others go on (${name})`, async () => {
    const [bad, good] = [uuid(), uuid()];
    await put(bad, 'sla-alarms', '', now());
    await put(good, 'sla-alarms', '', now() + 1);
    const ran: string[] = [];
    let broken = true;
    const world: AppContext = {
      ...ground.world,
      chance: { ...ground.world.chance, bytes: (count) => new Uint8Array(count).fill(255) },
    };
    const runner = makeJobRunner(world, {
      'sla-alarms': ({ tenant }) => {
        ran.push(tenant);
        return tenant === bad && broken
          ? Promise.reject(new Error('The alarm has no window.'))
          : Promise.resolve(now() + 5 * MINUTE);
      },
    });
    ground.pass(1);
    await runner.tick();
    expect(new Set(ran)).toEqual(new Set([bad, good]));
    const ofBad = async () => (await stored()).find(({ tenant_id }) => tenant_id === bad);
    expect(await ofBad()).toMatchObject({
      attempts: 1,
      last_error: 'The alarm has no window.',
      due_at: now() + 15_000,
      lease_owner: null,
    });
    expect(ground.lines.join('\n')).toMatch(
      /the SLA alarms could not be evaluated.*"attempts":1.*The alarm has no window/,
    );
    ground.pass(14_999);
    await runner.tick();
    expect(ran.length).toBe(2);
    ground.pass(1);
    await runner.tick();
    expect(await ofBad()).toMatchObject({ attempts: 2, due_at: now() + 30_000 });
    broken = false;
    ground.pass(30_000);
    await runner.tick();
    expect([ran.filter((tenant) => tenant === bad).length, await ofBad()]).toMatchObject([
      3,
      { attempts: 0, last_error: null, due_at: now() + 5 * MINUTE },
    ]);
  });

  test(`JOB-5: a job that doesn't end in its time is given up, and a payload of another form fails (${name})`, async () => {
    const tenant = uuid();
    await put(tenant, 'tickets', '', now());
    await store.system((db) =>
      sql`insert into background_job (tenant_id, type, key, due_at, payload) values (${tenant}, 'mail', 'm', ${now()}, '{"message":7}')`.execute(
        db,
      ),
    );
    const world: AppContext = {
      ...ground.world,
      clock: { ...ground.world.clock, after: (_ms, work) => ground.world.clock.after(1, work) },
    };
    let isAborted = false;
    const runner = makeJobRunner(world, {
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
    expect(await stored()).toMatchObject([
      { type: 'mail', attempts: 1, last_error: expect.stringMatching(/string.*7/i) as unknown },
      { type: 'tickets', attempts: 1, last_error: "It didn't end within 600000 ms." },
    ]);
  });

  test(`JOB-6: a new provider has every recurring job, and one from before gets them at the next start (${name})`, async () => {
    const { tenant } = await provider(ground);
    const types = async (): Promise<readonly string[]> =>
      (await stored()).filter((job) => job.tenant_id === tenant).map(({ type }) => type);
    expect(await types()).toEqual(RECURRING);
    await store.system((db) => sql`delete from background_job`.execute(db));
    const handlers = Object.fromEntries(
      RECURRING.map((type) => [type, () => Promise.resolve(now() + DAY)]),
    ) as Partial<JobHandlers>;
    await running(makeJobRunner(ground.world, handlers), async () => {
      expect(await types()).toEqual(RECURRING);
    });
  });

  test(`JOB-6: what was due while no server ran is done at the start (${name})`, async () => {
    const { tenant } = await provider(ground);
    await store.system((db) => sql`delete from background_job`.execute(db));
    await put(tenant, 'sla-alarms', '', now() + MINUTE);
    ground.pass(3 * DAY);
    const ran: number[] = [];
    const runner = makeJobRunner(ground.world, {
      'sla-alarms': ({ now: at }) => {
        ran.push(at);
        return Promise.resolve(at + 5 * MINUTE);
      },
    });
    await running(runner, async () => {
      await expect.poll(() => ran).toEqual([now()]);
    });
  });

  test(`JOB-7: a clock that jumps forth and back stops no job and runs none twice for one due time (${name})`, async () => {
    const tenant = uuid();
    await put(tenant, 'sla-alarms', '', now());
    const ran: number[] = [];
    const runner = makeJobRunner(ground.world, {
      'sla-alarms': ({ now: at }) => {
        ran.push(at);
        return Promise.resolve(at + 5 * MINUTE);
      },
    });
    const begin = now();
    await runner.tick();
    ground.pass(40 * DAY);
    await runner.tick();
    ground.pass(-40 * DAY);
    await runner.tick();
    await runner.tick();
    ground.pass(5 * MINUTE);
    await runner.tick();
    expect(ran.map((at) => at - begin)).toEqual([0, 40 * DAY, 0, 5 * MINUTE]);
  });

  test(`JOB-8: a job runs soon after the transaction that schedules it, and not if that is rolled back (${name})`, async () => {
    const { tenant } = await provider(ground);
    await store.system((db) => sql`delete from background_job`.execute(db));
    const ran: string[] = [];
    const runner = makeJobRunner(ground.world, {
      mail: ({ payload: { message } }) => {
        ran.push(message);
        return Promise.resolve(null);
      },
    });
    await running(runner, async () => {
      await store
        .tenant(tenant, async (tx) => {
          await scheduleJob(tx, 'mail', 'lost', { message: 'lost' }, now());
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      await store.tenant(tenant, (tx) =>
        scheduleJob(tx, 'mail', 'first', { message: 'first' }, now()),
      );
      await expect.poll(() => ran, { timeout: 4_000 }).toEqual(['first']);
    });
    expect(await stored()).toEqual([]);
  });

  test(`JOB-8: a job that is scheduled while it runs, runs again, and the earlier of two due times counts (${name})`, async () => {
    const { tenant } = await provider(ground);
    await store.system((db) => sql`delete from background_job`.execute(db));
    const due = async (): Promise<unknown> => (await stored())[0]?.due_at;
    const schedule = (at: number): Promise<void> =>
      store.tenant(tenant, (tx) => scheduleRecurring(tx, 'webhooks', at));
    await schedule(now() + MINUTE);
    await schedule(now() + 2 * MINUTE);
    expect(await due()).toBe(now() + MINUTE);
    await schedule(now());
    let runs = 0;
    const runner = makeJobRunner(ground.world, {
      webhooks: async () => {
        runs += 1;
        if (runs === 1) await schedule(now() + 7);
        return now() + DAY;
      },
    });
    await runner.tick();
    expect([runs, await due()]).toEqual([1, now() + 7]);
    ground.pass(7);
    await runner.tick();
    expect([runs, await due()]).toEqual([2, now() + DAY]);
  });

  test(`JOB-9: after the log of a provider grew, the jobs that follow it are due within seconds; one that failed keeps its wait (${name})`, async () => {
    const { tenant } = await provider(ground);
    const { tenant: other } = await provider(ground);
    await store.system((db) =>
      sql`update background_job set due_at = ${now() + MINUTE}`.execute(db),
    );
    await store.system((db) =>
      sql`update background_job set attempts = 3, last_error = 'It failed.' where type = 'ticket-results'`.execute(
        db,
      ),
    );
    const clock = manualClock(ground);
    const never = (): Promise<never> => Promise.reject(new Error('Nothing is due.'));
    const runner = makeJobRunner(
      { ...ground.world, clock },
      {
        'missed-runs': never,
        'notifications': never,
        'ticket-results': never,
        'sla-alarms': never,
      },
    );
    await running(
      runner,
      async () => {
        await store.tenant(tenant, async (tx) => {
          await tx.append([jobDraft(await tx.take('job', 1))], byClock);
        });
        ground.pass(1_000);
        const dueIn = async (of: string): Promise<Readonly<Record<string, number>>> =>
          Object.fromEntries(
            (await stored())
              .filter((job) => job.tenant_id === of && /^(missed|notif|ticket-|sla)/.test(job.type))
              .map(({ type, due_at: at }) => [type, (at ?? 0) - now()]),
          );
        await expect
          .poll(async () => (clock.fire(), dueIn(tenant)))
          .toEqual({
            'missed-runs': 10_000,
            'notifications': 5_000,
            'ticket-results': 59_000,
            'sla-alarms': 59_000,
          });
        expect(new Set(Object.values(await dueIn(other)))).toEqual(new Set([59_000]));
      },
      () => {
        clock.release();
      },
    );
  });

  test(`JOB-10: a stopping server ends its jobs and waits for them, but not for one that goes on regardless (${name})`, async () => {
    const [polite, deaf] = [uuid(), uuid()];
    await put(polite, 'webhooks', '', now());
    await put(deaf, 'webhooks', '', now());
    let begun = 0;
    const runner = makeJobRunner(ground.world, {
      webhooks: ({ tenant, signal }) => {
        begun += 1;
        return new Promise((resolve) => {
          if (tenant === polite)
            signal.addEventListener('abort', () => {
              resolve(now());
            });
        });
      },
    });
    await runner.start();
    await expect.poll(() => begun).toBe(2);
    await runner.stop();
    const [first, second] = [polite, deaf].map(
      (tenant) => async () => (await stored()).find(({ tenant_id }) => tenant_id === tenant),
    );
    expect(await first?.()).toMatchObject({ lease_owner: null, due_at: now() + 1 });
    expect(await second?.()).toMatchObject({ lease_owner: expect.any(String) as string });
  });
});

/** A clock of the ground's time whose timers fire when the test says so, until it is released. */
function manualClock({ world: { clock } }: Ground): AppContext['clock'] & {
  fire(): void;
  release(): void;
} {
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  let isReleased = false;
  return {
    now: () => clock.now(),
    after(ms, work) {
      if (isReleased) return clock.after(ms, work);
      const timer = { at: clock.now() + ms, work };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    fire() {
      for (const timer of timers)
        if (timer.at <= clock.now()) {
          timers.delete(timer);
          timer.work();
        }
    },
    release() {
      isReleased = true;
    },
  };
}
