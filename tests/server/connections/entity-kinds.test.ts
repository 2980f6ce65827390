import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { getVspcSchedule } from '#server/features/connections/vspc-jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { json, outside, type Query, type Outside, type Details } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { DAY, HOUR, iso, NOON } from '../ingest/fixtures.ts';
import { aConsole, aField, type Field } from './fakes/fixtures.ts';
import { anAgent, anAgentJob, anOffice365Job } from './fakes/vspc-estate.ts';
import { uid } from './fakes/vspc.ts';

let store: Store;
let field: Field;
let there: Outside | undefined;
const MINUTE = 60_000;
const status = async (): Promise<string[]> => {
  const listed = await field.listConnections();
  return listed.ok
    ? (listed.value[0]?.collections ?? []).map(
        ({ entity, status, error }) => `${entity} ${status}${error === null ? '' : ` ${error}`}`,
      )
    : [];
};

test('COLLECT-10: a schedule is used if the console reports it, and otherwise learned', () => {
  expect(
    getVspcSchedule('Daily', { dailyScheduleOptions: { kind: 'Everyday', timeUtc: '22:05:00' } }),
  ).toEqual({ type: 'cron', cron: '5 22 * * *', tz: 'UTC' });
  expect(
    getVspcSchedule('Periodically', {
      periodicallyScheduleOptions: { kind: 'Hours', fullPeriod: 4 },
    }),
  ).toEqual({ type: 'every', everySec: 14_400 });
  for (const said of [
    { dailyScheduleOptions: { kind: 'WeekDays', timeUtc: '22:05:00' } },
    { dailyScheduleOptions: { kind: 'Everyday', timeUtc: '25:00' } },
    {},
    null,
  ])
    expect(getVspcSchedule('Daily', said)).toEqual({ type: 'kind', kind: 'Daily' });
  expect(
    getVspcSchedule('Periodically', {
      periodicallyScheduleOptions: { kind: 'Seconds', fullPeriod: 5 },
    }),
  ).toEqual({ type: 'kind', kind: 'Periodically' });
  expect(getVspcSchedule('Chained', null)).toEqual({ type: 'kind', kind: 'Chained' });
});

/** The line that is read of a daily schedule. */
function cron(
  kind: string,
  time: string | null,
  timeUtc: string,
  days: string[] | null = null,
  startDateTime: string | null = null,
): string | null {
  const schedule = getVspcSchedule('Daily', {
    startDateTime,
    dailyScheduleOptions: { kind, days, time, timeUtc },
  });
  return schedule?.type === 'cron' ? schedule.cron : null;
}

test("COLLECT-10: weekdays follow the server's own time zone, whatever day it is in UTC", () => {
  expect(cron('WeekDays', '22:05:00.0000000', '22:05:00.0000000')).toBe('5 22 * * 1,2,3,4,5');
  // Ten in the evening in New York is the next day, half past six in Delhi is the day before, and
  // Sunday is next to Saturday both ways.
  expect(cron('WeekDays', '22:00:00', '03:00:00')).toBe('0 3 * * 2,3,4,5,6');
  expect(cron('SelectedDays', '22:00:00', '03:00:00', ['Saturday', 'Sunday'])).toBe('0 3 * * 0,1');
  expect(cron('SelectedDays', '04:30:00', '23:00:00', ['Sunday', 'Wednesday'])).toBe(
    '0 23 * * 2,6',
  );
  expect(cron('SelectedDays', '23:30', '10:30', ['Monday'])).toBe('30 10 * * 1');
  // Ten hours behind and fourteen ahead are the same times of another day: the zone of the next
  // start tells them apart.
  expect(cron('SelectedDays', '20:00', '06:00', ['Monday'])).toBe('0 6 * * 2');
  expect(
    cron('SelectedDays', '20:00', '06:00', ['Monday'], '2026-03-02T20:00:00.0000000+14:00'),
  ).toBe('0 6 * * 1');
  expect(cron('SelectedDays', null, '03:00', ['Monday'], '2026-03-02T22:00:00.0000000-05:00')).toBe(
    '0 3 * * 2',
  );
  expect(
    cron('SelectedDays', '22:00', '03:00', ['Monday'], '2026-03-03T03:00:00.0000000+00:00'),
  ).toBe('0 3 * * 2');
  expect(
    cron(
      'SelectedDays',
      '22:00',
      '22:00',
      'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' '),
    ),
  ).toBe('0 22 * * *');
  expect([
    cron('SelectedDays', '22:00', '22:00', []),
    cron('SelectedDays', '22:00', '22:00', ['Someday']),
    cron('Unknown', '22:00', '22:00'),
  ]).toEqual([null, null, null]);
});

const paged = (rows: readonly unknown[], query: URLSearchParams): Details => {
  const skip = Number(query.get('skip'));
  const limit = Math.min(2, Number(query.get('limit')));
  return json({
    data: rows.slice(skip, skip + limit),
    pagination: { total: rows.length, count: Math.min(limit, rows.length - skip), skip, limit },
  });
};
const session = (n: number, at: number, more: Record<string, unknown> = {}) => ({
  id: uid(`session ${n}`),
  name: 'VMs',
  jobId: uid('job 1'),
  sessionType: 'BackupJob',
  creationTime: iso(at),
  endTime: iso(at + 300_000),
  state: 'Stopped',
  platformName: 'VMware',
  result: { result: 'Success', message: 'Success', isCanceled: false },
  algorithm: 'Increment',
  progress: {
    duration: '00:05:00',
    processingRate: '10 MB/s',
    bottleneck: 'Source',
    processedSize: 900,
    readSize: 800,
    transferredSize: 700,
    progressPercent: 100,
  },
  ...more,
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    store = await open();
  });
  beforeEach(async () => {
    field = await aField(store);
  });
  afterEach(async () => {
    await field.collectors.stop();
    await there?.stop();
  });

  test('COLLECT-2: agents give their jobs a computer, and Microsoft 365 jobs a server', async () => {
    const vspc = await aConsole();
    there = vspc.outside;
    await field.company('Ours', uid('company Company 0'));
    vspc.console.agents.push(anAgent('Company 0', 'laptop-1'));
    vspc.console.agentJobs.push(anAgentJob('Company 0', 'laptop-1', NOON - HOUR));
    vspc.console.office365Jobs.push(
      anOffice365Job('Company 0', 'Mailboxes', NOON - HOUR, {
        lastStatus: 'Warning',
        lastStatusDetails: 'One mailbox was skipped',
      }),
      anOffice365Job('Company 0', 'Not set', NOON, { lastStatus: 'NotConfigured', lastRun: null }),
    );
    await field.connect(vspc.outside.url);
    await field.round();
    expect(
      (await field.place.all('job'))
        .map(({ name, type, group, computer, server, managed }) => ({
          name,
          type,
          group,
          computer,
          server,
          managed,
        }))
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    ).toEqual([
      {
        name: 'Backup of laptop-1',
        type: 'Agent',
        group: 'managed-agents',
        computer: 'laptop-1',
        server: '',
        managed: true,
      },
      {
        name: 'Mailboxes',
        type: 'M365',
        group: 'office365',
        computer: '',
        server: 'vb365-1',
        managed: true,
      },
      {
        name: 'Not set',
        type: 'M365',
        group: 'office365',
        computer: '',
        server: 'vb365-1',
        managed: true,
      },
    ]);
    expect(
      (await field.runs()).map(({ status, message, detail }) => [
        status,
        message,
        detail['restorePoints'] ?? null,
      ]),
    ).toEqual([
      ['Success', null, 7],
      ['Warning', 'One mailbox was skipped', null],
    ]);
  });

  test('COLLECT-2: Veeam Backup & Replication reports its sessions, repositories and license, and each session is one run', async () => {
    const company = await field.company('Ours');
    const sessions = [
      session(1, NOON - 3 * HOUR),
      session(2, NOON - 2 * HOUR, {
        result: { result: 'Failed', message: 'No space left', isCanceled: false },
      }),
      session(3, NOON - HOUR, { sessionType: 'RestoreVm' }),
      session(4, NOON - HOUR / 2, { result: { result: 'Failed', message: '', isCanceled: true } }),
      session(5, NOON - 60_000, {
        state: 'Working',
        endTime: null,
        result: { result: 'None', message: '', isCanceled: false },
      }),
    ];
    let token = 0;
    let from = '';
    const refreshed: string[] = [];
    there = await outside((request: Query): Details => {
      const url = new URL(request.path, 'http://x');
      const form = new URLSearchParams(request.body);
      if (request.headers['x-api-version'] !== '1.3-rev2')
        return json({ errorCode: 'InvalidRequest', message: 'No version' }, 400);
      if (url.pathname === '/api/oauth2/token') {
        if (form.get('grant_type') === 'refresh_token')
          refreshed.push(form.get('refresh_token') ?? '');
        return json({
          access_token: `t${(token += 1)}`,
          refresh_token: `r${token}`,
          token_type: 'bearer',
          expires_in: 900,
        });
      }
      if (request.headers.authorization !== `Bearer t${token}`)
        return json({ errorCode: 'ExpiredToken', message: 'Token is expired' }, 401);
      if (url.pathname === '/api/v1/jobs/states')
        return paged(
          [
            {
              id: uid('job 1'),
              name: 'VMs',
              type: 'VSphereBackup',
              status: 'Inactive',
              workload: 'Vm',
              objectsCount: 2,
            },
            {
              id: uid('job 2'),
              name: 'Files',
              type: 'FileBackup',
              status: 'Disabled',
              workload: 'File',
            },
          ],
          url.searchParams,
        );
      if (url.pathname === '/api/v1/sessions') {
        from = url.searchParams.get('createdAfterFilter') ?? '';
        return paged(
          sessions.filter((one) => Date.parse(one.creationTime) >= Date.parse(from)),
          url.searchParams,
        );
      }
      if (url.pathname === '/api/v1/backupInfrastructure/repositories/states')
        return paged(
          [
            {
              id: uid('repo'),
              name: 'Main',
              type: 'WinLocal',
              hostName: 'vbr',
              path: 'E:\\',
              capacityGB: 10,
              freeGB: 2.5,
              usedSpaceGB: 7.5,
              isOnline: true,
            },
          ],
          url.searchParams,
        );
      return url.pathname === '/api/v1/license'
        ? json({
            status: 'Valid',
            edition: 'EnterprisePlus',
            expirationDate: iso(NOON + DAY),
            instances: { licensedInstancesNumber: 10, usedInstancesNumber: 4 },
          })
        : json({ errorCode: 'NotFound', message: 'no' }, 404);
    });
    await field.connect(there.url, {
      kind: 'vbr',
      companyN: company,
      credentials: { kind: 'password', name: 'admin', secret: 'x' },
    });
    await field.round();
    expect(await status()).toEqual([
      'jobs succeeded',
      'sessions succeeded',
      'repositories succeeded',
      'licences succeeded',
    ]);
    expect(
      (await field.runs()).map(({ status, message, bytes, bytesProcessed }) => [
        status,
        message,
        bytes,
        bytesProcessed,
      ]),
    ).toEqual([
      ['Success', null, 700, 900],
      ['Failed', 'No space left', 700, 900],
      ['Failed', 'The session was cancelled.', 700, 900],
      ['Running', null, null, null],
    ]);
    expect(
      (await field.place.all('job')).map(({ name, type, enabled, group }) => [
        name,
        type,
        enabled,
        group,
      ]),
    ).toEqual([
      ['VMs', 'Backup', true, 'managed-servers'],
      ['Files', 'FileShare', false, 'file-share-jobs'],
    ]);
    expect(
      (await field.place.all('repository')).map(({ capacityBytes, freeBytes }) => [
        capacityBytes,
        freeBytes,
      ]),
    ).toEqual([[10 * 2 ** 30, 2.5 * 2 ** 30]]);
    sessions[4] = session(5, NOON - 60_000);
    sessions.push(session(6, NOON + MINUTE));
    await field.round(20 * MINUTE);
    expect(refreshed).toEqual(['r1']);
    expect(Date.parse(from)).toBeLessThanOrEqual(NOON - 60_000);
    expect((await field.runs()).map(({ status }) => status)).toEqual([
      'Success',
      'Failed',
      'Failed',
      'Success',
      'Success',
    ]);
  });

  test('COLLECT-2: a protection group of Zerto has one result a day and one per change, however often it is read', async () => {
    const company = await field.company('Ours');
    const group = {
      VpgIdentifier: uid('vpg'),
      VpgName: 'ERP',
      Status: 1,
      SubStatus: 0,
      StatusDescription: '',
      ActualRPO: 8,
      ConfiguredRpoSeconds: 300,
      VmsCount: 3,
    };
    let session = '';
    there = await outside((request: Query): Details => {
      if (request.path === '/v1/session/add')
        return request.headers.authorization ===
          `Basic ${Buffer.from('admin:x').toString('base64')}`
          ? {
              headers: {
                'x-zerto-session': (session = uid(`session ${request.headers.date ?? ''}`)),
              },
            }
          : { status: 401 };
      if (request.headers['x-zerto-session'] !== session) return { status: 401 };
      return request.path.startsWith('/v1/alerts')
        ? json([
            {
              Link: { identifier: 'a1' },
              Level: 1,
              HelpIdentifier: 'VPG0003',
              Description: 'RPO is not met',
              TurnedOn: iso(NOON),
            },
          ])
        : json([group]);
    });
    await field.connect(there.url, {
      kind: 'zerto',
      companyN: company,
      credentials: { kind: 'password', name: 'admin', secret: 'x' },
    });
    const after = async (ms: number, next: Partial<typeof group> = {}) => {
      Object.assign(group, next);
      await field.round(ms);
      return (await field.runs()).map(({ status, message }) =>
        message === null ? status : `${status}: ${message}`,
      );
    };
    expect(await after(0)).toEqual(['Success']);
    expect(await after(6 * MINUTE)).toEqual(['Success']);
    expect(
      await after(6 * MINUTE, { Status: 4, StatusDescription: 'RPO not met', ActualRPO: 900 }),
    ).toEqual(['Success', 'Warning: RPO not met']);
    expect(await after(6 * MINUTE, { ActualRPO: 950 })).toEqual([
      'Success',
      'Warning: RPO not met',
    ]);
    session = 'over';
    expect(await after(6 * MINUTE, { Status: 6, StatusDescription: '' })).toEqual([
      'Success',
      'Warning: RPO not met',
      'Running',
    ]);
    expect(await after(6 * MINUTE, { Status: 1 })).toEqual([
      'Success',
      'Warning: RPO not met',
      'Success',
    ]);
    expect(await after(DAY)).toEqual(['Success', 'Warning: RPO not met', 'Success', 'Success']);
    expect(await status()).toEqual(['jobs succeeded', 'alarms succeeded']);
  });
});
