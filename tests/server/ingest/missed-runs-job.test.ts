import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '#tests/server/db/databases.ts';
import { ABANDONED } from '#server/features/ingest/decide.ts';
import { anExecution, aPlace, DAY, HOUR, iso, NOON } from './fixtures.ts';
import type { Place } from './fixtures.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

eachDatabase((_name, open) => {
  let store: Store;
  let place: Place;
  let clock: ReturnType<typeof missedRunTicks>;
  /**
   * Boots a server at the place's time. Other tests' providers stay in the database: each has its
   * own rows.
   */
  const boot = (): void => {
    void clock?.stop();
    clock = missedRunTicks({
      ...place.ground.context,
      store: { ...store, tenants: async () => [place.tenant] },
    });
  };
  const tickAt = async (ms: number): Promise<void> => {
    place.ground.at(ms);
    await clock.tick(ms);
  };
  beforeEach(async () => {
    store = await open();
    place = await aPlace(store);
    boot();
  });
  afterAll(() => clock.stop());

  const nightly = { type: 'cron', cron: '0 2 * * *', tz: 'UTC' };
  const TWO = Date.parse('2026-03-03T02:00:00Z');
  const ran = (at: number, more: object = {}): unknown =>
    anExecution({ startTime: iso(at), endTime: iso(at + 60_000), schedule: nightly, ...more });
  const missed = async (): Promise<string[]> =>
    (await place.all('run'))
      .filter(({ status }) => status === 'Missed')
      .map(({ startedAt }) => iso(startedAt));

  test('RUN-3: a job past its time and grace period is missed, and marked once', async () => {
    await place.post('executions', ran(TWO - DAY));
    await tickAt(TWO + HOUR - 1);
    expect(await missed()).toEqual([]);
    await tickAt(TWO + HOUR);
    await tickAt(TWO + HOUR + 10_000);
    await tickAt(TWO + 5 * HOUR);
    expect(await missed()).toEqual([iso(TWO)]);
    const run = (await place.all('run')).at(-1);
    expect(run?.message).toBe(
      'Expected at 2026-03-03 02:00 UTC; last run at 2026-03-02 02:00 UTC.',
    );
    expect(await place.all('problem')).toMatchObject([
      { state: 'Missed', closedAt: null, runs: 1 },
    ]);
    expect(await place.all('cause')).toMatchObject([{ template: 'Did not run', kind: 'silent' }]);
    // Known, day 2: the same problem.
    await tickAt(TWO + DAY + HOUR);
    expect(await missed()).toEqual([iso(TWO), iso(TWO + DAY)]);
    expect(await place.all('problem')).toMatchObject([{ runs: 2, closedAt: null }]);
  });

  test("RUN-3, RUN-6: the problem ends when the job starts, and when it finishes; an old result that arrives late doesn't end it", async () => {
    await place.post('executions', ran(TWO - DAY));
    await tickAt(TWO + HOUR);
    await place.post('executions', ran(TWO - 3 * HOUR - DAY));
    expect((await place.all('job'))[0]?.problem).not.toBeNull();
    await place.post('executions', ran(TWO + HOUR, { status: 'Running', endTime: null }));
    expect(await place.all('problem')).toMatchObject([{ state: 'Missed', closedBy: 'changed' }]);
    const again = await aPlace(store);
    place = again;
    boot();
    await again.post('executions', ran(TWO - DAY));
    await tickAt(TWO + HOUR);
    await again.post('executions', ran(TWO + HOUR));
    expect(await again.all('problem')).toMatchObject([{ closedBy: 'success' }]);
    // The run that was late is not expected twice.
    await tickAt(TWO + HOUR + 60_000);
    expect(await missed()).toEqual([iso(TWO)]);
  });

  test('RUN-3: a run that starts within the grace period, or still runs, is not missed; a disabled job is never expected', async () => {
    await place.post('executions', [
      ran(TWO - DAY, { job: 'A' }),
      ran(TWO - DAY, { job: 'B' }),
      ran(TWO - DAY, { job: 'C' }),
      ran(TWO - DAY, { job: 'D' }),
    ]);
    await tickAt(TWO);
    await place.post('executions', [
      ran(TWO, { job: 'A', endTime: iso(TWO + 1) }),
      ran(TWO, { job: 'B', status: 'Running', endTime: null, bytesTransferred: null }),
    ]);
    await place.post('executions', ran(TWO - DAY, { job: 'C', enabled: false }));
    await tickAt(TWO + HOUR);
    const jobs = new Map((await place.all('job')).map((job) => [job.n, job.name]));
    expect(
      (await place.all('run'))
        .filter(({ status }) => status === 'Missed')
        .map(({ job }) => jobs.get(job)),
    ).toEqual(['D']);
  });

  test("RUN-3: a schedule is learned from the job's own starts", async () => {
    const starts = [4, 3, 2, 1].map((n) => NOON - n * DAY);
    await place.post(
      'executions',
      starts.slice(0, 3).map((at) => ran(at, { schedule: null })),
    );
    await tickAt(NOON);
    await place.post('executions', ran(NOON - DAY, { schedule: null }));
    await tickAt(NOON + 6 * HOUR - 1);
    expect(await missed()).toEqual([]);
    await tickAt(NOON + 6 * HOUR);
    expect(await missed()).toEqual([iso(NOON)]);
  });

  test("RUN-3: the server's downtime doesn't count: after a start it waits the grace period, and marks one missed run, not five", async () => {
    await place.post('executions', ran(TWO - DAY));
    const back = TWO + 5 * DAY + 6 * HOUR;
    place.ground.at(back);
    boot();
    await tickAt(back);
    await tickAt(back + HOUR - 1);
    expect(await missed()).toEqual([]);
    await tickAt(back + HOUR);
    expect(await missed()).toEqual([iso(TWO + 5 * DAY)]);
  });

  test('RUN-3: a source whose last request was refused marks nothing; once a request succeeds, it does', async () => {
    await place.post('executions', ran(TWO - DAY));
    place.ground.at(TWO);
    await place.post('executions', ran(TWO, { startTime: 'at two' }));
    await tickAt(TWO + HOUR);
    await tickAt(TWO + 2 * HOUR);
    expect(await missed()).toEqual([]);
    await place.post('executions', ran(TWO - DAY, { job: 'Other' }));
    await tickAt(TWO + 2 * HOUR + 60_000);
    expect((await missed())[0]).toBe(iso(TWO));
  });

  test('RUN-3: two servers on one database mark once', async () => {
    await place.post('executions', ran(TWO - DAY));
    const other = missedRunTicks({
      ...place.ground.context,
      store: { ...store, tenants: async () => [place.tenant] },
    });
    await clock.tick(NOON);
    await other.tick(NOON);
    place.ground.at(TWO + HOUR);
    await Promise.all([clock.tick(TWO + HOUR), other.tick(TWO + HOUR)]);
    await other.stop();
    expect(await missed()).toEqual([iso(TWO)]);
  });

  test('RUN-3: a schedule set later counts from then on', async () => {
    await place.post('executions', ran(TWO - DAY, { schedule: null }));
    await tickAt(NOON);
    await place.post(
      'executions',
      ran(TWO - 12 * HOUR, { schedule: { type: 'every', everySec: 3_600 } }),
    );
    await tickAt(TWO - 11 * HOUR + 15 * 60_000);
    expect(await missed()).toEqual([iso(TWO - 11 * HOUR)]);
  });

  test('PING-8, RUN-3: a start without an end fails after its grace period; its end, if it comes, corrects it', async () => {
    const rid = '5a0d8d3e-2f0c-4b1a-9a57-0c1d2e3f4a5b';
    await place.ping(`/files/start?grace=10m&rid=${rid}`);
    await tickAt(NOON + 600_000 - 1);
    expect((await place.all('run')).map(({ status }) => status)).toEqual(['Running']);
    await tickAt(NOON + 600_000);
    await tickAt(NOON + 700_000);
    expect(await place.all('run')).toMatchObject([{ status: 'Failed', message: ABANDONED }]);
    expect(await place.all('problem')).toMatchObject([
      { state: 'Failed', closedAt: null, runs: 1 },
    ]);
    const actors = await store.tenant(place.tenant, async (tx) =>
      (await tx.eventsAfter(0, 100))
        .filter(({ event }) => event.type === 'run.finished@1')
        .map(({ actor }) => actor.kind),
    );
    expect(actors).toEqual(['clock']);
    place.ground.at(NOON + 900_000);
    await place.ping(`/files?rid=${rid}`);
    expect(await place.all('run')).toMatchObject([{ status: 'Success', startedAt: NOON }]);
    expect(await place.all('problem')).toMatchObject([{ closedBy: 'success' }]);
  });
});
