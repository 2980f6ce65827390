/**
 * The field names of the specification (sections 3 and 7) of monitoring, typed by hand: a client that was
 * written by the document finds each of them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getErrors } from './documented.ts';
import type { Fields, Person, Portal } from './documented.ts';
import {
  DAY,
  documentedPortal,
  iso,
  named,
  page,
  readsBy,
  SEEN,
  text,
} from './documented-portal.ts';
import type { Row } from './documented-portal.ts';

const RUNS = 'monitoring/backoffice/jobExecutions';
const JOBS = 'monitoring/backoffice/jobs';
const COMPUTERS = 'monitoring/backoffice/computers';
const TICKETS = 'monitoring/backoffice/tickets';
let portal: Portal;
let ask: Person;
let kate: string;
const { errors, good, list, resultOf: loadResult } = readsBy(() => ask);
const now = (): number => portal.ground.context.clock.now();

const EXECUTION: Fields = {
  _id: 'text',
  mongo_id: 'text',
  jobInstanceUid: 'text',
  note: { content: 'text' },
  ignoredUntil: 'moment',
  status: 'text',
  startTime: 'moment',
  endTime: 'moment',
};
const TICKET: Fields = { _id: 'text', applications: { vac: SEEN, vcd: SEEN, zerto: SEEN } };
const COMPUTER: Fields = {
  _id: 'text',
  hostName: 'text',
  note: { content: 'text' },
  ignoredUntil: 'moment',
  lastSeenAt: 'moment',
};
const MISSED: Fields = {
  _id: 'text',
  mongo_id: 'text',
  jobInstanceUid: 'text',
  jobName: 'text',
  companyName: 'text',
  since: 'moment',
  expectedAt: 'moment',
  nextRun: 'moment',
  ignoredUntil: 'moment',
  note: { content: 'text' },
};
const SLA: Fields = { id: 'text', jobInstanceUid: 'text', maxAgeHours: 'number', enabled: 'flag' };
const EVERYTHING = { companyIds: [], source: [], type: [], entityGroup: [] };

beforeAll(async () => {
  ({ portal, ask, kate } = await documentedPortal());
});
afterAll(() => portal.server.stop(0));

test('ROW-1: the last sync names the entity of each failure', async () => {
  expect(await errors('sync/last-sync', { status: 'text', failed: [{ entity: 'text' }] })).toEqual(
    [],
  );
});

test('ROW-1, ROW-2, RUN-13: results have the documented fields, and each call accepts the IDs of lists', async () => {
  const [one, two] = [await loadResult('one'), await loadResult('two')];
  await good('PUT', `${RUNS}/${named(one, '_id')}`, {
    note: 'Disk is ordered',
    ignoredUntil: iso(now() + DAY),
  });
  expect(getErrors([await good('GET', `${RUNS}/${named(one, 'mongo_id')}`)], EXECUTION)).toEqual(
    [],
  );
  await good('PUT', `${RUNS}/${named(two, 'mongo_id')}`, {
    note: { content: 'Call the customer' },
  });
  expect(await loadResult('two')).toMatchObject({
    note: { content: 'Call the customer' },
    ignoredUntil: null,
  });
  expect(await errors('monitoring/reporting/jobs?pageSize=100', page(EXECUTION))).toEqual([]);
  for (const id of ['_id', 'mongo_id'])
    expect(
      await good('POST', `${RUNS}/bulk`, {
        ids: [named(await loadResult('three'), id), named(await loadResult('four'), id)],
        note: `By ${id}`,
      }),
    ).toMatchObject({ accepted: 2, refused: [] });
  expect(
    await errors(
      'monitoring/reporting/jobs-name',
      page({ jobInstanceUid: 'text', jobName: 'text', companyName: 'text' }),
    ),
  ).toEqual([]);
  for (const ranking of ['failures', 'duration', 'transferred'])
    expect([
      ranking,
      await errors(`monitoring/reporting/jobs/ranking/${ranking}`, [
        {
          jobInstanceUid: 'text',
          jobName: 'text',
          companyName: 'text',
          value: 'number',
          executions: 'number',
        },
      ]),
    ]).toEqual([ranking, []]);
});

test('ROW-1, ROW-2: jobs that did not run and disabled jobs have the documented fields, and are ignored by their uid', async () => {
  const path = 'monitoring/reporting/jobs/didnt-run';
  const [missed] = await list(path);
  const uid = encodeURIComponent(named(missed, 'jobInstanceUid'));
  expect(missed).toMatchObject({ jobName: 'nightly', nextRun: expect.any(String) });
  await good('PUT', `${RUNS}/${named(missed, 'mongo_id')}`, { note: 'The host moves' });
  await good('POST', `${JOBS}/didnt-run/${uid}/ignore`, { ignoredUntil: iso(now() + DAY) });
  expect(await errors(path, page(MISSED))).toEqual([]);
  await good('DELETE', `${JOBS}/didnt-run/${uid}/ignore`);
  expect(await list(path)).toMatchObject([
    { ignoredUntil: null, nextRun: expect.stringMatching(/T02:00:00\.000Z$/) },
  ]);
  expect(
    (
      await ask('POST', `${RUNS}/bulk`, {
        ids: [named(missed, '_id'), named(missed, 'mongo_id')],
        change: { kind: 'review', comment: null },
      })
    ).success,
  ).toBe(true);

  const off = `${path}?scheduleState=Disabled`;
  const [disabled] = await list(off);
  const its = encodeURIComponent(named(disabled, 'jobInstanceUid'));
  await good('POST', `${JOBS}/disabled/${its}/ignore`, {});
  expect(await list(off)).toMatchObject([
    {
      jobName: 'off',
      _id: null,
      mongo_id: null,
      nextRun: null,
      ignored: true,
      scheduleState: 'Disabled',
    },
  ]);
  await good('DELETE', `${JOBS}/disabled/${its}/ignore`);
  expect(await list(off)).toMatchObject([{ ignored: false }]);
});

test('ROW-1, ROW-2: discovered computers have the documented fields, and are noted and ignored by their ID', async () => {
  for (const path of [
    'monitoring/reporting/discovery/computers',
    'monitoring/reporting/discovery/computers/current',
  ]) {
    const [computer] = await list(path);
    const id = encodeURIComponent(named(computer, '_id'));
    await good('POST', `${COMPUTERS}/${id}/note`, { note: 'Retired' });
    await good('POST', `${COMPUTERS}/${id}/ignore`, { ignoredUntil: iso(now() + DAY) });
    expect(await errors(path, [COMPUTER])).toEqual([]);
    await good('DELETE', `${COMPUTERS}/${id}/ignore`);
    expect(await list(path)).toMatchObject([
      { ignored: null, ignoredUntil: null, lastSeenAt: expect.any(String) },
    ]);
  }
});

test('ROW-1, ROW-2: repositories, their trend and their history have IDs, and a history is found by its ID', async () => {
  const paths = ['', '/trend', '/history'].map(
    (path) => `monitoring/reporting/repositories${path}`,
  );
  for (const path of paths)
    expect([
      path,
      getErrors([await list(path)], [{ _id: 'text', name: 'text', companyName: 'text' }]),
    ]).toEqual([path, []]);
  const [repository] = await list(paths[0] ?? '');
  expect(
    await list(
      `monitoring/reporting/repositories/history?repositoryId=${encodeURIComponent(named(repository, '_id'))}`,
    ),
  ).toHaveLength(1);
});

test('ROW-1, ROW-2: SLA alarms have `id` and `jobInstanceUid`, are found by their job, and are changed and removed by their ID', async () => {
  const uid = named((await list('monitoring/reporting/jobs-name'))[0], 'jobInstanceUid');
  const all = 'monitoring/reporting/get-all-sla-alarm';
  const alarm = {
    name: 'Daily',
    enabled: true,
    job: { jobInstanceUid: uid, key: null },
    group: null,
    maxAgeHours: 26,
    minSuccessPct: null,
    windowDays: 7,
    recipients: [],
  };
  const made = await good('POST', 'monitoring/reporting/save-sla-alarm', { alarm });
  await good('POST', 'monitoring/reporting/save-sla-alarm', {
    alarm: { ...alarm, job: null, group: EVERYTHING },
  });
  expect(await errors(all, { alarms: [SLA] })).toEqual([]);
  const own = (
    await good<{ alarms: readonly Row[] }>(
      'GET',
      `monitoring/reporting/get-sla-alarm/${encodeURIComponent(uid)}`,
    )
  ).alarms;
  expect(own.find(({ id }) => id === named(made, 'id'))).toMatchObject({
    jobInstanceUid: uid,
    maxAgeHours: 26,
  });
  for (const { id } of own) {
    await good('PUT', `monitoring/reporting/save-sla-alarm/${text(id)}`, {
      alarm: { ...alarm, maxAgeHours: 30 },
    });
    await good('DELETE', `monitoring/reporting/remove-sla-alarm/${text(id)}`);
  }
  expect(await good('GET', all)).toMatchObject({ alarms: [] });
});

test('ROW-1, ROW-2: rules, hints and report settings have `_id`, and are changed, sent and removed by it; templates have their names', async () => {
  const range = { min: null, max: null };
  const when = {
    sources: [],
    types: [],
    states: ['Failed'],
    companies: [],
    job: '',
    computer: '',
    text: '',
    duration: range,
    bytes: range,
    streak: range,
    time: null,
  };
  const rule = {
    name: 'Known',
    enabled: true,
    from: null,
    to: null,
    when,
    does: { exception: true, snoozeHours: null, note: null, ticket: null, hint: null, notify: [] },
  };
  const rules = 'monitoring/backoffice/rules';
  await good('POST', rules, { rule });
  const hint = {
    name: 'Free the disk',
    when: { text: 'no space', kinds: [], sources: [] },
    summary: 'The target is full.',
    steps: ['Prune'],
    links: [],
    inside: false,
  };
  const hints = 'monitoring/backoffice/hints';
  await good('POST', hints, { hint });
  const setting = {
    name: 'Weekly',
    template: 'detailReport',
    companies: [],
    period: 'last-7',
    schedule: { every: 'day', at: '08:00', timeZone: 'UTC' },
    recipients: ['kate@example.com'],
    format: 'csv',
    language: 'en-US',
    enabled: true,
  };
  const settings = 'monitoring/reporting/reports/settings';
  await good('POST', settings, { setting });
  expect(await errors(rules, { rules: [{ _id: 'text', name: 'text' }] })).toEqual([]);
  expect(await errors(hints, { hints: [{ _id: 'text', name: 'text' }], count: 'number' })).toEqual(
    [],
  );
  expect(
    await errors(settings, { settings: [{ _id: 'text', name: 'text', template: 'text' }] }),
  ).toEqual([]);
  expect(
    await errors('monitoring/reporting/reports/enabled', [
      { key: 'text', prettyName: 'text', description: 'text', templateName: 'text' },
    ]),
  ).toEqual([]);
  const idIn = async (path: string, within: string): Promise<string> =>
    named((await good<Readonly<Record<string, readonly Row[]>>>('GET', path))[within]?.[0], '_id');
  const [ruleId, hintId, settingId] = [
    await idIn(rules, 'rules'),
    await idIn(hints, 'hints'),
    await idIn(settings, 'settings'),
  ];
  await good('PUT', rules, { id: ruleId, rule: { ...rule, name: 'Known since May' } });
  await good('PUT', `${hints}/${hintId}`, { hint: { ...hint, name: 'Clean up' } });
  await good('PUT', `${settings}/${settingId}`, { setting: { ...setting, name: 'Daily' } });
  await good('POST', 'monitoring/reporting/reports/send', { reportSettingId: settingId });
  for (const path of [`${rules}/${ruleId}`, `${hints}/${hintId}`, `${settings}/${settingId}`])
    await good('DELETE', path);
  expect(await good('GET', hints)).toMatchObject({ hints: [], count: 0 });
});

test("ROW-1, ROW-2: each answer with a ticket has `_id` and its company's IDs in other systems, and accepts the IDs of lists", async () => {
  const [first, second] = [
    named(await loadResult('five'), '_id'),
    named(await loadResult('six'), 'mongo_id'),
  ];
  const made = [
    await good('POST', TICKETS, { runs: [first], subject: 'Backups fail' }),
    ...(
      await good<{ tickets: Row[] }>('POST', `${TICKETS}/by-company`, {
        runs: [second],
        subject: 'Again',
      })
    ).tickets,
  ];
  expect(getErrors([made], [TICKET])).toEqual([]);
  expect(made[0]).toMatchObject({
    applications: { vac: { id: 'vac-1' }, vcd: { id: 'vcd-1' }, zerto: { id: 'zerto-1' } },
  });
  for (const path of [TICKETS, 'monitoring/reporting/tickets'])
    expect([path, await errors(path, page(TICKET))]).toEqual([path, []]);
  const id = named((await list(TICKETS))[0], '_id');
  expect(
    getErrors(
      [await good('PUT', `${TICKETS}/${id}`, { subject: 'Backups fail since Monday' })],
      TICKET,
    ),
  ).toEqual([]);
  expect(await errors(`${TICKETS}/${id}`, TICKET)).toEqual([]);
  await good('DELETE', `${TICKETS}/${id}`);
});

test('ROW-3: an API key without the tickets permission reads no IDs of other systems in the tickets that it creates', async () => {
  const { secret } = await good<{ secret: string }>('POST', `profile/${kate}/api-keys`, {
    name: 'Opens tickets',
    abilities: ['monitoring.job-actions', 'monitoring.daily-checks'],
    until: now() + 7 * DAY,
  });
  const run = named(await loadResult('seven'), '_id');
  const {
    status,
    data,
    text: got,
  } = await portal.withKey(secret)('POST', TICKETS, { runs: [run], subject: 'By a program' });
  expect([status, got.includes('vac-1'), data]).toEqual([
    200,
    false,
    expect.objectContaining({
      applications: { vac: { id: null }, vcd: { id: null }, zerto: { id: null } },
    }),
  ]);
});
