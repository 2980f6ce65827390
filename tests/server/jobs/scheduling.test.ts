import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { scheduleJob, scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { byClock, jobDraft } from '../db/drafts.ts';
import { type Fixture, provider } from '../http/fixtures.ts';
import {
  DAY,
  manualClock,
  MINUTE,
  noJobs,
  putJob,
  storedJobs,
  whileRunning,
  withoutJobs,
} from './fixtures.ts';

const failListening = (): never => {
  throw new Error('a listener failed');
};

eachDatabase((name, open) => {
  let fixture: Fixture;
  let store: Store;
  beforeEach(async () => {
    fixture = await withoutJobs(open);
    ({ store } = fixture.context);
  });

  /** In how many ms the provider's jobs are due. */
  const dueIn = async (tenant: string): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries(
      (await storedJobs(store))
        .filter(
          ({ tenant_id, type }) => tenant_id === tenant && /^(missed|notif|ticket-|sla)/.test(type),
        )
        .map(({ type, due_at: at }) => [type, (at ?? 0) - now()]),
    );
  const now = (): number => fixture.context.clock.now();
  const uuid = (): string => fixture.context.chance.uuid();

  test(`JOB-7: a clock that jumps forth and back stops no job and runs none twice for one due time (${name})`, async () => {
    const tenant = uuid();
    await putJob(store, tenant, 'sla-alarms', now());
    const ran: number[] = [];
    const runner = makeJobRunner(fixture.context, {
      'sla-alarms': ({ now: at }) => {
        ran.push(at);
        return Promise.resolve(at + 5 * MINUTE);
      },
    });
    const begin = now();
    await runner.tick();
    fixture.pass(40 * DAY);
    await runner.tick();
    fixture.pass(-40 * DAY);
    await runner.tick();
    await runner.tick();
    fixture.pass(5 * MINUTE);
    await runner.tick();
    expect(ran.map((at) => at - begin)).toEqual([0, 40 * DAY, 0, 5 * MINUTE]);
  });

  test(`JOB-8: a job runs soon after the transaction that schedules it, and not if that is rolled back (${name})`, async () => {
    const { tenant } = await provider(fixture);
    await noJobs(store);
    const ran: string[] = [];
    const runner = makeJobRunner(fixture.context, {
      mail: ({ payload: { message } }) => {
        ran.push(message);
        return Promise.resolve(null);
      },
    });
    await whileRunning(runner, async () => {
      await store
        .tenant(tenant, async (tx) => {
          await scheduleJob(tx, 'mail', 'lost', { message: 'lost' }, now());
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      await store.tenant(tenant, (tx) =>
        scheduleJob(tx, 'mail', 'first', { message: 'first' }, now()),
      );
      await expect.poll(() => ran, { timeout: 60_000 }).toEqual(['first']);
    });
    expect(await storedJobs(store)).toEqual([]);
  });

  test(`LOG-3, JOB-8: an error of whoever listens for commits fails no command, and the others are still called (${name})`, async () => {
    const { tenant } = await provider(fixture);
    await noJobs(store);
    const heard: string[] = [];
    const ends = [
      store.onAppend(failListening),
      store.onAppend(() => void heard.push('append')),
      store.onAppendAnywhere(failListening),
      store.onAppendAnywhere(() => void heard.push('append anywhere')),
      store.onJobScheduled(failListening),
      store.onJobScheduled(() => void heard.push('job')),
    ];
    const jobs = (await store.tenant(tenant, (tx) => tx.all('job'))).length;
    const value = await store.tenant(
      tenant,
      async (tx) => {
        await tx.append([jobDraft(await tx.take('job', 1))], byClock);
        await scheduleJob(tx, 'mail', 'first', { message: 'first' }, now() + DAY);
        return 'committed';
      },
      { onCommit: failListening },
    );
    for (const end of ends) end();
    expect(value).toBe('committed');
    expect(heard).toEqual(['append', 'append anywhere', 'job']);
    expect(await store.tenant(tenant, (tx) => tx.all('job'))).toHaveLength(jobs + 1);
    expect((await storedJobs(store)).filter(({ type }) => type === 'mail')).toHaveLength(1);
  });

  test(`JOB-8: a job that is scheduled while it runs, runs again, and the earlier of two due times counts (${name})`, async () => {
    const { tenant } = await provider(fixture);
    await noJobs(store);
    const schedule = (at: number): Promise<void> =>
      store.tenant(tenant, (tx) => scheduleRecurring(tx, 'webhooks', at));
    await schedule(now() + MINUTE);
    await schedule(now() + 2 * MINUTE);
    expect((await storedJobs(store))[0]?.due_at).toBe(now() + MINUTE);
    await schedule(now());
    let runs = 0;
    const runner = makeJobRunner(fixture.context, {
      webhooks: async () => {
        runs += 1;
        if (runs === 1) await schedule(now() + 7);
        return now() + DAY;
      },
    });
    await runner.tick();
    expect([runs, (await storedJobs(store))[0]?.due_at]).toEqual([1, now() + 7]);
    fixture.pass(7);
    await runner.tick();
    expect([runs, (await storedJobs(store))[0]?.due_at]).toEqual([2, now() + DAY]);
  });

  test(`JOB-9: after the log of a provider grew, the jobs that follow it are due within seconds; one that failed keeps its wait (${name})`, async () => {
    const { tenant } = await provider(fixture);
    const { tenant: other } = await provider(fixture);
    await store.system((db) =>
      sql`update background_job set due_at = ${now() + MINUTE}`.execute(db),
    );
    await store.system((db) =>
      sql`update background_job set attempts = 3, last_error = 'It failed.' where type = 'ticket-results'`.execute(
        db,
      ),
    );
    const clock = manualClock(fixture);
    const runner = makeJobRunner(
      { ...fixture.context, clock },
      {
        'missed-runs': neverDue,
        'notifications': neverDue,
        'ticket-results': neverDue,
        'sla-alarms': neverDue,
      },
    );
    await whileRunning(
      runner,
      async () => {
        await store.tenant(tenant, async (tx) => {
          await tx.append([jobDraft(await tx.take('job', 1))], byClock);
        });
        fixture.pass(1_000);
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

  test(`JOB-10: a stopping server ends its jobs and waits for them, but not for one that continues regardless (${name})`, async () => {
    const [polite, deaf] = [uuid(), uuid()];
    await putJob(store, polite, 'webhooks', now());
    await putJob(store, deaf, 'webhooks', now());
    let begun = 0;
    const runner = makeJobRunner(fixture.context, {
      webhooks: ({ tenant, signal }) => {
        if (tenant !== polite && tenant !== deaf) return Promise.resolve(null);
        begun += 1;
        return new Promise((resolve) => {
          if (tenant === polite)
            signal.addEventListener('abort', () => {
              resolve(now());
            });
        });
      },
    });
    runner.start();
    await expect.poll(() => begun).toBe(2);
    await runner.stop();
    const [first, second] = [polite, deaf].map(
      (tenant) => async () =>
        (await storedJobs(store)).find(({ tenant_id }) => tenant_id === tenant),
    );
    expect(await first?.()).toMatchObject({ lease_owner: null, due_at: now() + 1 });
    expect(await second?.()).toMatchObject({ lease_owner: expect.any(String) as string });
  });
});

const neverDue = (): Promise<never> => Promise.reject(new Error('Nothing is due.'));
