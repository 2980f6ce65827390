import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ConnectionOut } from '#contract/connections/calls.ts';
import { syncHandlers } from '#server/platform/sync/handlers.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store } from '#server/platform/db/store.ts';
import { json } from '../outbound/outside.ts';
import { anyStore } from '../db/databases.ts';
import { anAsk, DAY, HOUR, NOON } from '../ingest/fixtures.ts';
import { aField, type Field } from './fakes/fixtures.ts';
import {
  aComputer,
  aJob,
  aLicence,
  anAlarm,
  aRepository,
  aServer,
  aSession,
  fill,
} from './fakes/vspc-estate.ts';
import { refused, type StandIn, uid, USER, vspcStandIn } from './fakes/vspc.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

let store: Store;
let vspc: StandIn;
let field: Field;
beforeAll(async () => {
  store = await anyStore();
});
beforeEach(async () => {
  vspc = await vspcStandIn();
  field = await aField(store);
});
afterEach(async () => {
  await field.collectors.stop();
  await vspc.outside.stop();
});

const MINUTE = 60_000;
const one = async (): Promise<ConnectionOut> => {
  const listed = await field.listConnections();
  if (!listed.ok || !listed.value[0]) throw new Error('no connection');
  return listed.value[0];
};
const collection = async (entity: string) =>
  (await one()).collections.find((row) => row.entity === entity);
const JOB = { company: 'Company 0', server: 'vbr-0', name: 'SQL nightly' };

test('COLLECT-2: jobs, their last runs, repositories and computers go to the linked companies, and unlinked ones are reported', async () => {
  const { console } = vspc;
  const mine = await field.company('Ours', uid('company Company 0').toUpperCase());
  fill(console, 2, 4, NOON - HOUR);
  console.repositories.push(
    aRepository('vbr-0', 'Main', 1_000_000, 400_000),
    aRepository('vbr-1', 'Other', 1_000, 1),
  );
  const { computer, agent } = aComputer('Company 0', 'pc-7');
  console.computers.push(computer);
  console.managementAgents.push(agent);
  console.alarms.push(anAlarm('Company 0', 'Main', NOON - HOUR));
  console.licences.push(aLicence('Company 0', 12));
  await field.connect(vspc.outside.url);
  await field.round();
  const jobs = await field.place.all('job');
  expect(
    jobs.map(({ name, company, source, type, group, server, managed, schedule }) => ({
      name,
      company,
      source,
      type,
      group,
      server,
      managed,
      schedule,
    })),
  ).toEqual([
    expect.objectContaining({ name: 'Job 2', company: mine }),
    {
      name: 'Job 0',
      company: mine,
      source: 'vac',
      type: 'Backup',
      group: 'managed-servers',
      server: 'vbr-0',
      managed: true,
      schedule: { type: 'cron', cron: '0 11 * * *', tz: 'UTC' },
    },
  ]);
  const runs = await field.runs();
  expect(
    runs.map(({ status, startedAt, durationSec, bytes, message }) => ({
      status,
      startedAt,
      durationSec,
      bytes,
      message,
    })),
  ).toEqual([
    {
      status: 'Success',
      startedAt: NOON - HOUR - 2000,
      durationSec: 600,
      bytes: 1_052_000,
      message: null,
    },
    {
      status: 'Failed',
      startedAt: NOON - HOUR,
      durationSec: 600,
      bytes: 1_052_000,
      message: 'Unable to connect to the guest.',
    },
  ]);
  expect(
    (await field.place.all('repository')).map(
      ({ name, company, capacityBytes, freeBytes, usedBytes, sampledAt }) => ({
        name,
        company,
        capacityBytes,
        freeBytes,
        usedBytes,
        sampledAt,
      }),
    ),
  ).toEqual([
    {
      name: 'Main',
      company: mine,
      capacityBytes: 1_000_000,
      freeBytes: 400_000,
      usedBytes: 600_000,
      sampledAt: NOON,
    },
  ]);
  expect(
    (await field.place.all('computer')).map(({ hostName, company, os }) => ({
      hostName,
      company,
      os,
    })),
  ).toEqual([{ hostName: 'pc-7', company: mine, os: 'Windows Server 2022' }]);
  expect(await one()).toMatchObject({ companies: { linked: 1, unlinked: 1 }, alarms: 1 });
  expect(
    (await one()).collections.map(({ entity, status, rows, unlinked }) => [
      entity,
      status,
      rows,
      unlinked,
    ]),
  ).toEqual([
    ['companies', 'succeeded', 2, 1],
    ['servers', 'succeeded', 2, 1],
    ['agents', 'succeeded', 0, 0],
    ['jobs', 'succeeded', 4, 2],
    ['agent-jobs', 'succeeded', 0, 0],
    ['office365-jobs', 'succeeded', 0, 0],
    ['sessions', 'succeeded', 0, 0],
    ['repositories', 'succeeded', 2, 1],
    ['computers', 'succeeded', 1, 0],
    ['alarms', 'succeeded', 1, 0],
    ['licences', 'succeeded', 1, 0],
  ]);
  expect((await rebuild(store, { only: [field.tenant] }))[0]?.differences).toEqual([]);
});

test('COLLECT-2: a company that is linked later gets its jobs in the next round; a job that moves to another company keeps its past in the first', async () => {
  fill(vspc.console, 2, 2, NOON - HOUR);
  await field.company('First', uid('company Company 0'));
  await field.connect(vspc.outside.url);
  await field.round();
  expect(await field.runs()).toHaveLength(1);
  const second = await field.company('Second', uid('company Company 1'));
  await field.round(6 * MINUTE);
  expect((await field.place.all('job')).map(({ name, company }) => [name, company])).toContainEqual(
    ['Job 1', second],
  );
  vspc.console.jobs = vspc.console.jobs.map((job) =>
    job['name'] === 'Job 0' ? { ...job, mappedOrganizationUid: uid('company Company 1') } : job,
  );
  await field.round(6 * MINUTE);
  expect(
    (await field.place.all('job'))
      .filter(({ name }) => name === 'Job 0')
      .map(({ company, enabled }) => [company === second, enabled]),
  ).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(await field.runs()).toHaveLength(2);
});

test('COLLECT-3: repeated reads add no duplicate results; changes are reported, and a run that ends is one run', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  console.servers.push(aServer('Company 0', 'vbr-0'));
  console.jobs.push(
    aJob(JOB, NOON - HOUR, {
      status: 'Running',
      lastEndTime: null,
      lastDuration: null,
      transferredData: null,
    }),
  );
  await field.connect(vspc.outside.url);
  await field.round();
  expect((await field.runs()).map(({ status }) => status)).toEqual(['Running']);
  console.jobs = [aJob(JOB, NOON - HOUR)];
  for (let n = 0; n < 3; n += 1) await field.round(6 * MINUTE);
  expect((await field.runs()).map(({ status, bytes }) => [status, bytes])).toEqual([
    ['Success', 1_052_000],
  ]);
  console.jobs = [aJob(JOB, NOON - HOUR, { isEnabled: false })];
  await field.round(6 * MINUTE);
  expect((await field.place.all('job')).map(({ enabled }) => enabled)).toEqual([false]);
  expect(await field.runs()).toHaveLength(1);
});

test('COLLECT-3: the history adds the runs between two reads, and overrides nothing from the list of jobs', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  console.servers.push(aServer('Company 0', 'vbr-0'));
  console.jobs.push(aJob(JOB, NOON - HOUR));
  console.sessions.push(
    ...[5, 4, 3, 1].map((hours) =>
      aSession(
        JOB,
        NOON - hours * HOUR,
        hours === 4 ? { result: 'Failed', failureMessage: 'No space' } : {},
      ),
    ),
    aSession({ ...JOB, name: 'Nobody knows' }, NOON - HOUR),
  );
  await field.connect(vspc.outside.url);
  for (let n = 0; n < 3; n += 1) await field.round(6 * MINUTE);
  expect(
    (await field.runs())
      .map(({ status, startedAt, bytes }) => [status, (NOON - startedAt) / HOUR, bytes])
      .toSorted((a, b) => Number(b[1]) - Number(a[1])),
  ).toEqual([
    ['Success', 5, null],
    ['Failed', 4, null],
    ['Success', 3, null],
    ['Success', 1, 1_052_000],
  ]);
  expect(await collection('sessions')).toMatchObject({ rows: 5, unlinked: 1, status: 'succeeded' });
});

test('COLLECT-2: a job missing from the console for half a day is disabled, and one that never ran is known', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  console.jobs.push(
    aJob(JOB, NOON - HOUR),
    aJob({ ...JOB, name: 'Never' }, NOON, { status: 'None', lastRun: null, lastEndTime: null }),
  );
  await field.connect(vspc.outside.url);
  await field.round();
  expect(
    (await field.place.all('job'))
      .map(({ name, enabled }) => [name, enabled])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  ).toEqual([
    ['Never', true],
    ['SQL nightly', true],
  ]);
  console.jobs = console.jobs.slice(1);
  const enabled = async () =>
    (await field.place.all('job'))
      .map((job) => [job.name, job.enabled])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  await field.round(11 * HOUR);
  expect(await enabled()).toEqual([
    ['Never', true],
    ['SQL nightly', true],
  ]);
  await field.round(2 * HOUR);
  expect(await enabled()).toEqual([
    ['Never', true],
    ['SQL nightly', false],
  ]);
  expect(await field.runs()).toHaveLength(1);
});

test('COLLECT-5: a failing entity delays no other, is retried later each time, and recovers with its first success', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  console.jobs.push(aJob(JOB, NOON - HOUR));
  console.fault = (_requested, path) =>
    path === 'alarms/active' ? refused('The database is being moved.', 500) : null;
  await field.connect(vspc.outside.url);
  await field.round();
  expect(await field.runs()).toHaveLength(1);
  expect(await collection('alarms')).toMatchObject({
    status: 'failed',
    fails: 1,
    error: `${new URL(vspc.outside.url).host} responded with status 500: The database is being moved.`,
  });
  const countAlarmQueries = () =>
    vspc.outside.asked.filter(({ path }) => path.includes('alarms/active')).length;
  await field.round(20_000);
  expect(countAlarmQueries()).toBe(1);
  await field.round(20_000);
  expect(countAlarmQueries()).toBe(2);
  await field.round(50_000);
  expect(countAlarmQueries()).toBe(2);
  console.fault = () => null;
  await field.round(30_000);
  expect(await collection('alarms')).toMatchObject({ status: 'succeeded', fails: 0, error: null });
});

test('COLLECT-5: a token that expires in the middle of a list is renewed, or a new sign-in follows', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  fill(console, 1, 25, NOON - HOUR);
  console.maxPage = 10;
  let ended = 0;
  console.fault = (request, path) => {
    if (
      path === 'infrastructure/backupServers/jobs' &&
      request.path.includes('offset=10') &&
      ended < 1
    ) {
      ended += 1;
      vspc.tokens.clear();
    }
    return null;
  };
  await field.connect(vspc.outside.url, { credentials: { kind: 'password', ...USER } });
  await field.round();
  expect([vspc.signIns, vspc.renewals]).toEqual([1, 1]);
  expect(await field.runs()).toHaveLength(25);
  console.fault = (request) =>
    request.body.includes('refresh_token') ? json({ error: 'invalid_grant' }, 400) : null;
  vspc.tokens.clear();
  await field.round(6 * MINUTE);
  expect([vspc.signIns, vspc.renewals]).toEqual([2, 1]);
  expect(await collection('jobs')).toMatchObject({ status: 'succeeded', rows: 25 });
});

test('COLLECT-5: refused credentials are tried once, not once per entity, and not again for ten minutes', async () => {
  await field.connect(vspc.outside.url, {
    credentials: { kind: 'password', name: 'collector', secret: 'wrong' },
  });
  await field.round();
  expect(vspc.outside.asked).toHaveLength(1);
  expect(
    new Set((await one()).collections.map(({ status, error }) => `${status} ${error}`)),
  ).toEqual(new Set([`failed ${new URL(vspc.outside.url).host} didn't accept the credentials.`]));
  await field.round(9 * MINUTE);
  expect(vspc.outside.asked).toHaveLength(1);
  await field.round(4 * MINUTE);
  expect(vspc.outside.asked).toHaveLength(2);
});

test('COLLECT-5: a console that rate-limits is not queried for as long as it says, and the list continues where it was', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  fill(console, 1, 30, NOON - HOUR);
  console.maxPage = 10;
  console.fault = (request, path) =>
    path === 'infrastructure/backupServers/jobs' && request.path.includes('offset=20')
      ? { status: 429, headers: { 'retry-after': '240' } }
      : null;
  await field.connect(vspc.outside.url);
  await field.round();
  expect(await field.runs()).toHaveLength(20);
  const query = vspc.outside.asked.length;
  console.fault = () => null;
  await field.round(200_000);
  expect(vspc.outside.asked).toHaveLength(query);
  await field.round(100_000);
  expect(
    vspc.outside.asked.slice(query).find(({ path }) => path.includes('backupServers/jobs'))?.path,
  ).toContain('offset=20');
  expect(await field.runs()).toHaveLength(30);
});

test('COLLECT-5: a delayed answer is awaited at the given address; one that is cut off, slow or different fails its entity', async () => {
  const { console } = vspc;
  await field.collectors.stop();
  field = await aField(store, undefined, 300);
  await field.company('Ours', uid('company Company 0'));
  console.jobs.push(aJob(JOB, NOON - HOUR));
  console.later = (_requested, path) => path === 'infrastructure/backupServers/jobs';
  console.fault = (_requested, path) =>
    path === 'alarms/active'
      ? { body: '{"data":[{"instanceUid":"' }
      : path === 'discovery/computers'
        ? { silent: true }
        : path === 'licensing/usage/organizations'
          ? json({ data: 'none' })
          : null;
  await field.connect(vspc.outside.url);
  await field.round();
  expect(await field.runs()).toHaveLength(1);
  const { host, hostname } = new URL(vspc.outside.url);
  expect(
    (await one()).collections
      .filter(({ status }) => status === 'failed')
      .map(({ entity, error }) => [entity, error]),
  ).toEqual([
    ['computers', `${hostname} didn't respond in time.`],
    ['alarms', `${host} sent a response that isn't valid JSON.`],
    ['licences', `${host} sent an unexpected response (data).`],
  ]);
});

test('COLLECT-3: rows that move between pages during a read are all found; a list that never settles fails', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  fill(console, 1, 30, NOON - HOUR);
  console.maxPage = 10;
  let turns = 0;
  console.order = (rows, path) =>
    path === 'infrastructure/backupServers/jobs' && turns++ < 4 ? rows.toReversed() : rows;
  await field.connect(vspc.outside.url);
  await field.round();
  expect(await field.runs()).toHaveLength(30);
  console.fault = (request, path) => {
    if (path !== 'infrastructure/backupServers/jobs') return null;
    const offset = Number(/offset=(\d+)/.exec(request.path)?.[1]);
    return json({
      meta: { pagingInfo: { total: 31, count: 10, offset } },
      data: console.jobs.slice(offset, offset + 10),
    });
  };
  await field.round(6 * MINUTE);
  expect(await collection('jobs')).toMatchObject({
    status: 'failed',
    error: 'The list kept changing while it was read: 30 of 31 rows.',
  });
});

test('COLLECT-6: while a connection fails or is off, none of its jobs counts as missed', async () => {
  const { console } = vspc;
  await field.company('Ours', uid('company Company 0'));
  console.jobs.push(
    aJob(JOB, NOON - HOUR, {
      scheduleType: 'Periodically',
      schedule: { periodicallyScheduleOptions: { kind: 'Hours', fullPeriod: 1 } },
    }),
  );
  await field.connect(vspc.outside.url);
  await field.round();
  const clock = missedRunTicks(field.context);
  console.fault = () => refused('down', 500);
  await field.round(6 * MINUTE);
  field.place.ground.pass(6 * HOUR);
  await clock.tick(field.context.clock.now());
  expect((await field.runs()).map(({ status }) => status)).toEqual(['Success']);
  console.fault = () => null;
  await field.round(DAY / 24);
  field.place.ground.pass(3 * HOUR);
  await clock.tick(field.context.clock.now());
  expect((await field.runs()).map(({ status }) => status)).toEqual(['Success', 'Missed']);
  await clock.stop();
});

test('COLLECT-7: a failure is in the last sync with its connection and entity, and each system is a source', async () => {
  vspc.console.fault = (_requested, path) => (path === 'alarms/active' ? refused('no', 500) : null);
  await field.connect(vspc.outside.url, { name: 'Head office' });
  await field.round();
  const lastSync = () =>
    syncHandlers(field.context).lastSync(
      {},
      anAsk({ ...field.place.ground, context: field.context }, field.tenant),
    );
  expect(await lastSync()).toMatchObject({
    ok: true,
    value: { status: 'FAILED', failed: [{ entity: 'Head office: Alarms' }] },
  });
  vspc.console.fault = () => null;
  await field.round(HOUR);
  const now = await lastSync();
  expect(now).toMatchObject({
    ok: true,
    value: { status: 'SUCCEEDED', failed: [], at: field.context.clock.now() },
  });
  expect(now.ok && now.value.sources).toContainEqual({
    source: 'vac',
    keys: 1,
    failed: 0,
    at: field.context.clock.now(),
  });
});
