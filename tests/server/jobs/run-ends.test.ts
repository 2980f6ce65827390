import { sql } from 'kysely';
import { expect, test } from 'vitest';
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
});
