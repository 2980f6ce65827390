import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ExecutionIn, ExecutionInSchema, ingestCalls } from '#contract/ingest/calls.ts';
import { getTemplate } from '#contract/problems/cause.ts';
import { readBacula } from '#server/features/ingest/tools/bacula.ts';
import { readBorg } from '#server/features/ingest/tools/borg.ts';
import { readDuplicati } from '#server/features/ingest/tools/duplicati.ts';
import { statusOfExit } from '#server/features/ingest/tools/exit-code.ts';
import { readKopia } from '#server/features/ingest/tools/kopia.ts';
import { readRclone } from '#server/features/ingest/tools/rclone.ts';
import type { Reader, ToolQuery } from '#server/features/ingest/tools/tool-output.ts';
import { readRestic } from '#server/features/ingest/tools/restic.ts';
import { readToolQuery } from '#server/features/ingest/tool-query.ts';
import { fixture, iso, NOON } from './fixtures.ts';

const plain: ToolQuery = {
  job: 'files',
  host: 'pc-1',
  exit: null,
  tz: null,
  schedule: null,
  graceSec: null,
};
const read = (reader: Reader, name: string, more: Partial<ToolQuery> = {}): ExecutionIn => {
  const { executions, rejected } = reader(fixture(name), { ...plain, ...more }, NOON);
  expect(rejected).toEqual([]);
  // What a reader makes is what a source of our own could have posted.
  for (const { execution } of executions)
    expect(v.safeParse(ExecutionInSchema, execution).issues ?? []).toEqual([]);
  return executions[0]?.execution ?? expect.fail('nothing was read');
};

test('SRC-1: restic 0.14, as it really ran: success, unreadable, wrong password, no repository, no source', () => {
  expect(read(readRestic, 'restic-good.txt', { exit: 0 })).toMatchObject({
    job: 'files',
    computer: 'pc-1',
    source: 'restic',
    type: 'Backup',
    status: 'Success',
    externalId: '231c4759',
    exitCode: 0,
    endTime: iso(NOON),
    startTime: iso(NOON - 263),
    durationSec: 0,
    bytesTransferred: 302_126,
    bytesProcessed: 300_003,
    filesTotal: 2,
    filesFailed: 0,
    message: null,
    detail: { snapshot: '231c4759', filesNew: 2, filesChanged: 0 },
  });
  expect(read(readRestic, 'restic-unreadable.txt', { exit: 3 })).toMatchObject({
    status: 'Warning',
    filesTotal: 3,
    filesFailed: 1,
    bytesTransferred: 52_117,
    message: 'Could not be read: open /srv/src/locked.txt: permission denied',
  });
  expect(read(readRestic, 'restic-password.txt', { exit: 1 })).toMatchObject({
    status: 'Failed',
    message: 'wrong password or no key found',
    bytesTransferred: null,
  });
  expect(read(readRestic, 'restic-missing.txt', { exit: 1 }).message).toBe(
    'unable to open config file: stat /srv/none/config: no such file or directory',
  );
  expect(read(readRestic, 'restic-nosource.txt', { exit: 1 }).message).toBe(
    'all target directories/files do not exist',
  );
  const kinds = ['password', 'missing', 'unreadable'].map(
    (name) =>
      getTemplate(
        read(readRestic, `restic-${name}.txt`, { exit: name === 'unreadable' ? 3 : 1 }).message ??
          '',
      ).kind,
  );
  expect(kinds).toEqual(['access', 'connection', 'access']);
});

test('SRC-1: restic without an exit code, interrupted, and of a later version that writes its times', () => {
  expect(read(readRestic, 'restic-good.txt').status).toBe('Success');
  expect(read(readRestic, 'restic-unreadable.txt').status).toBe('Warning');
  expect(read(readRestic, 'restic-password.txt').status).toBe('Failed');
  expect(read(readRestic, 'restic-good.txt', { exit: 130 }).message).toContain('Cancelled');
  const later =
    '{"message_type":"summary","backup_start":"2026-03-02T03:00:00.5+01:00","backup_end":"2026-03-02T03:05:00.25+01:00","total_duration":299.75,"data_added":10,"data_added_packed":7,"snapshot_id":"ab"}';
  const [one] = readRestic(later, { ...plain, exit: 0 }, NOON).executions;
  expect(one).toMatchObject({
    byArrival: false,
    execution: {
      startTime: '2026-03-02T02:00:00.500Z',
      endTime: '2026-03-02T02:05:00.250Z',
      durationSec: 300,
      bytesTransferred: 7,
    },
  });
  const exit =
    '{"message_type":"exit_error","code":12,"message":"Fatal: wrong password or no key found"}';
  expect(readRestic(exit, plain, NOON).executions[0]?.execution).toMatchObject({
    status: 'Failed',
    exitCode: 12,
  });
  expect(readRestic('', plain, NOON).rejected).toHaveLength(1);
  expect(readRestic('', { ...plain, exit: 1 }, NOON).executions[0]?.execution).toMatchObject({
    status: 'Failed',
    message: 'restic ended with exit code 1.',
  });
});

test('SRC-2: borg 1.2.4, as it really ran; its local times are read in the zone of the address', () => {
  expect(read(readBorg, 'borg-good.txt', { exit: 0, tz: '+02:00' })).toMatchObject({
    source: 'borg',
    status: 'Success',
    externalId: expect.stringMatching(/^[\da-f]{64}$/) as string,
    startTime: '2026-11-21T00:34:27.000Z',
    endTime: '2026-11-21T00:34:27.000Z',
    durationSec: 0,
    bytesTransferred: 300_616,
    bytesProcessed: 300_529,
    filesTotal: 2,
    filesFailed: 0,
    message: null,
    detail: { archive: 'good', repository: '/srv/br' },
  });
  expect(read(readBorg, 'borg-good.txt', { exit: 0, tz: 'Europe/Berlin' }).endTime).toBe(
    '2026-11-21T01:34:27.000Z',
  );
  expect(read(readBorg, 'borg-good.txt', { exit: 0 }).endTime).toBe(iso(NOON));
  for (const name of ['borg-unreadable.txt', 'borg-unreadable-log-json.txt']) {
    expect(read(readBorg, name, { exit: 1 })).toMatchObject({
      status: 'Warning',
      filesFailed: 1,
      filesTotal: 3,
      message: expect.stringContaining(
        "/srv/src/locked.txt: open: [Errno 13] Permission denied: 'locked.txt'",
      ) as string,
    });
    expect(read(readBorg, name).status).toBe('Warning');
  }
  for (const name of ['borg-password.txt', 'borg-password-log-json.txt']) {
    const one = read(readBorg, name, { exit: 2 });
    expect(one).toMatchObject({
      status: 'Failed',
      message:
        'passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or via BORG_PASSPHRASE_FD is incorrect.',
    });
    expect(getTemplate(one.message ?? '').kind).toBe('access');
  }
  expect(read(readBorg, 'borg-missing.txt', { exit: 2 }).message).toBe(
    'Repository /srv/noneb does not exist.',
  );
  expect(readBorg('', { ...plain, exit: 100 }, NOON).executions[0]?.execution.status).toBe(
    'Warning',
  );
  expect(readBorg('', { ...plain, exit: 143 }, NOON).executions[0]?.execution.message).toContain(
    'signal 15',
  );
});

test('SRC-3: rclone 1.60, as it really ran', () => {
  expect(read(readRclone, 'rclone-good.txt', { exit: 0 })).toMatchObject({
    source: 'rclone',
    type: 'Sync',
    status: 'Success',
    endTime: '2026-11-21T02:34:30.785Z',
    startTime: '2026-11-21T02:34:30.671Z',
    bytesTransferred: 3,
    filesTotal: 1,
    filesFailed: 0,
    message: null,
  });
  expect(read(readRclone, 'rclone-unreadable.txt', { exit: 1 })).toMatchObject({
    status: 'Failed',
    filesFailed: 1,
    bytesTransferred: 350_003,
    message: 'failed to open source object: open /srv/src/locked.txt: permission denied',
  });
  expect(read(readRclone, 'rclone-missing.txt', { exit: 3 }).message).toBe('directory not found');
  expect(read(readRclone, 'rclone-connection.txt', { exit: 1 }).message).toContain(
    "couldn't connect to ssh-agent",
  );
  expect(read(readRclone, 'rclone-missing.txt').status).toBe('Failed');
  expect(read(readRclone, 'rclone-good.txt', { exit: 9 }).status).toBe('Success');
});

test("SRC-4: rows of Bacula's catalog, from its documentation", () => {
  const { executions, rejected } = readBacula(
    fixture('bacula.json'),
    { ...plain, job: null, host: null, tz: 'Europe/Berlin' },
    NOON,
  );
  expect(rejected).toEqual([]);
  expect(
    executions.map(({ execution }) => [
      execution.job,
      execution.computer,
      execution.externalId,
      execution.status,
      execution.message,
    ]),
  ).toEqual([
    ['NightlyFiles', 'pc-1-fd', 'NightlyFiles.2026-03-01_23.05.00_07', 'Success', null],
    [
      'NightlyFiles',
      'pc-1-fd',
      'NightlyFiles.2026-03-02_23.05.00_08',
      'Failed',
      'Unable to connect to Client: pc-1-fd on pc-1.lan:9102. ERR=Connection refused',
    ],
    ['Catalog', 'pc-1-fd', '43 Catalog 2026-03-02 23:10:00', 'Warning', 'Ended with warnings.'],
    ['Restore (Restore)', undefined, '44 Restore 2026-03-02 23:10:00', 'Success', null],
    ['Long', 'pc-2-fd', '45 Long 2026-03-02 23:10:00', 'Running', null],
  ]);
  expect(executions[0]?.execution).toMatchObject({
    startTime: '2026-03-01T22:05:02.000Z',
    endTime: '2026-03-01T22:15:32.000Z',
    bytesTransferred: 8_123_456_789,
    filesTotal: 1200,
    level: 'Incremental',
    errorCount: 0,
    scheduledFor: '2026-03-01T22:05:00.000Z',
  });
  expect(readBacula(fixture('bacula.json'), plain, NOON).rejected[0]).toEqual({
    index: 0,
    error: 'StartTime has no time zone. Send JobTDate too, or tz.',
  });
  expect(readBacula('{}', { ...plain, tz: 'UTC' }, NOON).rejected).toHaveLength(1);
});

test('SRC-5: manifests of kopia, from its source code', () => {
  const { executions } = readKopia(
    fixture('kopia.json'),
    { ...plain, job: null, host: null },
    NOON,
  );
  expect(
    executions.map(({ execution }) => [execution.job, execution.status, execution.message]),
  ).toEqual([
    ['/home/kate', 'Success', null],
    ['/srv', 'Failed', 'db/locked.bin: open /srv/db/locked.bin: permission denied'],
    ['/opt', 'Failed', 'Incomplete: canceled'],
    ['/var', 'Warning', 'Some entries failed.'],
  ]);
  expect(executions[0]?.execution).toMatchObject({
    computer: 'pc-1',
    startTime: '2026-03-02T01:00:00.123Z',
    endTime: '2026-03-02T01:04:10.500Z',
    bytesProcessed: 5_000_000,
    filesTotal: 321,
    externalId: 'f1a2b3c4d5e6f708',
  });
  expect(
    readKopia('ERROR open repository: repository is not connected', { ...plain, exit: 1 }, NOON)
      .executions[0]?.execution,
  ).toMatchObject({ status: 'Failed', message: 'open repository: repository is not connected' });
});

test('TASK-3: if the address names one job, the paths of kopia are the objects of one run; no other tool reports objects', () => {
  const { executions } = readKopia(fixture('kopia.json'), { ...plain, exit: 1 }, NOON);
  expect(executions).toHaveLength(1);
  const [one] = executions;
  expect(v.safeParse(ExecutionInSchema, one?.execution).issues ?? []).toEqual([]);
  expect(one).toMatchObject({
    byArrival: false,
    execution: {
      job: 'files',
      computer: 'pc-1',
      status: 'Failed',
      externalId: 'f1a2b3c4d5e6f708',
      startTime: '2026-03-02T01:00:00.123Z',
      endTime: '2026-03-02T04:00:30.000Z',
      exitCode: 1,
      filesTotal: 330,
      bytesProcessed: 5_000_300,
      message: '/srv: db/locked.bin: open /srv/db/locked.bin: permission denied',
      detail: { paths: 4 },
      tasks: [
        {
          name: '/home/kate',
          status: 'Success',
          durationSec: 250,
          bytesProcessed: 5_000_000,
          message: null,
        },
        { name: '/srv', status: 'Failed', durationSec: 30 },
        { name: '/opt', status: 'Failed', message: 'Incomplete: canceled' },
        { name: '/var', status: 'Warning' },
      ],
    },
  });
  const good = JSON.stringify(
    (JSON.parse(fixture('kopia.json')) as unknown[])
      .slice(0, 1)
      .flatMap((manifest) => [manifest, manifest]),
  );
  expect(readKopia(good, { ...plain, exit: 0 }, NOON).executions[0]?.execution).toMatchObject({
    status: 'Success',
    message: null,
  });
  expect(readKopia(good, { ...plain, exit: 1 }, NOON).executions[0]?.execution).toMatchObject({
    status: 'Failed',
    message: 'kopia ended with exit code 1.',
  });
  for (const [reader, name] of [
    [readRestic, 'restic-good.txt'],
    [readBorg, 'borg-good.txt'],
    [readRclone, 'rclone-good.txt'],
    [readDuplicati, 'duplicati.json'],
    [readBacula, 'bacula.json'],
  ] as const) {
    expect([
      name,
      ...reader(fixture(name), { ...plain, exit: 0, tz: 'UTC' }, NOON).executions.flatMap(
        ({ execution }) => execution.tasks ?? [],
      ),
    ]).toEqual([name]);
  }
});

test('SRC-6: a Duplicati report, from its source code', () => {
  const one = read(readDuplicati, 'duplicati.json', { job: null, host: null });
  expect(one).toMatchObject({
    job: 'Laptop',
    computer: 'PC-9',
    jobInstanceUid: 'm1/DB-3',
    status: 'Warning',
    startTime: '2026-03-02T05:00:00.123Z',
    bytesTransferred: 5555,
    filesTotal: 77,
    filesFailed: 1,
  });
  expect(one.message).toContain('Failed to process path');
  expect(readDuplicati('{"Data":{},"Extra":{"OperationName":"List"}}', plain, NOON)).toMatchObject({
    executions: [],
    rejected: [],
    note: "List isn't a backup, so nothing was recorded.",
  });
  expect(
    readDuplicati(
      '{"Data":{},"Extra":{},"Exception":"System.IO.IOException: There is not enough space on the disk."}',
      plain,
      NOON,
    ).executions[0]?.execution,
  ).toMatchObject({ status: 'Failed' });
});

const READERS: Readonly<Record<string, Reader>> = {
  bacula: readBacula,
  borg: readBorg,
  duplicati: readDuplicati,
  kopia: readKopia,
  rclone: readRclone,
  restic: readRestic,
};

test("SRC-7: each call that takes a tool's output has a parser among those that the next tests run", () => {
  const records = new Set(['executions', 'events', 'repositories', 'computers']);
  const tools = Object.values(ingestCalls)
    .map(({ path }) => path.replace('ingest/', ''))
    .filter((one) => !records.has(one));
  expect(tools.toSorted()).toEqual(Object.keys(READERS));
});

test('SRC-7: no parser throws, whatever the input', () => {
  const bodies = [
    '',
    '{',
    '[]',
    '[1]',
    'null',
    '{"Data":1,"Extra":[]}',
    '{"message_type":"summary","total_duration":"x","snapshot_id":{}}',
    '{"archive":{"start":"never","stats":null}}',
    '{"stats":{"elapsedTime":-1e300}}',
    '[{"startTime":"x","source":1}]',
    '\0\u{FFFD}',
    '{"a":'.repeat(5000),
    '[{"jobstatus":"T","starttime":"2026-99-99 00:00:00"}]',
  ];
  for (const reader of Object.values(READERS)) {
    for (const body of bodies)
      for (const exit of [null, 0, 2]) {
        const {
          executions,
          rejected,
          note = '',
        } = reader(body, { ...plain, exit, tz: 'UTC' }, NOON);
        expect(executions.length + rejected.length + note.length).toBeGreaterThan(0);
      }
  }
});

const of = (query: string): unknown => readToolQuery(new URLSearchParams(query));

test('SRC-7: a parser takes time proportional to its input, whatever that is', () => {
  const hurts = [
    '{\n',
    '{\n}',
    '}\n',
    '{x}\n',
    '{}\n',
    '{',
    '{"a":',
    '[',
    '\n',
    ' ',
    '\r',
    ': open',
    '"',
  ].map((one) => one.repeat(400_000 / one.length));
  const long = 'T+'.repeat(200_000);
  const json = [
    { source: {}, startTime: long },
    { jobstatus: 'T', starttime: long },
    { archive: { start: long } },
    { Data: { BeginTime: long } },
    { message_type: 'summary', backup_end: long },
    { stats: {}, time: long },
  ].map((one) => JSON.stringify(one));
  for (const reader of Object.values(READERS))
    for (const body of [...hurts, ...json]) {
      const before = process.cpuUsage();
      reader(body, { ...plain, exit: 1, tz: 'UTC' }, NOON);
      expect(
        process.cpuUsage(before).user / 1_000,
        `${reader.name} ${body.slice(0, 30)}`,
      ).toBeLessThan(2_000);
    }
});

test('SRC-7: the address: zones, lengths, cron lines and exit codes are read, and mistakes are named', () => {
  expect(of('job=a&host=b&exit=3&tz=+02:00&every=24h&grace=90m')).toEqual({
    job: 'a',
    host: 'b',
    exit: 3,
    tz: '+02:00',
    schedule: { type: 'every', everySec: 86_400 },
    graceSec: 5_400,
  });
  expect(of('cron=0+2+*+*+*&tz=Europe/Berlin')).toMatchObject({
    schedule: { type: 'cron', cron: '0 2 * * *', tz: 'Europe/Berlin' },
  });
  for (const [query, path] of [
    ['exit=256', 'exit'],
    ['exit=x', 'exit'],
    ['tz=Mars/Base', 'tz'],
    ['every=often', 'every'],
    ['cron=at+dawn', 'cron'],
    ['cron=*+*+*+*+*+*', 'cron'],
    ['grace=-1', 'grace'],
  ] as const) {
    expect(of(query)).toMatchObject({ issues: [{ path }] });
  }
});

test('SRC-8: exit codes mean what the tool defines', () => {
  expect([
    statusOfExit('restic', 3),
    statusOfExit('restic', 1),
    statusOfExit('borg', 1),
    statusOfExit('borg', 2),
    statusOfExit('borg', 101),
    statusOfExit('rclone', 9),
    statusOfExit('ping', 1),
    statusOfExit('ping', 0),
  ]).toEqual(['Warning', 'Failed', 'Warning', 'Failed', 'Warning', 'Success', 'Failed', 'Success']);
});
