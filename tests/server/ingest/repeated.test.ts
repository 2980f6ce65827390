import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { saysLittle } from '#contract/runs/first-line.ts';
import type { RunRow } from '#contract/runs/rows.ts';
import type { Normal } from '#server/features/ingest/normalize.ts';
import { ingestHandlers } from '#server/features/ingest/handlers.ts';
import { makeApp } from '#server/platform/http/app.ts';
import { isKnown, mergeResult } from '#server/features/ingest/run-result.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace, DAY, fixture, HOUR, iso, NOON } from './fixtures.ts';

const MINUTE = 60_000;

eachDatabase((name, open) => {
  test(`RUN-9: the same text without an ID or time is one run within ten minutes, on any server, and two in two nights (${name})`, async () => {
    const place = await aPlace(await open(), 'restic');
    const other = makeApp(place.ground.context, ingestHandlers(place.ground.context));
    const path = 'restic?job=data&exit=1&host=pc-1';
    const body = 'Fatal: wrong password or no key found\n';
    expect((await place.post(path, body)).data).toMatchObject({ accepted: 1, duplicates: 0 });
    place.ground.pass(5_000);
    expect((await place.post(path, body)).data).toMatchObject({ accepted: 0, duplicates: 1 });
    place.ground.pass(4 * MINUTE);
    const answer = await other.request(
      `/api/v1/ingest/${path}`,
      {
        method: 'POST',
        headers: { host: place.host, authorization: `Bearer ${place.secret}` },
        body,
      },
      { incoming: { socket: { remoteAddress: '192.0.2.8' } } },
    );
    expect(await answer.json()).toMatchObject({ data: { accepted: 0, duplicates: 1 } });
    expect((await place.post('restic?job=data&exit=1&host=pc-2', body)).data).toMatchObject({
      accepted: 1,
    });
    expect((await place.post('restic?job=other&exit=1&host=pc-1', body)).data).toMatchObject({
      accepted: 1,
    });
    expect((await place.post(path, `${body}Is there a repository?\n`)).data).toMatchObject({
      accepted: 1,
    });
    const before = (await place.all('run')).length;
    place.ground.pass(7 * MINUTE);
    expect((await place.post(path, body)).data).toMatchObject({ accepted: 1 });
    place.ground.pass(DAY);
    expect((await place.post(path, body)).data).toMatchObject({ accepted: 1 });
    expect(await place.all('run')).toHaveLength(before + 2);
  });

  test(`RUN-9: an empty failure, sent again by curl, is one; a run with an ID is not compared (${name})`, async () => {
    const place = await aPlace(await open(), 'borg');
    for (const accepted of [1, 0, 0]) {
      expect((await place.post('borg?job=data&exit=2', '')).data).toMatchObject({ accepted });
      place.ground.pass(2_000);
    }
    expect((await place.post('borg?job=data&exit=0', fixture('borg-good.txt'))).data).toMatchObject(
      { accepted: 1 },
    );
    expect((await place.post('borg?job=data&exit=0', fixture('borg-good.txt'))).data).toMatchObject(
      { accepted: 0, duplicates: 1 },
    );
    expect(await place.all('run')).toHaveLength(2);
  });

  test(`RUN-10: a later repetition leaves what is known unchanged, unless it has more (${name})`, async () => {
    const store = await open();
    const place = await aPlace(store);
    const first = {
      externalId: 'r1',
      status: 'Failed',
      message: 'open /srv/a: permission denied',
      log: 'line one\nopen /srv/a: permission denied',
      exitCode: 3,
      level: 'Full',
      scheduledFor: iso(NOON - HOUR),
      errorCount: 2,
      detail: { pool: 'A' },
    };
    await place.post('executions', anExecution(first));
    await place.post(
      'executions',
      anExecution({
        externalId: 'r1',
        status: 'Failed',
        message: 'Backup failed',
        log: 'Backup failed',
        bytesTransferred: null,
        filesTotal: null,
        filesFailed: 4,
        detail: { pool: null, extra: 1 },
      }),
    );
    const [run] = await place.all('run');
    expect(run).toMatchObject({
      message: 'open /srv/a: permission denied',
      bytes: 1_000_000,
      files: 100,
      filesFailed: 4,
      exitCode: 3,
      level: 'Full',
      scheduledFor: NOON - HOUR,
      errorCount: 2,
      detail: { pool: 'A', extra: 1 },
    });
    expect(await place.log(run?.n ?? 0)).toBe('line one\nopen /srv/a: permission denied');
    expect(await place.all('problem')).toHaveLength(1);
    await place.post(
      'executions',
      anExecution({ externalId: 'r1', status: 'Failed', message: null }),
    );
    await place.post(
      'executions',
      anExecution({
        externalId: 'r1',
        status: 'Failed',
        message: 'write /srv/b: no space left on device',
        log: 'a longer log\n'.repeat(20),
      }),
    );
    expect((await place.all('run'))[0]).toMatchObject({
      message: 'write /srv/b: no space left on device',
    });
    expect(await place.log(run?.n ?? 0)).toContain('a longer log');
    // A log that comes after its result is kept.
    await place.post('executions', anExecution({ externalId: 'r2', status: 'Success' }));
    await place.post(
      'executions',
      anExecution({ externalId: 'r2', status: 'Success', log: 'all went well' }),
    );
    const later = (await place.all('run')).find(({ uid }) => uid === 'r2');
    expect([later?.hasLog, await place.log(later?.n ?? 0)]).toEqual([true, 'all went well']);
    expect((await rebuild(store, { only: [place.tenant] }))[0]?.differences).toEqual([]);
  });

  test(`ING-8: an empty list is accepted, and its source counts as active (${name})`, async () => {
    const place = await aPlace(await open(), 'bacula');
    expect(await place.post('bacula', '{}')).toMatchObject({ status: 400 });
    place.ground.pass(HOUR);
    expect(await place.post('bacula', '[]')).toMatchObject({
      status: 200,
      data: { accepted: 0, duplicates: 0, rejected: [] },
    });
    const [health] = await place.ground.context.store.tenant(
      place.tenant,
      (tx) =>
        tx.sql
          .selectFrom('source_health')
          .selectAll()
          .where('tenant_id', '=', place.tenant)
          .execute(),
      { readOnly: true },
    );
    expect(health?.last_heard_at).toBeGreaterThan(health?.last_fault_at ?? 0);
  });

  test(`SRC-4: two directors and a new catalog keep their runs distinct; a successful restore is no success of the backup; a running job has its level (${name})`, async () => {
    const place = await aPlace(await open(), 'bacula');
    const [row] = JSON.parse(fixture('bacula-9.6.json')) as Record<string, unknown>[];
    const post = (more: object): ReturnType<typeof place.post> =>
      place.post('bacula', [{ ...row, ...more }]);
    place.ground.at(Date.parse('2026-11-23T00:00:00Z'));
    const fatal = { JobStatus: 'f', LogText: 'x-dir JobId 1: Fatal error: Connection refused\n\\' };
    expect((await post(fatal)).data).toMatchObject({ accepted: 1 });
    expect((await post({ ...fatal, Director: 'other-dir' })).data).toMatchObject({
      accepted: 1,
      rejected: [],
    });
    expect(
      (
        await post({
          Job: 'BackupClient1.2026-11-22_21.27.30_03',
          StartTime: '2026-11-22 21:27:33',
          EndTime: 0,
          RealEndTime: 0,
          JobStatus: 'R',
          JobTDate: Date.parse('2026-11-22T21:27:33Z') / 1000,
        })
      ).data,
    ).toMatchObject({ accepted: 1 });
    expect(
      (await post({ Type: 'R', Job: 'BackupClient1.2026-11-22_22.27.30_03', JobErrors: 0 })).data,
    ).toMatchObject({ accepted: 1 });
    const runs = await place.all('run');
    const jobs = await place.all('job');
    const stats = await place.all('stat');
    expect(runs).toHaveLength(4);
    expect(runs.find(({ status }) => status === 'Running')).toMatchObject({
      level: 'Full',
      scheduledFor: Date.parse('2026-11-22T19:27:30Z'),
    });
    for (const job of jobs.filter(({ type }) => type === 'Backup'))
      expect(stats.find(({ n }) => n === job.n)?.lastSuccess).toBeNull();
    expect(jobs.map(({ name: of }) => of).toSorted()).toEqual([
      'BackupClient1',
      'BackupClient1',
      'BackupClient1 (Restore)',
    ]);
  });
});

const count = fc.option(fc.nat(1_000_000), { nil: null });
const reason = fc.constantFrom(
  null,
  'Backup failed',
  'restic ended with exit code 1.',
  'exit status 1',
  'open /a: permission denied',
  'no space left on device',
  'Bad response',
);
const details: fc.Arbitrary<Normal> = fc
  .record({
    status: fc.constantFrom('Warning' as const, 'Failed' as const, 'Success' as const),
    bytes: count,
    files: count,
    filesFailed: count,
    errorCount: count,
    message: reason,
    exitCode: fc.option(fc.nat(255), { nil: null }),
  })
  .map((one) => ({
    index: 0,
    job: { uid: 'j', name: 'j' },
    externalId: 'x',
    startedAt: NOON,
    endedAt: NOON + HOUR,
    byArrival: false,
    durationSec: null,
    bytesProcessed: null,
    log: null,
    tasks: [],
    detail: {},
    ...one,
  }));

test('RUN-10: the last values win, a vague reason never replaces a concrete one, and a repetition changes nothing', () => {
  fc.assert(
    fc.property(fc.array(details, { minLength: 1, maxLength: 8 }), (all) => {
      let known: RunRow | null = null;
      for (const one of all) {
        const result = mergeResult(one, known, NOON, NOON + 2 * HOUR);
        known = {
          n: 1,
          job: 1,
          company: 1,
          key: 'k',
          uid: 'x',
          startedAt: NOON,
          anomaly: [],
          problem: null,
          hasLog: false,
          ...result,
        };
      }
      const last = all.at(-1);
      for (const name of ['bytes', 'files', 'filesFailed', 'errorCount'] as const)
        expect(known?.[name] ?? null).toBe(
          all.findLast((one) => one[name] !== null)?.[name] ?? null,
        );
      expect(known?.status).toBe(last?.status);
      // Oracle: since the last success, the newest reason that says why, else the newest at all.
      const since = all
        .slice(all.findLastIndex(({ status }) => status === 'Success') + 1)
        .map(({ message }) => message)
        .filter((message) => message !== null);
      if (last?.status !== 'Success')
        expect(known?.message ?? null).toBe(
          since.findLast((message) => !LITTLE.includes(message)) ?? since.at(-1) ?? null,
        );
      if (known !== null && last)
        expect(isKnown(known, mergeResult(last, known, NOON, NOON + 3 * HOUR), last)).toBe(true);
    }),
  );
});
const LITTLE: readonly string[] = [
  'Backup failed',
  'restic ended with exit code 1.',
  'exit status 1',
];

test('RUN-10: which reasons are vague', () => {
  for (const little of [
    ...LITTLE,
    '',
    'Reported as failed.',
    'Ended with exit code 2.',
    'Ended with warnings.',
    "Command 'borg create' returned non-zero exit status 2.",
    '3 errors',
    'The backup has failed.',
    'Duplicati ended with Fatal.',
  ])
    expect([little, saysLittle(little)]).toEqual([little, true]);
  for (const much of [
    'Bad response',
    'open /a: permission denied',
    'Cancelled by user.',
    'Could not be read: open /a: permission denied',
    'Incomplete: canceled',
    'nosuch does not exist, skipping',
    'directory not found',
  ])
    expect([much, saysLittle(much)]).toEqual([much, false]);
});
