import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '#tests/server/db/databases.ts';
import { anExecution, aPlace, DAY, HOUR, iso, NOON } from './fixtures.ts';
import type { Place } from './fixtures.ts';

const usual = (day: number, bytes: number): unknown =>
  anExecution({
    startTime: iso(NOON - day * DAY),
    endTime: iso(NOON - day * DAY + 600_000),
    bytesTransferred: bytes,
  });
const day = (n: number, more: object): unknown =>
  anExecution({
    startTime: iso(NOON - (9 - n) * DAY),
    endTime: iso(NOON - (9 - n) * DAY + 60_000),
    ...more,
  });

eachDatabase((_name, open) => {
  let store: Store;
  let place: Place;
  beforeEach(async () => {
    store = await open();
    place = await aPlace(store);
  });
  const proof = Number(process.env['PROOF'] ?? 1);

  test('RUN-1: a posted execution is one run of one job, with its fields and units', async () => {
    const { status, data } = await place.post(
      'executions',
      anExecution({
        externalId: 'x1',
        bytesProcessed: 5_000_000,
        filesFailed: 0,
        exitCode: 0,
        detail: { level: 'Full' },
        log: 'all went well',
        schedule: { type: 'every', everySec: 86_400 },
      }),
    );
    expect([status, data]).toEqual([200, { accepted: 1, duplicates: 0, rejected: [] }]);
    const [run] = await place.all('run');
    expect(run).toMatchObject({
      uid: 'x1',
      status: 'Success',
      startedAt: NOON - HOUR,
      endedAt: NOON - HOUR / 2,
      durationSec: 1800,
      bytes: 1_000_000,
      bytesProcessed: 5_000_000,
      files: 100,
      filesFailed: 0,
      message: null,
      exitCode: 0,
      anomaly: [],
      problem: null,
      hasLog: true,
      detail: { level: 'Full' },
    });
    expect(await place.log(run?.n ?? 0)).toBe('all went well');
    expect(await place.all('job')).toMatchObject([
      {
        uid: 'Files@pc-1',
        name: 'Files',
        computer: 'pc-1',
        source: 'api',
        schedule: { type: 'every', everySec: 86_400 },
      },
    ]);
    expect((await place.all('key'))[0]?.firstResultAt).toBe(NOON);
  });

  test('RUN-2: the same result posted again is a duplicate, with and without an ID', async () => {
    for (const one of [
      anExecution({ externalId: 'a' }),
      anExecution({ job: 'Other' }),
      anExecution({ job: 'Third', status: 'Failed', message: 'Fatal: no' }),
    ]) {
      expect((await place.post('executions', one)).data).toMatchObject({
        accepted: 1,
        duplicates: 0,
      });
      expect((await place.post('executions', one)).data).toMatchObject({
        accepted: 0,
        duplicates: 1,
      });
    }
    expect(await place.all('run')).toHaveLength(3);
    expect((await place.all('problem')).map(({ runs }) => runs)).toEqual([1]);
  });

  test('RUN-2: a start and a finish are two events of one run, whose start stays', async () => {
    const start = anExecution({
      externalId: 'a',
      status: 'Running',
      endTime: null,
      bytesTransferred: null,
      filesTotal: null,
    });
    await place.post('executions', start);
    expect((await place.all('run'))[0]).toMatchObject({
      status: 'Running',
      startedAt: NOON - HOUR,
    });
    expect((await place.all('stat'))[0]?.running).toBe(1);
    const { data } = await place.post(
      'executions',
      anExecution({ externalId: 'a', startTime: iso(NOON - HOUR + 5_000) }),
    );
    expect(data).toMatchObject({ accepted: 1 });
    expect(await place.all('run')).toMatchObject([
      { status: 'Success', startedAt: NOON - HOUR, durationSec: 1800 },
    ]);
    expect((await place.all('stat'))[0]?.running).toBeNull();
    expect((await place.post('executions', start)).data).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
  });

  test('RUN-2: a result identified by its start continues under the ID that its end has', async () => {
    await place.post('executions', anExecution({ status: 'Running', endTime: null }));
    await place.post('executions', anExecution({ externalId: 'late-name' }));
    expect(await place.all('run')).toMatchObject([{ status: 'Success' }]);
  });

  test('RUN-2: two results with IDs are two, even with the same start; one ID for two jobs is refused', async () => {
    const { data } = await place.post('executions', [
      anExecution({ externalId: 'a' }),
      anExecution({ externalId: 'b' }),
      anExecution({ externalId: 'a', job: 'Other' }),
    ]);
    expect(data).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [{ index: 2, error: 'externalId: belongs to a run of another job' }],
    });
    expect(await place.all('run')).toHaveLength(2);
  });

  test('RUN-2: a corrected result is the same run, and its problem ends', async () => {
    await place.post(
      'executions',
      anExecution({ externalId: 'a', status: 'Failed', message: 'connection refused' }),
    );
    expect((await place.all('problem'))[0]).toMatchObject({ closedAt: null, state: 'Failed' });
    await place.post('executions', anExecution({ externalId: 'a' }));
    expect(await place.all('run')).toMatchObject([{ status: 'Success', problem: null }]);
    expect(await place.all('problem')).toMatchObject([{ closedBy: 'success' }]);
    expect((await place.all('stat'))[0]?.starts).toHaveLength(1);
  });

  test('RUN-2: results divided into requests, shuffled and repeated make the same runs', async () => {
    const events = fc.array(
      fc.record({
        job: fc.constantFrom('A', 'B'),
        slot: fc.integer({ min: 0, max: 5 }),
        failed: fc.boolean(),
        named: fc.boolean(),
      }),
      { minLength: 1, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(events, fc.infiniteStream(fc.nat()), async (wanted, chance) => {
        const facts = new Map(wanted.map((one) => [`${one.job} ${one.slot}`, one]));
        const results = [...facts.values()].flatMap(({ job, slot, failed, named }) => {
          const base = {
            job,
            ...(named ? { externalId: `${job}-${slot}` } : {}),
            startTime: iso(NOON - (10 - slot) * HOUR),
          };
          return [
            anExecution({
              ...base,
              status: 'Running',
              endTime: null,
              bytesTransferred: null,
              filesTotal: null,
            }),
            anExecution({
              ...base,
              endTime: iso(NOON - (10 - slot) * HOUR + 60_000),
              ...(failed ? { status: 'Failed', message: 'no space left on device' } : {}),
            }),
          ];
        });
        const shuffled = [...results, ...results]
          .map((one) => ({ one, at: chance.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        const own = await aPlace(store);
        while (shuffled.length > 0)
          await own.post('executions', shuffled.splice(0, 1 + (chance.next().value % 7)));
        const runs = await own.all('run');
        const jobs = new Map((await own.all('job')).map((job) => [job.n, job.name]));
        expect(
          runs.map((run) => `${jobs.get(run.job)} ${run.startedAt} ${run.status}`).sort(),
        ).toEqual(
          [...facts.values()]
            .map(
              ({ job, slot, failed }) =>
                `${job} ${NOON - (10 - slot) * HOUR} ${failed ? 'Failed' : 'Success'}`,
            )
            .sort(),
        );
        for (const run of runs) expect(run.problem !== null).toBe(run.status === 'Failed');
        // How a job stands is what its newest result says.
        for (const job of await own.all('job')) {
          const newest = runs
            .filter((run) => run.job === job.n)
            .sort((a, b) => b.startedAt - a.startedAt)[0];
          expect(job.problem !== null).toBe(newest?.status === 'Failed');
        }
        expect((await own.all('stat')).every((stat) => stat.running === null)).toBe(true);
      }),
      { numRuns: 12 * proof },
    );
  });

  test("RUN-4: a run far from the usual is an anomaly with a reason; a new job's runs are not judged", async () => {
    await place.post('executions', [
      usual(9, 9_000_000_000_000),
      ...[8, 7, 6, 5, 4, 3, 2].map((day) => usual(day, 10_000_000_000)),
    ]);
    expect((await place.all('run')).every(({ anomaly }) => anomaly.length === 0)).toBe(true);
    await place.post('executions', usual(1, 96_400_000_000));
    const run = (await place.all('run')).at(-1);
    expect(run).toMatchObject({
      status: 'Success',
      anomaly: [
        { measure: 'bytes', value: 96_400_000_000, low: 8_000_000_000, high: 12_000_000_000 },
      ],
    });
    expect(run?.message).toBe('Transferred 96.4 GB, usual 8.0 to 12.0 GB');
    expect(await place.all('problem')).toMatchObject([{ state: 'Anomaly', closedAt: null }]);
    await place.post('executions', usual(0, 10_000_000_000));
    expect(await place.all('problem')).toMatchObject([{ closedBy: 'success' }]);
  });

  test('RUN-5, RUN-6: the same cause is one problem; another cause or a worse state is a new one; a success ends it', async () => {
    await place.post('executions', [
      day(1, { status: 'Failed', message: 'dial tcp 10.0.0.1:443: connection refused' }),
      day(2, { status: 'Failed', message: 'dial tcp 10.0.0.9:8443: connection refused' }),
    ]);
    expect(await place.all('problem')).toMatchObject([{ runs: 2, state: 'Failed' }]);
    await place.post(
      'executions',
      day(3, { status: 'Warning', message: 'dial tcp 10.0.0.9:8443: connection refused' }),
    );
    expect(await place.all('problem')).toMatchObject([
      { runs: 3, state: 'Failed', closedAt: null },
    ]);
    await place.post(
      'executions',
      day(4, { status: 'Failed', message: 'no space left on device' }),
    );
    expect(await place.all('problem')).toMatchObject([
      { closedBy: 'changed' },
      { runs: 1, closedAt: null },
    ]);
    await place.post('executions', day(5, {}));
    expect((await place.all('problem')).map(({ closedBy }) => closedBy)).toEqual([
      'changed',
      'success',
    ]);
    await place.post('executions', [
      day(6, { status: 'Warning', message: 'no space left on device' }),
      day(7, { status: 'Failed', message: 'no space left on device' }),
    ]);
    expect((await place.all('problem')).slice(2)).toMatchObject([
      { state: 'Warning', closedBy: 'changed' },
      { state: 'Failed', closedAt: null },
    ]);
    expect((await place.all('cause')).map(({ kind }) => kind)).toEqual(['connection', 'space']);
  });

  test("RUN-6: an older result that arrives late doesn't change the job's current state", async () => {
    await place.post('executions', anExecution());
    await place.post(
      'executions',
      anExecution({
        startTime: iso(NOON - 2 * HOUR),
        endTime: iso(NOON - 2 * HOUR + 1_000),
        status: 'Failed',
        message: 'no space left',
      }),
    );
    expect(await place.all('problem')).toMatchObject([{ closedBy: 'success', runs: 1 }]);
    expect((await place.all('job'))[0]?.problem).toBeNull();
    const again = await aPlace(store);
    await again.post('executions', anExecution({ status: 'Failed', message: 'no space left' }));
    await again.post(
      'executions',
      anExecution({ startTime: iso(NOON - 2 * HOUR), endTime: iso(NOON - 2 * HOUR + 1_000) }),
    );
    expect((await again.all('job'))[0]?.problem).toBe(1);
  });

  test("ING-1: a source's settings for a job are applied once, and only those it sends", async () => {
    await place.post('executions', anExecution({ externalId: '1', type: 'Tape', graceSec: 60 }));
    await place.post(
      'executions',
      anExecution({ externalId: '2', startTime: iso(NOON - 60_000), endTime: iso(NOON) }),
    );
    expect((await place.all('job'))[0]).toMatchObject({ type: 'Tape', graceSec: 60 });
    await place.post(
      'executions',
      anExecution({
        externalId: '3',
        startTime: iso(NOON - 30_000),
        endTime: iso(NOON),
        enabled: false,
      }),
    );
    const types = await place.ground.context.store.tenant(place.tenant, async (tx) =>
      (await tx.eventsAfter(0, 100)).map(({ event }) => event.type),
    );
    expect(types.filter((type) => type === 'job.updated@1')).toHaveLength(1);
    expect(types.filter((type) => type === 'key.firstResultReceived@1')).toHaveLength(1);
  });

  test("ING-2: secrets in a source's texts reach neither events nor log", async () => {
    const canary = 'hunter2secret9';
    await place.post(
      'executions',
      anExecution({
        status: 'Failed',
        message: `cannot reach sftp://backup:${canary}@nas/repo`,
        log: `--password ${canary}\nAWS_SECRET_ACCESS_KEY=${canary}\nAuthorization: Bearer ${canary}`,
        detail: { url: `https://u:${canary}@host/x` },
      }),
    );
    const dump = await place.ground.context.store.tenant(place.tenant, async (tx) =>
      JSON.stringify([await tx.eventsAfter(0, 100), await tx.all('run'), await tx.all('cause')]),
    );
    expect(dump).not.toContain(canary);
    expect(await place.log(1)).not.toContain(canary);
    expect((await place.all('run'))[0]?.message).toBe('cannot reach sftp://backup:***@nas/repo');
  });

  test('ING-3: a long log keeps its head and its tail', async () => {
    await place.post(
      'executions',
      anExecution({ log: `first line\n${'ü'.repeat(80_000)}\0\nlast line` }),
    );
    const body = (await place.log(1)) ?? '';
    expect(Buffer.byteLength(body)).toBeLessThan(101_000);
    expect(body.startsWith('first line')).toBe(true);
    expect(body.endsWith('last line')).toBe(true);
    expect(body).toContain('bytes left out');
  });
});
