/**
 * What rclone 1.60 and Bacula 9.6 really write (Debian 12), and what the manuals of newer versions
 * say.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ExecutionIn, ExecutionInSchema } from '#contract/ingest/calls.ts';
import { readBacula } from '#server/features/ingest/tools/bacula.ts';
import { readDuplicati } from '#server/features/ingest/tools/duplicati.ts';
import { statusOfExit } from '#server/features/ingest/tools/exit-code.ts';
import { readKopia } from '#server/features/ingest/tools/kopia.ts';
import { readRclone } from '#server/features/ingest/tools/rclone.ts';
import type { Reader, ToolQuery } from '#server/features/ingest/tools/tool-output.ts';
import { fixture, NOON } from './fixtures.ts';

const plain: ToolQuery = {
  job: null,
  host: null,
  exit: null,
  tz: null,
  schedule: null,
  graceSec: null,
};

function read(reader: Reader, body: unknown, more: Partial<ToolQuery> = {}): ExecutionIn[] {
  const { executions, rejected } = reader(
    typeof body === 'string' ? body : JSON.stringify(body),
    { ...plain, ...more },
    NOON,
  );
  expect(rejected).toEqual([]);
  for (const { execution } of executions)
    expect(v.safeParse(ExecutionInSchema, execution).issues ?? []).toEqual([]);
  return executions.map(({ execution }) => execution);
}
const readOne = (reader: Reader, body: unknown, more: Partial<ToolQuery> = {}): ExecutionIn =>
  read(reader, body, more)[0] ?? expect.fail('nothing was read');

test('SRC-3, SRC-8: exit codes of rclone: 0 and 9 are successes, all others failures with a reason in words', () => {
  for (let exit = 0; exit <= 10; exit++) {
    const good = exit === 0 || exit === 9;
    const one = readOne(readRclone, '', { exit });
    expect([exit, one.status, statusOfExit('rclone', exit)]).toEqual([
      exit,
      good ? 'Success' : 'Failed',
      good ? 'Success' : 'Failed',
    ]);
    expect([exit, one.message === null]).toEqual([exit, good]);
  }
  for (const [exit, says] of [
    [3, 'folder'],
    [4, 'file'],
    [5, 'temporary'],
    [7, 'fatal'],
    [8, 'limit'],
    [10, 'time'],
  ] as const)
    expect(readOne(readRclone, '', { exit }).message).toContain(says);
});

test('SRC-3: the reason of an rclone run is its error, never its totals or a notice', () => {
  for (const [name, exit, reason] of [
    [
      'rclone-usage.txt',
      1,
      'Command sync needs 2 arguments minimum: you provided 1 non flag arguments: ["src"]',
    ],
    [
      'rclone-remote.txt',
      1,
      'Failed to create file system for "nosuchremote:x": didn\'t find section in config file',
    ],
    ['rclone-limit.txt', 8, 'max transfer limit reached as set by --max-transfer'],
    ['rclone-time.txt', 7, 'max transfer duration reached as set by --max-duration'],
  ] as const) {
    expect(readOne(readRclone, fixture(name), { exit })).toMatchObject({
      status: 'Failed',
      message: reason,
    });
    expect(readOne(readRclone, fixture(name))).toMatchObject({ status: 'Failed', message: reason });
  }
  expect(readOne(readRclone, fixture('rclone-nothing.txt'), { exit: 9 })).toMatchObject({
    status: 'Success',
    filesTotal: 3,
    bytesTransferred: 0,
  });
});

test('SRC-3: an interrupted rclone run is no success, though its totals name no error', () => {
  const body = fixture('rclone-interrupted.txt');
  expect(readOne(readRclone, body)).toMatchObject({
    status: 'Failed',
    message: 'Interrupted: 3 files were still to be transferred.',
  });
  for (const [exit, message] of [
    [130, 'Cancelled: rclone was interrupted (SIGINT, signal 2).'],
    [137, expect.stringMatching(/^Killed: rclone received SIGKILL.*out of memory/)],
    [143, expect.stringMatching(/^Cancelled: rclone was terminated \(SIGTERM/)],
  ] as const)
    expect(readOne(readRclone, body, { exit })).toMatchObject({ status: 'Failed', message });
  const good = fixture('rclone-good.txt').trimEnd();
  const cut = `${good.split('\n')[0] ?? ''}\n${good.split('\n').at(-1)?.slice(0, 60) ?? ''}`;
  expect(readOne(readRclone, cut).status).toBe('Failed');
  expect(readOne(readRclone, `${good}\n{"level":"warning","msg":"\\nTra`)).toMatchObject({
    status: 'Failed',
    message: 'Interrupted: the output of rclone is cut off.',
  });
});

test('SRC-3: a dry run of rclone, its process counters and job numbers are no runs', () => {
  for (const [body, says] of [
    [fixture('rclone-dry-run.txt'), 'dry run'],
    [fixture('rclone-core-stats.json'), 'core/stats'],
    ['{"jobid":3}', 'job/status'],
    [
      '2026/11/22 19:18:05 Failed to rc: failed to read rc response: 500 Internal Server Error: {\n\t"error": "job not found",\n\t"input": {\n\t\t"jobid": "99"\n\t},\n\t"path": "job/status",\n\t"status": 500\n}\n',
      'job not found',
    ],
  ] as const) {
    const { executions, rejected, note } = readRclone(body, { ...plain, exit: 0 }, NOON);
    expect([executions, rejected]).toEqual([[], []]);
    expect(note).toContain(says);
  }
  expect(
    readOne(
      readRclone,
      'Failed to rc: failed to read rc response: 404 Not Found: {\n"error": "directory not found",\n"path": "sync/copy",\n"status": 404\n}',
    ),
  ).toMatchObject({ status: 'Failed', message: 'directory not found' });
});

test('SRC-3: an answer of job/status is one run, running and finished, also after a restart of rclone', () => {
  const good = JSON.parse(fixture('rclone-job-good.json')) as Record<string, unknown>;
  const done = readOne(readRclone, fixture('rclone-job-good.json'));
  expect(done).toMatchObject({
    type: 'Sync',
    status: 'Success',
    startTime: '2026-11-22T19:17:59.163Z',
    endTime: '2026-11-22T19:17:59.166Z',
  });
  const running = readOne(readRclone, {
    ...good,
    finished: false,
    success: false,
    duration: 0,
    endTime: '0001-01-01T00:00:00Z',
  });
  expect(running).toMatchObject({ status: 'Running', endTime: null, externalId: done.externalId });
  const later = readOne(readRclone, {
    ...good,
    startTime: '2026-11-23T19:17:59.163Z',
    endTime: '2026-11-23T19:18:59.163Z',
  });
  expect(later.externalId).not.toBe(done.externalId);
  expect(readOne(readRclone, fixture('rclone-job-failed.json'))).toMatchObject({
    status: 'Failed',
    message: 'directory not found',
  });
});

const rows = (): Record<string, unknown>[] =>
  JSON.parse(fixture('bacula-9.6.json')) as Record<string, unknown>[];
const bacula = (more: Record<string, unknown>, query: Partial<ToolQuery> = {}): ExecutionIn =>
  readOne(readBacula, [{ ...rows()[0], ...more }], query);

test('SRC-4: rows of a real catalog of Bacula 9.6, with the time zone from JobTDate', () => {
  const found = read(readBacula, rows());
  expect(
    found.map(({ job, status, type, level, message }) => [job, status, type, level, message]),
  ).toEqual([
    [
      'BackupClient1',
      'Warning',
      'Backup',
      'Full',
      'Could not stat "/srv/absent": ERR=No such file or directory',
    ],
    [
      'BackupClient1',
      'Warning',
      'Backup',
      'Incremental',
      'Could not stat "/srv/absent": ERR=No such file or directory',
    ],
    ['BackupClient1', 'Failed', 'Backup', 'Full', 'Cancelled by user.'],
    ['RestoreFiles (Restore)', 'Failed', 'Other', null, 'Cannot restore without a bootstrap file.'],
    ['RestoreFiles (Restore)', 'Success', 'Other', null, null],
    ['BackupClient1', 'Failed', 'Backup', 'Full', 'Cancelled by user.'],
  ]);
  expect(found[0]).toMatchObject({
    startTime: '2026-11-22T19:27:33.000Z',
    endTime: '2026-11-22T19:27:34.000Z',
    scheduledFor: '2026-11-22T19:27:30.000Z',
    errorCount: 1,
    filesTotal: 4,
    externalId: 'vm-dir/BackupClient1.2026-11-22_19.27.30_03',
    computer: 'vm-fd',
    detail: { director: 'vm-dir', jobId: '1' },
  });
  for (const { log } of found) expect(log).not.toMatch(/(?:^|\n)\\|\\$/);
  expect(
    new Set(
      found.filter(({ type }) => type === 'Other').map(({ jobInstanceUid }) => jobInstanceUid),
    ).has(found[0]?.jobInstanceUid),
  ).toBe(false);
});

test('SRC-4: JobTDate determines the zone, whatever the address says, and a named zone where the clock changed', () => {
  // 03:30 in Berlin, an hour after the clock was put forward
  const end = Date.parse('2026-03-29T01:30:00Z');
  const row = {
    SchedTime: '2026-03-29 01:15:00',
    StartTime: '2026-03-29 01:15:00',
    EndTime: '2026-03-29 03:30:00',
    RealEndTime: '2026-03-29 03:30:00',
    JobTDate: end / 1000,
  };
  expect(bacula(row)).toMatchObject({ endTime: '2026-03-29T01:30:00.000Z' });
  expect(bacula(row, { tz: '+01:00' })).toMatchObject({ endTime: '2026-03-29T01:30:00.000Z' });
  expect(bacula(row, { tz: 'Europe/Berlin' })).toMatchObject({
    startTime: '2026-03-29T00:15:00.000Z',
    endTime: '2026-03-29T01:30:00.000Z',
  });
  // In PostgreSQL a time comes with a T, and a number may come as text.
  expect(
    bacula({
      ...row,
      EndTime: '2026-03-29T03:30:00',
      RealEndTime: '2026-03-29T03:30:00',
      JobTDate: String(end / 1000),
    }),
  ).toMatchObject({ endTime: '2026-03-29T01:30:00.000Z' });
  expect(
    readBacula(JSON.stringify([{ ...rows()[0], JobTDate: 0 }]), plain, NOON).rejected[0]?.error,
  ).toContain('zone');
});

test('SRC-4: a run is identified by its director and its Job, not by a number that restarts', () => {
  const ids = [
    {},
    { JobId: 99 },
    { Director: 'other-dir' },
    { Job: 'BackupClient1.2026-11-23_19.27.30_03' },
  ].map((more) => bacula(more).externalId);
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(3);
  expect(bacula({ Director: null }, { host: 'dir-1' }).externalId).toContain('dir-1');
  expect(bacula({ Director: 'other-dir' }).jobInstanceUid).not.toBe(bacula({}).jobInstanceUid);
});

test('SRC-4: an empty full backup is a warning, an empty incremental is not; no row at all is no error', () => {
  const nothing = { JobFiles: 0, JobBytes: 0, ReadBytes: 0, JobErrors: 0, LogText: null };
  expect(bacula({ ...nothing, Level: 'F' })).toMatchObject({
    status: 'Warning',
    message: 'Nothing was saved: no file and no byte.',
  });
  expect(bacula({ ...nothing, Level: 'I' })).toMatchObject({ status: 'Success' });
  expect(bacula({ JobErrors: 2, LogText: null })).toMatchObject({
    status: 'Warning',
    errorCount: 2,
  });
  expect(readBacula('[]', plain, NOON)).toMatchObject({ executions: [], rejected: [] });
  expect(readBacula('{"jobs":[]}', plain, NOON)).toMatchObject({ executions: [], rejected: [] });
});

test('SRC-4: a queued job has no start; running ones have a level and no figures; a job of a crashed director ends at its start', () => {
  expect(read(readBacula, [rows()[6] ?? {}])).toEqual([]);
  for (const code of ['R', 'F', 'S', 'm', 'M']) {
    expect(
      bacula({
        JobStatus: code,
        EndTime: 0,
        RealEndTime: 0,
        JobTDate: Date.parse('2026-11-22T19:27:33Z') / 1000,
      }),
    ).toMatchObject({
      status: 'Running',
      level: 'Full',
      endTime: null,
      startTime: '2026-11-22T19:27:33.000Z',
      filesTotal: null,
    });
  }
  const died = {
    JobStatus: 'f',
    EndTime: '2026-11-22 19:27:33',
    RealEndTime: 0,
    JobTDate: Date.parse('2026-11-22T19:27:33Z') / 1000,
    LogText: '',
  };
  expect(bacula(died)).toMatchObject({
    status: 'Failed',
    startTime: '2026-11-22T19:27:33.000Z',
    endTime: '2026-11-22T19:27:33.000Z',
    message: 'Ended with a fatal error.',
  });
});

test('SRC-4: restore, verify, admin, copy and migration are separate jobs next to the backup', () => {
  const backup = bacula({});
  for (const [type, task] of [
    ['R', 'Restore'],
    ['V', 'Verify'],
    ['D', 'Admin'],
    ['c', 'Copy'],
    ['C', 'Copy'],
    ['g', 'Migration'],
  ] as const) {
    const one = bacula({ Type: type });
    expect(one).toMatchObject({ job: `BackupClient1 (${task})`, detail: { task } });
    expect(one.type).not.toBe('Backup');
    expect(one.jobInstanceUid).not.toBe(backup.jobInstanceUid);
  }
  expect(bacula({ Type: 'M' })).toMatchObject({ job: 'BackupClient1', type: 'Backup' });
});

const log = (...lines: string[]): string => lines.map((line) => `${line}\n\\`).join('');

test('SRC-4: the reason is the last fatal line with a cause, else the last error, never the final report', () => {
  const refused =
    'bacula-dir JobId 2: Fatal error: bsockcore.c:209 Unable to connect to Client: pc-fd on pc:9102. ERR=Connection refused';
  const report = 'bacula-dir JobId 2: Error: Bacula bacula-dir 9.6.7 (10Dec20):';
  for (const [text, reason] of [
    [
      log(
        'bacula-dir JobId 2: Start Backup JobId 2',
        refused,
        'bacula-dir JobId 2: Fatal error: No Job status returned from FD.',
        report,
      ),
      'Unable to connect to Client: pc-fd on pc:9102. ERR=Connection refused',
    ],
    [
      log(
        'sd JobId 2: Fatal error: first: No space left on device',
        'sd JobId 2: Fatal error: second: No space left on device',
        report,
      ),
      'second: No space left on device',
    ],
    [
      log(
        'fd JobId 2: Error: a: Permission denied',
        'fd JobId 2: Error: b: Permission denied',
        report,
      ),
      'b: Permission denied',
    ],
    [log(report), 'Ended with a fatal error.'],
  ] as const)
    expect(bacula({ JobStatus: 'f', LogText: text }).message).toBe(reason);
});

const report = (data: object, extra: object = {}, more: object = {}): object => ({
  Data: {
    BeginTime: '2026-03-02T05:00:00Z',
    EndTime: '2026-03-02T05:10:00Z',
    MainOperation: 'Backup',
    ...data,
  },
  Extra: {
    'OperationName': 'Backup',
    'backup-name': 'Laptop',
    'backup-id': 'DB-3',
    'machine-id': 'm1',
    ...extra,
  },
  LogLines: [],
  ...more,
});

test('SRC-6: results of Duplicati, and its other operations', () => {
  for (const [result, status] of [
    ['Success', 'Success'],
    ['Warning', 'Warning'],
    ['Error', 'Failed'],
    ['Fatal', 'Failed'],
    ['Unknown', 'Failed'],
  ] as const) {
    expect([result, readOne(readDuplicati, report({ ParsedResult: result })).status]).toEqual([
      result,
      status,
    ]);
  }
  expect(
    readOne(readDuplicati, report({ ParsedResult: 'Success', Interrupted: true })).status,
  ).toBe('Failed');
  expect(
    readOne(readDuplicati, report({ ParsedResult: 'Success', PartialBackup: true })).status,
  ).toBe('Warning');
  expect(
    readOne(
      readDuplicati,
      report(
        { ParsedResult: 'Success' },
        {},
        { Exception: 'System.IO.IOException: There is not enough space on the disk.' },
      ),
    ),
  ).toMatchObject({
    status: 'Failed',
    message: 'System.IO.IOException: There is not enough space on the disk.',
  });
  const mixed = report({
    ParsedResult: 'Error',
    Warnings: ['2026-03-02 05:00:01 +00 - [Warning-x]: a file was skipped'],
    Errors: ['2026-03-02 05:00:02 +00 - [Error-y]: Access to the path is denied'],
  });
  expect(readOne(readDuplicati, mixed)).toMatchObject({
    errorCount: 1,
    warningCount: 1,
    message: expect.stringContaining('is denied') as string,
  });
  for (const operation of ['Restore', 'Compact', 'Test', 'Repair']) {
    const one = readOne(
      readDuplicati,
      report({ ParsedResult: 'Success' }, { OperationName: operation }),
    );
    expect(one).toMatchObject({
      job: `Laptop (${operation})`,
      type: 'Other',
      detail: { operation },
    });
    expect(one.jobInstanceUid).not.toBe(
      readOne(readDuplicati, report({ ParsedResult: 'Success' })).jobInstanceUid,
    );
  }
  expect(
    readDuplicati(JSON.stringify(report({ ParsedResult: 'Success', Dryrun: true })), plain, NOON)
      .executions,
  ).toEqual([]);
});

test('SRC-5: kopia: incomplete, without a root, with an exit code and a reason outside the manifest', () => {
  const manifest = {
    id: 'f1',
    source: { host: 'pc-1', userName: 'kate', path: '/srv' },
    startTime: '2026-03-02T01:00:00Z',
    endTime: '2026-03-02T01:04:00Z',
    rootEntry: { summ: { size: 5, files: 1, dirs: 1, numFailed: 0 } },
  };
  expect(readOne(readKopia, manifest)).toMatchObject({ status: 'Success', errorCount: 0 });
  for (const reason of ['canceled', 'checkpoint', 'limit reached'])
    expect(readOne(readKopia, { ...manifest, incomplete: reason })).toMatchObject({
      status: 'Failed',
      message: `Incomplete: ${reason}`,
    });
  expect(
    readOne(readKopia, {
      ...manifest,
      rootEntry: { summ: { ...manifest.rootEntry.summ, incomplete: 'canceled' } },
    }).status,
  ).toBe('Failed');
  expect(readOne(readKopia, { ...manifest, rootEntry: null })).toMatchObject({
    status: 'Failed',
    message: 'Nothing was saved: the snapshot has no root.',
  });
  expect(
    readOne(
      readKopia,
      `${JSON.stringify(manifest)}\nERROR error flushing: no space left on device\n`,
      { exit: 1 },
    ),
  ).toMatchObject({ status: 'Failed', message: 'error flushing: no space left on device' });
});
