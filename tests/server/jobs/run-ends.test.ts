import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { StoreError } from '#server/platform/db/retry.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { eachDatabase } from '../db/databases.ts';
import { manualClock, MINUTE, putJob, storedJobs, whileRunning, withoutJobs } from './fixtures.ts';

const NOT_STORED = 'the end of a background job could not be stored';

eachDatabase((name, open) => {
  test(`JOB-3: a run that ended while the database was away counts as it ended, a success without a wait (${name})`, async () => {
    const fixture = await withoutJobs(open);
    const { store, clock: time, chance } = fixture.context;
    const now = (): number => time.now();
    const [done, failed] = [chance.uuid(), chance.uuid()];
    await putJob(store, done, 'sla-alarms', now());
    await putJob(store, failed, 'reports', now());
    // Runs that other servers began and did not end.
    await store.system((db) => sql`update background_job set attempts = 6`.execute(db));
    const clock = manualClock(fixture);
    const finish = Promise.withResolvers<void>();
    let isAway = false;
    const ran = { done: 0, failed: 0 };
    const away: Store = {
      ...store,
      system: (work) =>
        isAway ? Promise.reject(new Error('The database is away.')) : store.system(work),
    };
    const runner = makeJobRunner(
      { ...fixture.context, clock, store: away },
      {
        'sla-alarms': async () => {
          ran.done += 1;
          await finish.promise;
          return now() + 30 * MINUTE;
        },
        'reports': async () => {
          ran.failed += 1;
          await finish.promise;
          throw new Error('It is broken.');
        },
      },
    );
    const find = async (tenant: string) =>
      (await storedJobs(store)).find(({ tenant_id }) => tenant_id === tenant);
    await whileRunning(
      runner,
      async () => {
        await expect.poll(() => (clock.fire(), ran)).toEqual({ done: 1, failed: 1 });
        isAway = true;
        const endedAt = now();
        finish.resolve();
        await expect
          .poll(
            () => (clock.fire(), fixture.lines.filter((line) => line.includes(NOT_STORED)).length),
          )
          .toBe(2);
        expect((await find(done))?.lease_owner).not.toBe(null);
        isAway = false;
        fixture.pass(10_000);
        await expect
          .poll(async () => (clock.fire(), (await find(done))?.due_at))
          .toBe(endedAt + 30 * MINUTE);
        const stored = await find(failed);
        expect(stored).toMatchObject({ last_error: 'It is broken.', lease_owner: null });
        expect(stored?.due_at).toBeGreaterThan(now());
        expect(ran).toEqual({ done: 1, failed: 1 });
      },
      () => {
        clock.release();
        finish.resolve();
      },
    );
  });

  test(`JOB-3: a success is no failure if the database comes back after two attempts to store it (${name})`, async () => {
    const fixture = await withoutJobs(open);
    const { store, clock: time, chance } = fixture.context;
    const done = chance.uuid();
    await putJob(store, done, 'sla-alarms', time.now());
    const clock = manualClock(fixture);
    const finish = Promise.withResolvers<void>();
    let refusals = 0;
    let hasBegun = false;
    const away: Store = {
      ...store,
      system(work) {
        if (refusals === 0) return store.system(work);
        refusals -= 1;
        return Promise.reject(new StoreError('connection', new Error('It is away.')));
      },
    };
    const runner = makeJobRunner(
      { ...fixture.context, clock, store: away },
      {
        'sla-alarms': async () => {
          hasBegun = true;
          await finish.promise;
          return time.now() + 30 * MINUTE;
        },
      },
    );
    const endedAt = time.now();
    const find = async () => (await storedJobs(store)).find(({ tenant_id }) => tenant_id === done);
    await whileRunning(
      runner,
      async () => {
        await expect.poll(() => (clock.fire(), hasBegun)).toBe(true);
        refusals = 2;
        finish.resolve();
        await expect.poll(() => refusals).toBe(0);
        fixture.pass(10_000);
        await expect.poll(async () => (clock.fire(), (await find())?.lease_owner)).toBe(null);
        expect(await find()).toMatchObject({ last_error: null, due_at: endedAt + 30 * MINUTE });
      },
      () => {
        clock.release();
        finish.resolve();
      },
    );
  });
});
