import { beforeAll, expect, test } from 'vitest';
import type { Bootstrap } from '#contract/sync/calls.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import type { Task } from '#contract/runs/task.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { anExecution, aPlace } from './fixtures.ts';

const DAY = '2026-03-02';
const path = (run: number | undefined): string => `monitoring/backoffice/jobExecutions/${run}`;
const newest = async (me: Asker): Promise<number | undefined> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.problems
    .map(({ lastRun }) => lastRun)
    .sort((a, b) => b - a)[0];
const loadTasks = async (me: Asker, run: number | undefined): Promise<readonly Task[]> =>
  (await me<Execution>('GET', path(run))).body.data.tasks;

const failed = (externalId: string, hour: number, more: object = {}): unknown =>
  anExecution({
    externalId,
    status: 'Failed',
    message: 'no space left on device',
    startTime: `${DAY}T0${hour}:00:00Z`,
    endTime: `${DAY}T0${hour}:10:00Z`,
    ...more,
  });
const one = (tasks: unknown): unknown =>
  anExecution({ job: `job ${JSON.stringify(tasks).length}`, tasks });

eachDatabase((_name, open) => {
  let fixture: Fixture;
  let office: Office;
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('TASK-1, SYNC-6: the objects of a run are listed worst first, then in order, for users who can see the run', async () => {
    office = await anOffice(fixture);
    const me = await office.as('anna', ['operator']);
    const stranger = await office.as('bert', ['operator'], [2]);
    await office.post(1, [
      failure('farm', `${DAY}T01:00:00Z`, {
        tasks: [
          {
            name: 'VM-1',
            status: 'Success',
            startTime: `${DAY}T01:00:00+01:00`,
            durationSec: 60,
            bytesTransferred: 5_000,
            bytesProcessed: 9_000,
          },
          { name: 'VM-2', status: 'Pending' },
          { name: ' VM-3 ', status: 'Failed', message: 'no route to host' },
          { name: 'VM-4', status: 'Success', message: null },
          { name: 'VM-5', status: 'Warning', message: '' },
          { name: 'VM-6', status: 'Error' },
        ],
      }),
    ]);
    const run = await newest(me);
    const tasks = await loadTasks(me, run);
    expect(tasks.map(({ name, status }) => [name, status])).toEqual([
      ['VM-3', 'Failed'],
      ['VM-6', 'Error'],
      ['VM-5', 'Warning'],
      ['VM-2', 'Pending'],
      ['VM-1', 'Success'],
      ['VM-4', 'Success'],
    ]);
    expect(tasks[0]).toEqual({
      name: 'VM-3',
      status: 'Failed',
      startTime: null,
      durationSec: null,
      bytesTransferred: null,
      bytesProcessed: null,
      message: 'no route to host',
    });
    expect(tasks[4]).toMatchObject({
      startTime: `${DAY}T00:00:00.000Z`,
      durationSec: 60,
      bytesTransferred: 5_000,
      bytesProcessed: 9_000,
      message: null,
    });
    const none = await stranger('GET', path(run));
    expect([none.status, none.text.includes('VM-3')]).toEqual([404, false]);
  });

  test('TASK-1: the last report of a run counts; a duplicate changes nothing, and a run without objects has none', async () => {
    office = await anOffice(fixture);
    const me = await office.as('cora', ['operator']);
    const base = { externalId: 'r1', tasks: [{ name: 'first', status: 'Running' }] };
    await office.post(1, [
      failure('farm', `${DAY}T01:00:00Z`, {
        ...base,
        status: 'Running',
        endTime: null,
        message: null,
      }),
    ]);
    await office.post(1, [
      failure('farm', `${DAY}T01:00:00Z`, {
        ...base,
        tasks: [
          { name: 'first', status: 'Failed' },
          { name: 'second', status: 'Success' },
        ],
      }),
    ]);
    const run = await newest(me);
    expect((await loadTasks(me, run)).map(({ name }) => name)).toEqual(['first', 'second']);
    await office.post(1, [
      failure('farm', `${DAY}T01:00:00Z`, {
        ...base,
        tasks: [{ name: 'other', status: 'Failed' }],
      }),
    ]);
    expect((await loadTasks(me, run)).map(({ name }) => name)).toEqual(['first', 'second']);
    await office.post(1, [failure('farm', `${DAY}T02:00:00Z`)]);
    expect(await loadTasks(me, await newest(me))).toEqual([]);
  });

  test('TASK-1, LOG-5, T3: objects are outside the log: no event names them, a rebuild leaves them, and no other provider sees them', async () => {
    const place = await aPlace(await open());
    const other = await aPlace(await open());
    await place.post(
      'executions',
      anExecution({ tasks: [{ name: 'only-object', status: 'Success' }] }),
    );
    const rows = (tenant: string) =>
      place.ground.context.store.tenant(tenant, ({ sql }) =>
        sql.selectFrom('run_task').select('tasks').execute(),
      );
    expect(await rows(place.tenant)).toMatchObject([{ tasks: [{ name: 'only-object' }] }]);
    expect(await rows(other.tenant)).toEqual([]);
    expect(
      JSON.stringify(
        await place.ground.context.store.tenant(place.tenant, (tx) => tx.eventsAfter(0, 100)),
      ),
    ).not.toContain('only-object');
    expect(
      (await rebuild(place.ground.context.store, { only: [place.tenant], write: true }))[0]
        ?.differences,
    ).toEqual([]);
    expect(await rows(place.tenant)).toHaveLength(1);
  });

  test('RUN-8, LOG-5: a corrected result is one run of its problem, also after a rebuild', async () => {
    const place = await aPlace(await open());
    await place.post('executions', [failed('a', 1), failed('b', 2)]);
    await place.post('executions', failed('b', 2, { bytesTransferred: 5 }));
    await place.post('executions', failed('a', 1, { bytesTransferred: 6 }));
    await place.post('executions', failed('a', 1, { bytesTransferred: 6 }));
    expect(await place.all('problem')).toMatchObject([{ runs: 2, lastRun: 2 }]);
    await place.post('executions', failed('c', 3));
    expect(await place.all('problem')).toMatchObject([{ runs: 3 }]);
    expect(
      (await rebuild(place.ground.context.store, { only: [place.tenant] }))[0]?.differences,
    ).toEqual([]);
  });

  test('PANEL-3: the history of a problem has snoozes with their end, added and removed tickets and notes, and how it ended', async () => {
    office = await anOffice(fixture);
    const me = await office.as('dora', ['operator']);
    await office.post(1, [failure('farm', `${DAY}T01:00:00Z`)]);
    const run = await newest(me);
    const until = Date.parse(`${DAY}T20:00:00Z`);
    for (const change of [
      { kind: 'note', content: 'is it on?' },
      { kind: 'ticket', ticket: 'T-5' },
      { kind: 'snooze', until, reason: 'parts on order' },
      { kind: 'unsnooze' },
      { kind: 'note', content: null },
      { kind: 'ticket', ticket: null },
      { kind: 'review', comment: null },
      { kind: 'ticket', ticket: 'T-6' },
    ]) {
      fixture.pass(1_000);
      expect([change.kind, (await me('PUT', path(run), { change })).status]).toEqual([
        change.kind,
        200,
      ]);
    }
    fixture.pass(1_000);
    await office.post(1, [
      failure('farm', `${DAY}T02:00:00Z`, { status: 'Success', message: null }),
    ]);
    const { history, problem } = (await me<Execution>('GET', path(run))).body.data;
    expect(problem?.ticket).toBe('T-6');
    expect(history.map(({ who, what, comment, until: end }) => [who, what, comment, end])).toEqual([
      ['Source', 'Over', null, null],
      ['DORA', 'Ticket', 'T-6', null],
      ['DORA', 'Reviewed', null, null],
      ['DORA', 'Ticket removed', null, null],
      ['DORA', 'Note removed', null, null],
      ['DORA', 'Snooze ended', null, null],
      ['DORA', 'Snoozed', 'parts on order', new Date(until).toISOString()],
      ['DORA', 'Ticket', 'T-5', null],
      ['DORA', 'Note', 'is it on?', null],
      ['Source', 'Began', null, null],
    ]);
  });

  test('TASK-2, ING-4: a bad object is reported with its position and reason, its record is refused, and the others are accepted', async () => {
    const place = await aPlace(await open());
    const good = { name: 'a', status: 'Success' };
    const { data } = await place.post<Ingested>('executions', [
      one([good]),
      one([good, { name: 'b', status: 'Fine' }]),
      one([{ status: 'Success' }]),
      one([good, good, { ...good, surprise: 1 }]),
      one([{ ...good, startTime: '2026-13-45T99:00:00Z' }]),
      one([{ ...good, startTime: '2036-01-01T00:00:00Z' }]),
      one([{ ...good, bytesTransferred: 2 ** 60 }]),
      one([{ ...good, durationSec: 2 ** 40 }]),
      one([{ ...good, name: 'n'.repeat(201) }]),
      one([{ ...good, message: 'm'.repeat(501) }]),
      one(Array.from({ length: 501 }, () => good)),
      one('all'),
      one(Array.from({ length: 500 }, () => good)),
      one(null),
    ]);
    expect(data.rejected.map(({ index, error }) => [index, error.split(':')[0]])).toEqual([
      [1, 'tasks.1.status'],
      [2, 'tasks.0.name'],
      [3, 'tasks.2.surprise'],
      [4, 'tasks.0.startTime'],
      [5, 'tasks.0.startTime'],
      [6, 'tasks.0.bytesTransferred'],
      [7, 'tasks.0.durationSec'],
      [8, 'tasks.0.name'],
      [9, 'tasks.0.message'],
      [10, 'tasks'],
      [11, 'tasks'],
    ]);
    expect(data).toMatchObject({ accepted: 3 });
    expect(JSON.stringify(data.rejected)).not.toContain('Fine');
    const single = await place.post('executions', one([{ ...good, durationSec: -1 }]));
    expect(single).toMatchObject({
      status: 400,
      error: { issues: [{ path: 'tasks.0.durationSec' }] },
    });
  });

  test("TASK-2, ING-2: no secret and no text that a database can't store is stored of an object", async () => {
    const place = await aPlace(await open());
    const tasks = [
      {
        name: 'sftp://me:pa55@nas/x',
        status: 'Failed',
        message: 'token=hunter2 \0 \uD800 refused',
      },
    ];
    expect((await place.post('executions', anExecution({ tasks }))).data).toMatchObject({
      accepted: 1,
    });
    const rows = await place.ground.context.store.tenant(place.tenant, ({ sql }) =>
      sql.selectFrom('run_task').select('tasks').execute(),
    );
    expect(rows).toMatchObject([
      { tasks: [{ name: 'sftp://me:***@nas/x', message: 'token=*** \u{FFFD} \u{FFFD} refused' }] },
    ]);
  });

  test('TASK-1, ING-9: a CloudEvent can have objects too', async () => {
    office = await anOffice(fixture);
    const me = await office.as('emil', ['operator']);
    const keeper = await office.as('fred', ['admin']);
    const { secret } = (
      await keeper<{ secret: string }>('POST', 'monitoring/sources', {
        name: 'events',
        companyN: 1,
        tool: 'api',
      })
    ).body.data;
    const event = {
      specversion: '1.0',
      id: 'e1',
      source: '/pc',
      type: 'io.daybook.backup.execution.finished.v1',
      subject: 'Farm',
      time: `${DAY}T02:00:00Z`,
      data: {
        status: 'Failed',
        startTime: `${DAY}T01:00:00Z`,
        message: 'no',
        tasks: [{ name: 'VM-9', status: 'Failed' }],
      },
    };
    await ask(office.app, '/api/v1/ingest/events', {
      method: 'POST',
      host: office.host,
      token: secret,
      body: event,
      headers: { 'content-type': 'application/cloudevents+json' },
    });
    expect(await loadTasks(me, await newest(me))).toMatchObject([
      { name: 'VM-9', status: 'Failed' },
    ]);
  });
});
