/**
 * What borg 1.2.4, restic 0.14 and rclone 1.60 of Debian 12 print for people, without an exit code
 * as a pipe into curl sends it. What kopia prints is that of its documentation.
 */
import { expect, test } from 'vitest';
import { readBorg } from '#server/features/ingest/tools/borg.ts';
import { readKopia } from '#server/features/ingest/tools/kopia.ts';
import { readRclone } from '#server/features/ingest/tools/rclone.ts';
import { readRestic } from '#server/features/ingest/tools/restic.ts';
import { fixture } from './fixtures.ts';
import { getRun, read } from './tool-output.ts';

test.each([
  ['check', 'borg check'],
  ['prune-stats', 'borg prune'],
  ['prune-list-stats', 'borg prune'],
  ['delete-stats', 'delete'],
  ['dry-list', 'dry run'],
  ['list', 'borg list'],
  ['list-files', 'borg list'],
  ['info', 'borg info'],
  ['info-archive', 'contains no archive'],
  ['create-stats', 'contains no archive'],
  ['init', 'borg init'],
  ['compact', 'borg compact'],
  ['check-logjson', 'borg check'],
])('SRC-20: borg %s is no run, with or without an exit code', (name, note) => {
  for (const exit of [null, 0, 1])
    expect([exit, read(readBorg, fixture(`borg-text-${name}.txt`), { exit })]).toMatchObject([
      exit,
      { executions: [], rejected: [], note: expect.stringContaining(note) as string },
    ]);
});

test('SRC-20: a borg check that found damage is no run of a backup, as with restic', () => {
  for (const name of ['check-bad', 'check-bad2', 'check-bad-quiet'])
    for (const exit of [1, 2, null])
      expect([
        name,
        exit,
        read(readBorg, fixture(`borg-text-${name}.txt`), { exit }),
      ]).toMatchObject([name, exit, { executions: [], rejected: [] }]);
  for (const exit of [1, null])
    expect(read(readRestic, fixture('restic-text-check-bad.txt'), { exit })).toMatchObject({
      executions: [],
      rejected: [],
    });
});

test('SRC-20: a failure of borgmatic is one, whatever other commands of the run printed', () => {
  const failed = [
    '/srv/br2: Error running actions for repository',
    "Command 'borg create --json /srv/br2::x' returned non-zero exit status 2.",
  ].join('\n');
  for (const name of ['prune-list-stats', 'check', 'compact'])
    for (const exit of [1, null])
      expect([
        name,
        getRun(readBorg, `${fixture(`borg-text-${name}.txt`)}\n${failed}`, { exit }).status,
      ]).toEqual([name, 'Failed']);
});

test('SRC-20: a line of a script that begins with a hyphen makes no dry run of a failure', () => {
  for (const exit of [1, null])
    expect(
      getRun(readBorg, '- mysqldump failed: Access denied\nborg was not started', { exit }).status,
    ).not.toBe('Success');
});

test('SRC-20: a backup of restic that failed before a copy is a failure', () => {
  const text = [
    'Fatal: unable to save snapshot: no space left on device',
    'snapshot 1a2b3c4d of [/srv] at 2026-11-27 20:00:00.1 by root@pc-1',
    '  copy started, this may take a while...',
    'snapshot 5e6f7a8b saved',
  ].join('\n');
  for (const exit of [1, null]) expect(getRun(readRestic, text, { exit }).status).toBe('Failed');
});

test('SRC-20: a failed borg create is a failure, whatever a script printed after it', () => {
  const prune = fixture('borg-text-prune-list-stats.txt');
  expect(getRun(readBorg, `${fixture('borg-lock.txt')}\n${prune}`)).toMatchObject({
    status: 'Failed',
    message: expect.stringMatching(/lock/) as string,
  });
  expect(getRun(readBorg, `Something else\n${prune}`, { exit: 2 }).status).toBe('Failed');
  expect(getRun(readBorg, `${fixture('borg-missing.txt')}\n${prune}`).status).toBe('Failed');
});

test.each([
  ['stats', 'restic stats'],
  ['stats-raw', 'restic stats'],
  ['forget', 'restic forget'],
  ['forget-prune', 'restic forget'],
  ['snapshots', 'restic snapshots'],
  ['dry', 'dry run'],
  ['dry-v', 'dry run'],
  ['ls', 'restic ls'],
  ['find', 'restic find'],
  ['tag', 'restic tag'],
  ['key', 'restic key list'],
  ['cache', 'restic cache'],
  ['index', 'restic repair index'],
  ['recover', 'restic recover'],
  ['restore', 'restic restore'],
  ['copy', 'restic copy'],
  ['copy-again', 'restic copy'],
])('SRC-20: restic %s is no run, with or without an exit code', (name, note) => {
  for (const exit of [null, 0])
    expect([exit, read(readRestic, fixture(`restic-text-${name}.txt`), { exit })]).toMatchObject([
      exit,
      { executions: [], rejected: [], note: expect.stringContaining(note) as string },
    ]);
});

test('SRC-20: a backup of restic is a run, whatever a script printed after it', () => {
  const backup = fixture('restic-text-backup.txt');
  for (const next of ['forget-prune', 'snapshots', 'stats', 'copy', 'restore'])
    expect([
      next,
      getRun(readRestic, `${backup}\n${fixture(`restic-text-${next}.txt`)}`),
    ]).toMatchObject([next, { status: 'Success', externalId: 'ec79fbe5' }]);
  expect(
    getRun(readRestic, `Fatal: wrong password\n${fixture('restic-text-forget.txt')}`),
  ).toMatchObject({ status: 'Failed', message: 'wrong password' });
});

test('SRC-1: without --json, a warning names the file that was not read', () => {
  for (const exit of [3, null])
    expect(getRun(readRestic, fixture('restic-text-unread.txt'), { exit })).toMatchObject({
      status: 'Warning',
      message: 'Could not be read: open src/q: permission denied',
    });
});

test.each([
  ['nothing', ''],
  [
    'maintenance run',
    'Running full maintenance...\nLooking for active contents...\nFinished full maintenance.\n',
  ],
  ['snapshot verify', 'Listing blobs...\nProcessed 0 objects.\nFinished processing 18 objects.\n'],
  [
    'repository status',
    JSON.stringify({ configFile: '/root/.config/kopia/repository.config', uniqueIDHex: 'ab' }),
  ],
])('SRC-20: kopia %s with exit code 0 is no run', (_what, body) => {
  expect(read(readKopia, body, { exit: 0 })).toMatchObject({
    executions: [],
    rejected: [],
    note: expect.stringContaining('snapshot') as string,
  });
  expect(getRun(readKopia, body, { exit: 1 }).status).toBe('Failed');
});

test('SRC-23: a signal that ended kopia is named in words, with and without a snapshot', () => {
  const killed = expect.stringMatching(/^Killed: kopia received SIGKILL.*out of memory/) as string;
  expect(getRun(readKopia, '', { exit: 137 })).toMatchObject({ status: 'Failed', message: killed });
  const [good] = JSON.parse(fixture('kopia.json')) as Record<string, unknown>[];
  const clean = { ...good, incomplete: undefined, rootEntry: { name: 'a', summ: { files: 1 } } };
  expect(getRun(readKopia, JSON.stringify(clean), { exit: 137 }).message).toEqual(killed);
  expect(getRun(readKopia, JSON.stringify([clean, clean]), { exit: 137 }).message).toEqual(killed);
});

const line = (level: string, msg: string, more: object = {}): string =>
  JSON.stringify({ level, msg, source: 'x', time: '2026-11-22T20:59:59.1+00:00', ...more });
const totals = (more: object = {}): string =>
  line('warning', '\nTransferred: …', {
    stats: {
      bytes: 5,
      totalBytes: 5,
      checks: 1,
      totalChecks: 1,
      transfers: 2,
      totalTransfers: 2,
      errors: 0,
      elapsedTime: 3,
      ...more,
    },
  });

test('SRC-3: without an exit code, a signal or totals that are not reached mean that rclone was interrupted', () => {
  expect(getRun(readRclone, totals()).status).toBe('Success');
  for (const [body, message] of [
    [`${totals()}\n${line('info', 'Signal received: interrupt')}`, /signal \(interrupt\)/],
    [`${totals()}\n2026/11/22 20:59:59 INFO  : Signal received: terminated`, /\(terminated\)/],
    [totals({ totalBytes: 100 }), /^Interrupted: 95 bytes/],
    [totals({ checks: 20, totalChecks: 100 }), /^Interrupted: 80 files were still to be checked/],
    [totals({ transfers: 1 }), /^Interrupted: 1 file was still to be transferred/],
  ] as const)
    expect(getRun(readRclone, body)).toMatchObject({
      status: 'Failed',
      message: expect.stringMatching(message) as string,
    });
  // An exit code knows better.
  expect(getRun(readRclone, totals({ totalBytes: 100 }), { exit: 0 }).status).toBe('Success');
});

test('SRC-3: the reason of an error in the text log names the file as rclone does', () => {
  for (const [said, message] of [
    [
      '2026/11/22 20:59:59 ERROR : a.txt: Failed to copy: open /x/a.txt: permission denied',
      'a.txt: Failed to copy: open /x/a.txt: permission denied',
    ],
    [
      '2026/11/22 20:59:59 Failed to sync with 2 errors: last error was: permission denied',
      'permission denied',
    ],
    ['2026/11/22 20:59:59 CRITICAL: Failed to create file system for "x:": not found', 'not found'],
  ] as const)
    expect(getRun(readRclone, said, { exit: 1 }).message).toContain(message);
  expect(
    getRun(
      readRclone,
      '2026/11/22 20:59:59 ERROR : a.txt: Failed to copy: open /x/a.txt: permission denied',
      { exit: 1 },
    ).message,
  ).not.toContain('Fatal');
});
