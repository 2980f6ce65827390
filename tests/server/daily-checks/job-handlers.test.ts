import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { NOT_EXPECTED } from '#server/features/daily-checks/job-handlers.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

const TODAY = '2026-03-02';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const booted = async (me: Asker): Promise<Bootstrap> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const said = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error?.kind,
  body.message,
];
const eventsSince = async (
  me: Asker,
  { epoch, cursor }: Bootstrap,
): Promise<EventsPage['events']> =>
  (await me<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)).body.data
    .events;

/**
 * Two who see the whole provider, one who sees the first company, one who looks only. They sign in
 * again after a night.
 */
async function begin() {
  const office = await anOffice(fixture);
  return {
    office,
    dana: await person(office, 'dana', 'operator'),
    max: await person(office, 'max', 'operator'),
    cora: await person(office, 'cora', 'operator', [1]),
    rita: await person(office, 'rita', 'read-only'),
  };
}

const nightly = { type: 'cron', cron: '0 2 * * *', tz: 'UTC' };
const missedPath = (uid: string): string =>
  `monitoring/backoffice/jobs/didnt-run/${encodeURIComponent(uid)}/ignore`;
const disabledPath = (uid: string): string =>
  `monitoring/backoffice/jobs/disabled/${encodeURIComponent(uid)}/ignore`;
const loadUid = async (who: Asker, name: string): Promise<string> =>
  (await booted(who)).jobs.find((job) => job.name === name)?.uid ?? 'none';
const ran = (job: string, at: number, more: object = {}): object => ({
  job,
  computer: 'pc',
  status: 'Success',
  startTime: iso(at),
  endTime: iso(at + 60_000),
  schedule: nightly,
  ...more,
});
const getClock = (office: Office) =>
  missedRunTicks({
    ...fixture.context,
    store: { ...fixture.context.store, tenants: async () => [office.tenant] },
  });

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('DESK-4: while a job is ignored, its open problem is snoozed and no result is expected; ending it wakes what ignoring snoozed', async () => {
    const { office, dana } = await begin();
    const begun = now();
    const two = begun - 5.5 * HOUR; // 02:00
    await office.post(1, [ran('files/a b%', two - DAY)]);
    const clock = getClock(office);
    await clock.tick(now());
    fixture.pass(DAY);
    await clock.tick(now());
    const uid = await loadUid(dana, 'files/a b%');
    const [problem] = (await booted(dana)).problems;
    expect(problem).toMatchObject({ state: 'Missed', snooze: null });
    const until = now() + 7 * DAY;
    const missed = async (): Promise<number> =>
      (await booted(dana)).problems.reduce((sum, { runs }) => sum + runs, 0);
    const before = await missed();
    expect((await dana('POST', missedPath(uid), { ignoredUntil: iso(until) })).status).toBe(200);
    const state = await booted(dana);
    expect(state.jobs[0]?.missedIgnored).toMatchObject({ until, by: state.me.id });
    expect(state.problems[0]?.snooze).toMatchObject({
      until,
      reason: NOT_EXPECTED,
      by: state.me.id,
    });
    const { rows } = (
      await dana<{ rows: Evidence[] }>(
        'GET',
        `monitoring/reporting/evidence?from=${iso(begun)}&to=${iso(now() + 1)}`,
      )
    ).body.data;
    expect(
      rows.map(({ what, state: was, cause, comment, until: end }) => [
        what,
        was,
        cause,
        comment,
        end,
      ]),
    ).toEqual([
      ['snoozed', 'Missed', 'Did not run', NOT_EXPECTED, until],
      ['ignored', 'Missed', 'Did not run', null, until],
    ]);
    for (let day = 0; day < 3; day++) {
      fixture.pass(DAY);
      await clock.tick(now());
    }
    expect(await missed()).toBe(before);
    expect((await dana('DELETE', missedPath(uid))).status).toBe(200);
    expect((await booted(dana)).problems[0]?.snooze).toBeNull();
    expect((await booted(dana)).jobs[0]?.missedIgnored).toBeNull();
    // It is expected again: of the days that were ignored the last counts.
    await clock.tick(now());
    await clock.tick(now());
    expect(await missed()).toBe(before + 1);
    // Heeding what is not ignored is done already.
    const { cursor } = await booted(dana);
    expect((await dana<{ seq: number }>('DELETE', missedPath(uid))).body.data.seq).toBe(cursor);
    await clock.stop();
  });

  test('DESK-4: it ends at its time or with a success, and every device is told', async () => {
    const { office, dana } = await begin();
    const begun = now();
    const two = begun - 5.5 * HOUR;
    await office.post(1, [ran('ends', two), ran('runs', two), ran('fails', two)]);
    const clock = getClock(office);
    await clock.tick(now());
    const until = begun + 2 * DAY;
    for (const name of ['ends', 'runs', 'fails'])
      expect(
        (await dana('POST', missedPath(await loadUid(dana, name)), { ignoredUntil: iso(until) }))
          .status,
      ).toBe(200);
    const device = await booted(dana);
    fixture.pass(DAY);
    await office.post(1, [
      ran('runs', two + DAY),
      ran('fails', two + DAY, { status: 'Failed', message: 'no route' }),
    ]);
    await clock.tick(now());
    expect(
      (await eventsSince(dana, device)).flatMap(({ event, actor }) =>
        event.type === 'job.unignored@1' ? [[event.data.what, actor.kind]] : [],
      ),
    ).toEqual([['missed', 'clock']]);
    expect(
      (await booted(dana)).jobs.map(({ name, missedIgnored }) => [
        name,
        missedIgnored?.until ?? null,
      ]),
    ).toEqual([
      ['ends', until],
      ['runs', null],
      ['fails', until],
    ]);
    const lines = async (): Promise<string[]> => {
      const { jobs, problems } = await booted(dana);
      return problems
        .filter(({ state }) => state === 'Missed')
        .map(({ job }) => jobs.find(({ n }) => n === job)?.name ?? '')
        .sort();
    };
    fixture.pass(DAY); // 07:30 of the day on which the time ends
    await clock.tick(now());
    expect(await lines()).toEqual(['runs']);
    fixture.pass(DAY);
    await clock.tick(now());
    expect(await lines()).toEqual(['ends', 'fails', 'runs']);
    await clock.stop();
  });

  test('DESK-4: a snooze that somebody set since stays, and a problem other than a missed run is left alone', async () => {
    const { office, dana, max } = await begin();
    const two = now() - 5.5 * HOUR;
    await office.post(1, [ran('files', two - DAY), failure('sql', `${TODAY}T02:00:00Z`)]);
    const clock = getClock(office);
    await clock.tick(now());
    fixture.pass(DAY);
    await clock.tick(now());
    const [files, sql] = [await loadUid(dana, 'files'), await loadUid(dana, 'sql')];
    const of = async (state: string) =>
      (await booted(dana)).problems.find((one) => one.state === state);
    await dana('POST', missedPath(files), { ignoredUntil: iso(now() + DAY) });
    await dana('POST', missedPath(sql), { ignoredUntil: iso(now() + DAY) });
    expect((await of('Failed'))?.snooze).toBeNull();
    await max('PUT', `monitoring/backoffice/jobExecutions/${(await of('Missed'))?.lastRun}`, {
      change: { kind: 'snooze', until: now() + 3 * DAY, reason: 'new rack' },
    });
    await dana('DELETE', missedPath(files));
    expect((await of('Missed'))?.snooze?.reason).toBe('new rack');
    await clock.stop();
  });

  test("DESK-4: the time is in the future and within a year; an ambiguous job name asks for the source; others' jobs don't exist", async () => {
    const { office, dana, cora, rita } = await begin();
    const two = now() - 5.5 * HOUR;
    await office.post(1, [ran('files', two)]);
    await office.post(2, [ran('files', two), ran('other', two)]);
    const [uid, other] = [await loadUid(dana, 'files'), await loadUid(dana, 'other')];
    const ignore = (who: Asker, of: string, until: number, more: object = {}): Promise<Answer> =>
      who('POST', missedPath(of), { ignoredUntil: iso(until), ...more });
    expect(said(await ignore(cora, uid, now()))).toEqual([
      400,
      'bad-input',
      MESSAGES.ignoreTooShort,
    ]);
    expect(said(await ignore(cora, uid, now() + LIMITS.snoozeMaxMs + 1))).toEqual([
      400,
      'bad-input',
      MESSAGES.ignoreTooLong,
    ]);
    expect((await dana('POST', missedPath(uid), { ignoredUntil: 'tomorrow' })).status).toBe(400);
    expect(said(await ignore(dana, uid, now() + DAY))).toEqual([
      409,
      'conflict',
      MESSAGES.jobAmbiguous,
    ]);
    expect(said(await dana('DELETE', missedPath(uid)))).toEqual([
      409,
      'conflict',
      MESSAGES.jobAmbiguous,
    ]);
    const { jobs } = await booted(dana);
    expect(
      (
        await ignore(dana, uid, now() + DAY, {
          key: jobs.find(({ company }) => company === 2)?.key,
        })
      ).status,
    ).toBe(200);
    expect(
      (await booted(dana)).jobs.map(({ company, name, missedIgnored }) => [
        company,
        name,
        missedIgnored !== null,
      ]),
    ).toEqual([
      [1, 'files', false],
      [2, 'files', true],
      [2, 'other', false],
    ]);
    // Who sees one of them means that one.
    expect((await ignore(cora, uid, now() + LIMITS.snoozeMaxMs)).status).toBe(200);
    for (const [who, of] of [
      [cora, other],
      [dana, 'no such job'],
    ] as const)
      expect(said(await ignore(who, of, now() + DAY))).toEqual([
        404,
        'not-found',
        MESSAGES.notFound,
      ]);
    expect((await ignore(rita, other, now() + DAY)).status).toBe(403);
    expect(
      (
        await dana(
          'DELETE',
          `${missedPath(uid)}?key=${jobs.find(({ company }) => company === 2)?.key}`,
        )
      ).status,
    ).toBe(200);
    expect((await booted(dana)).jobs.map(({ missedIgnored }) => missedIgnored !== null)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('DESK-4: a disabled job is ignored until it is enabled', async () => {
    const { office, dana, cora } = await begin();
    const two = now() - 5.5 * HOUR;
    await office.post(2, [ran('off', two, { enabled: false }), ran('on', two)]);
    const [off, on] = [await loadUid(dana, 'off'), await loadUid(dana, 'on')];
    const ignored = async (): Promise<boolean[]> =>
      (await booted(dana)).jobs.map(({ disabledIgnored }) => disabledIgnored !== null);
    expect(said(await dana('POST', disabledPath(on), {}))).toEqual([
      409,
      'conflict',
      MESSAGES.jobNotDisabled,
    ]);
    expect((await cora('POST', disabledPath(off), {})).status).toBe(404);
    expect((await dana('POST', disabledPath(off), {})).status).toBe(200);
    expect(await ignored()).toEqual([true, false]);
    expect((await dana('DELETE', disabledPath(off))).status).toBe(200);
    expect(await ignored()).toEqual([false, false]);
    await dana('POST', disabledPath(off), {});
    await office.post(2, [ran('off', two + HOUR, { enabled: true })]);
    expect(await ignored()).toEqual([false, false]);
  });
});
