import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { rules } from '#contract/problems/cause-marks.ts';
import { TEMPLATE_CHARS, getTemplate } from '#contract/problems/cause.ts';
import { firstLine } from '#contract/runs/first-line.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});

const digits = fc.integer({ min: 0, max: 99_999_999 }).map(String);
const host = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('nas', 'backup', 'srv-db', 'vault'),
      fc.nat(99),
      fc.constantFrom('lan', 'example.com', 'corp.internal'),
    )
    .map(([a, n, b]) => `${a}${n}.${b}`),
  fc.ipV4(),
);
const path = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/), { minLength: 1, maxLength: 5 })
  .map((parts) => `/${parts.join('/')}`);
const time = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2038-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const id = fc.uuid();
const size = fc
  .tuple(fc.nat(999), fc.nat(9), fc.constantFrom('kB', 'MiB', 'GB', 'TiB', 'bytes'))
  .map(([a, b, unit]) => `${a}.${b} ${unit}`);
const noise = fc.oneof(
  digits,
  host,
  path,
  time,
  id,
  size,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '‹',
    '›',
    '‹n›',
    '‹path›',
    '"',
    "'",
    '/',
    '\\',
    ':',
    '::',
    '[',
    ']',
    '-',
    '.',
    '@',
    '://',
    'error',
    'failed',
    'open',
    'host',
    '\n',
    '\t',
    '%',
    '…',
    '0x',
    'a1',
    '1a',
    'ERROR',
    'code',
  ),
);

test('RUN-5: the template of a template is itself, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.array(noise, { maxLength: 14 }),
      fc.constantFrom(' ', '', ': '),
      (parts, glue) => {
        const { template, kind } = getTemplate(parts.join(glue));
        expect(getTemplate(template)).toEqual({ template, kind });
        expect(template).not.toBe('');
        expect(template.length).toBeLessThanOrEqual(TEMPLATE_CHARS);
      },
    ),
    runs(1_500),
  );
});

/** What the rules replace, one or more for each rule, also in letters that only `iu` folds. */
const REPLACED = [
  'sftp://backup@nas1/srv',
  '"backup of nas"',
  '“backup of nas”',
  '<id5>',
  'root@nas1.lan',
  '123E4567-e89b-12d3-a456-426614174000',
  '00:1a:2B:3c:4d:5e',
  '00-1a-2b-3c-4d-5e',
  'fe80::1%eth0',
  '::1',
  '2001:DB8:0:0:0:0:0:1',
  '10.0.0.1:22',
  '2026-11-18 03:14:33',
  '18.11.2026',
  '18 November 2026',
  'Wed, Nov 18, 2026 03:14',
  '3:14 PM',
  'C:\\data\\a.txt',
  '\u212a:/data',
  String.raw`\\nas\share`,
  'open /data/a b: ',
  'nas:/data',
  'nas:~data',
  '~/data/a',
  'a/b/c',
  '5. kb',
  '5,\u212aiB/s',
  '4m60s',
  '12µs',
  '5 \u017feconds',
  '0xFF',
  'ABCDEF0123',
  'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA',
  'lookup nas',
  'Processing vm Error',
  'root@nas',
  'nas.lan:80',
  'srv1',
  '٣',
];

const isChanged = (line: string, pattern: RegExp): boolean =>
  [...line.matchAll(pattern)].some(([found]) => !found.startsWith('‹'));

test('RUN-5: the cheap test of a rule refuses no line that the rule changes', () => {
  expect(rules().filter(([pattern]) => !REPLACED.some((line) => isChanged(line, pattern)))).toEqual(
    [],
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(noise, fc.constantFrom(...REPLACED)), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(' ', '', ': '),
      (parts, separator) => {
        const line = parts.join(separator);
        const refused = rules().filter(
          ([pattern, , needs]) => !needs.test(line) && isChanged(line, pattern),
        );
        expect(refused).toEqual([]);
      },
    ),
    runs(1_000),
  );
});

test('RUN-5: one failure has one template, on whatever host, path, time, id, number and size', () => {
  const forms: readonly ((f: {
    h: string;
    p: string;
    t: string;
    i: string;
    n: string;
    s: string;
  }) => string)[] = [
    ({ h, n }) => `dial tcp: lookup ${h} on 10.0.0.${Number(n) % 255}:53: no such host`,
    ({ h }) => `ssh: connect to host ${h} port 22: Connection refused`,
    ({ p }) => `unable to open config file: stat ${p}/config: no such file or directory`,
    ({ p }) => `open ${p}: permission denied`,
    ({ t, n }) => `repository is already locked by PID ${n} since ${t}`,
    ({ i, s }) => `Snapshot ${i} needs ${s}, no space left on device`,
    ({ t, p }) => `${t} ERROR ${p}: input/output error`,
    ({ h, n, s }) => `Failed to upload ${s} to ${h}: retry ${n} of ${n} timed out`,
    ({ i }) => `Job "${i}" was cancelled by user`,
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...forms),
      fc.tuple(host, path, time, id, digits, size),
      fc.tuple(host, path, time, id, digits, size),
      (form, a, b) => {
        const fill = ([h, p, t, i, n, s]: typeof a): string => form({ h, p, t, i, n, s });
        expect(getTemplate(fill(a))).toEqual(getTemplate(fill(b)));
      },
    ),
    runs(600),
  );
});

const ofAgent = (computer: string): string =>
  getTemplate(
    `Backup of ${computer} failed: the agent on ${computer.toUpperCase()} did not answer, fileserver busy`,
    [computer],
  ).template;

test('RUN-5: a known name is replaced where it is a word, and not within other words', () => {
  expect(ofAgent('marketing')).toBe(ofAgent('reception'));
  expect(getTemplate('server error', ['server']).template).toBe('server error');
  expect(getTemplate('preserved by serv', ['serv']).template).toBe('preserved by ‹host›');
});

test('RUN-5: words, codes and technical names stay: another cause is another template', () => {
  for (const [a, b] of [
    ['HTTP 403', 'HTTP 503'],
    ['exit code 1', 'exit code 2'],
    ['error 0x80070005', 'error 0x80070070'],
    ['sha256 differs', 'md5 differs'],
    ['connection refused', 'connection reset'],
    ['[Errno 13]', '[Errno 28]'],
  ] as const)
    expect(getTemplate(a).template).not.toBe(getTemplate(b).template);
  expect(getTemplate('I/O error on ext4 via smb3').template).toBe('I/O error on ext4 via smb3');
});

test('RUN-5: kinds, by what the tools say', () => {
  for (const [message, kind] of [
    ['Fatal: wrong password or no key found', 'access'],
    [
      'passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or via BORG_PASSPHRASE_FD is incorrect.',
      'access',
    ],
    [
      'Fatal: unable to open config file: stat /srv/none/config: no such file or directory',
      'connection',
    ],
    ['Repository /srv/none does not exist.', 'connection'],
    [
      'unable to create lock in backend: repository is already locked by PID 4711 on pc by root',
      'locked',
    ],
    ['Failed to create/acquire the lock /srv/repo/lock.exclusive (timeout).', 'locked'],
    ['write /srv/repo/data/ab: no space left on device', 'space'],
    ['There is not enough space on the disk.', 'space'],
    [
      "googleapi: Error 403: The user's Drive storage quota has been exceeded., storageQuotaExceeded",
      'space',
    ],
    ['Warning: at least one source file could not be read', 'partial'],
    ['Could not be read: open /srv/src/locked.txt: permission denied', 'access'],
    ['/srv/a.txt: file changed while we backed it up', 'partial'],
    ['Failed to sync: directory not found', 'partial'],
    ['ssh: connect to host nas port 22: No route to host', 'connection'],
    [
      'Network error: Unexpected network error, cdtype: CONN_ATTEMPT, errno: 111 (Connection refused)',
      'connection',
    ],
    ['dial tcp 10.0.0.1:443: i/o timeout', 'connection'],
    ['Unable to authenticate with File daemon at "client1.lan:9102"', 'access'],
    ['Fatal error: Connection to Storage daemon timed out', 'connection'],
    [
      'Processing SRV-SQL Error: Failed to create VM snapshot. Error: CreateSnapshot failed',
      'snapshot',
    ],
    ['VSS_E_WRITERERROR_TIMEOUT: Failed to prepare guest for hot backup', 'snapshot'],
    ['Data Integrity Error: decompression failed, checksum mismatch', 'integrity'],
    ['pack ab12cd34: invalid data returned, ciphertext verification failed', 'integrity'],
    ['Operation was canceled by user DOMAIN\\admin', 'cancelled'],
    ['signal interrupt received, cleaning up', 'cancelled'],
    ['something odd', 'other'],
  ] as const)
    expect([message, getTemplate(message).kind]).toEqual([message, kind]);
});

test('RUN-5: the line for a person is the gravest, without stamps, levels and colours', () => {
  const esc = String.fromCharCode(27);
  for (const [text, line] of [
    [
      'open repository\nrepository ab12 opened\nFatal: wrong password or no key found\n',
      'wrong password or no key found',
    ],
    [
      `2026/03/02 03:04:05 INFO  : starting\n2026/03/02 03:04:06 ERROR : a/b.txt: ${esc}[31mFailed to copy${esc}[0m: permission denied`,
      'a/b.txt: Failed to copy: permission denied',
    ],
    ['02-Mar 03:04 bacula-dir JobId 12: Fatal error: Bad response\n', 'Bad response'],
    ['[2026-03-02T03:04:05.123Z] [error] disk full', 'disk full'],
    ['0 errors\n0 files failed\nall 12 files done', 'all 12 files done'],
    [
      "/srv/repo: Error running actions for repository\nCommand 'borg create /srv/repo' returned non-zero exit status 2.",
      "Command 'borg create /srv/repo' returned non-zero exit status 2.",
    ],
    [
      'Traceback (most recent call last):\n  File "x.py", line 3, in f\nConnectionError: refused',
      'ConnectionError: refused',
    ],
    ['progress 10%\rprogress 20%\rerror: out of luck', 'out of luck'],
    ['', ''],
    ['\n \n', ''],
  ] as const)
    expect(firstLine(text)).toBe(line);
});

test('RUN-5: a line is limited in whole characters, and is its own first line', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(noise, fc.string({ unit: 'binary', minLength: 200, maxLength: 700 })), {
        maxLength: 8,
      }),
      (parts) => {
        const line = firstLine(parts.join(' '));
        expect(line.length).toBeLessThanOrEqual(LIMITS.messageChars);
        expect(firstLine(line)).toBe(line);
      },
    ),
    runs(600),
  );
});

test('RUN-5: no text is slow: 20 kB made to hurt take less than 20 ms', () => {
  const hurts = [
    '/',
    'a.',
    '1:',
    '\\\\a ',
    '"',
    "'a ",
    '1.1,',
    'x-1_',
    '‹',
    '‹n›',
    ': ',
    '[error] ',
    '\n',
    'a@b.',
    '2026-01-01 ',
    'INFO ',
    'a/',
    'open /a ',
    'Processing a ',
    '0a',
    'f:',
    '::',
    'C:\\a ',
    'error ',
    '1e',
    'host ',
    '-1',
    '  ',
    '"a b c ',
    'lookup ',
    'lock ',
  ];
  for (const warm of hurts) getTemplate(`${warm} x`.repeat(50));
  for (const hurt of hurts) {
    const text = hurt.repeat(Math.ceil(20_000 / hurt.length));
    const best = Math.min(
      ...[1, 2, 3].map((salt) => {
        // Of this thread alone, whatever else the machine does.
        const begin = process.threadCpuUsage();
        getTemplate(text + String(salt));
        return process.threadCpuUsage(begin).user / 1_000;
      }),
    );
    expect([hurt, best < 20]).toEqual([hurt, true]);
  }
});

const esc = String.fromCharCode(27);
const tool = (name: string): string =>
  readFileSync(new URL(`../../server/ingest/samples/${name}`, import.meta.url), 'utf8');

test('RUN-11: the reason of what tools really wrote is the line that names the condition', () => {
  for (const [name, reason] of [
    ['borg-full.txt', 'src/f1.bin: read: [Errno 28] No space left on device'],
    [
      'borg-locked-folder.txt',
      "Failed to create/acquire the lock /srv/br/lock.exclusive ([Errno 13] Permission denied: '/srv/br/lock.exclusive.c2zjpcj3.tmp').",
    ],
    ['borg-ssh.txt', 'Remote: ssh: connect to host 127.0.0.1 port 9: Connection refused'],
    ['borg-lock.txt', 'Failed to create/acquire the lock /srv/br/lock.exclusive (timeout).'],
    [
      'borg-password.txt',
      'passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or via BORG_PASSPHRASE_FD is incorrect.',
    ],
    [
      'restic-rest.txt',
      'unable to open config file: client.Head: Head "http://127.0.0.1:9/x/config": dial tcp 127.0.0.1:9: connect: connection refused',
    ],
    ['restic-nosource.txt', 'all target directories/files do not exist'],
    ['restic-password.txt', 'wrong password or no key found'],
    [
      'rclone-unreadable.txt',
      'Failed to copy: failed to open source object: open /srv/src/locked.txt: permission denied',
    ],
    [
      'rclone-usage.txt',
      'Command sync needs 2 arguments minimum: you provided 1 non flag arguments: ["src"]',
    ],
    [
      'rclone-remote.txt',
      'Failed to create file system for "nosuchremote:x": didn\'t find section in config file',
    ],
  ] as const)
    expect([name, firstLine(tool(name))]).toEqual([name, reason]);
});

test('RUN-11: a phrase that names a condition wins over one that only reports a failure, anywhere in the text', () => {
  for (const [text, reason] of [
    ['ERROR: Backup failed\nopen /srv/a: permission denied', 'open /srv/a: permission denied'],
    [
      'Fatal: backup failed\nssh: connect to host nas port 22: Connection refused\nexit status 1',
      'ssh: connect to host nas port 22: Connection refused',
    ],
    [
      "CRITICAL /srv/repo: Error running actions for repository\nCRITICAL Repository /srv/repo does not exist.\nCRITICAL Command 'borg create' returned non-zero exit status 2.",
      'Repository /srv/repo does not exist.',
    ],
    [
      'Traceback (most recent call last):\n  File "x.py", line 3, in run\n    raise ValueError("error: invalid")\nOSError: [Errno 28] No space left on device\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "y.py", line 1\nRuntimeError: backup failed',
      'OSError: [Errno 28] No space left on device',
    ],
    [
      'Traceback (most recent call last):\n  File "x.py", line 3, in run\n    fail("no such file or directory")\nMyProblem: the moon is full\n',
      'MyProblem: the moon is full',
    ],
    [
      'java.lang.RuntimeException: Backup failed\n\tat a.b.C.run(C.java:3)\nCaused by: java.io.IOException: Connection reset',
      'Caused by: java.io.IOException: Connection reset',
    ],
    [
      '10%\r20%\r\nTransferred: 1 GiB / 2 GiB, 50%, ETA 3s\nErrors: 3 (retrying may help)\nwrite /srv/b: no space left on device',
      'write /srv/b: no space left on device',
    ],
    [
      '{"level":"error","msg":"Attempt 1/3 failed with 1 errors"}\n{"level":"warning","msg":"x"}\n{"levelname":"ERROR","message":"lock is held by 12"}',
      'lock is held by 12',
    ],
    [
      `Nov 22 01:05:00 nas borgmatic[1234]: ${esc}[31mERROR${esc}[0m Repository is already locked`,
      'Repository is already locked',
    ],
    [`${'starting\n'.repeat(30_000)}Fatal: disk full\n`, 'disk full'],
    ['Backup completed\n3 warnings, see log', 'Backup completed'],
  ] as const)
    expect(firstLine(text)).toBe(reason);
  expect(firstLine('ERROR: a: permission denied\nERROR: b: permission denied', 'last')).toBe(
    'b: permission denied',
  );
});

test('RUN-11: the same failure on another day, from another process, has the same cause', () => {
  const moment = fc.date({
    min: new Date('2001-01-01'),
    max: new Date('2038-01-01'),
    noInvalidDate: true,
  });
  const stamps: readonly ((at: Date, pid: number) => string)[] = [
    () => '',
    (at) => `${at.toISOString()} `,
    (at) => `${at.toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} ERROR : `,
    (at) => `[${at.toISOString().slice(0, 19).replace('T', ' ')}] `,
    (at, pid) =>
      `${at.toUTCString().slice(8, 11)} ${String(at.getUTCDate()).padStart(2, ' ')} ${at.toISOString().slice(11, 19)} nas backup[${pid}]: `,
    (at, pid) =>
      `${at.toISOString().slice(8, 10)}-${at.toUTCString().slice(8, 11)} ${at.toISOString().slice(11, 16)} pc-dir JobId ${pid}: Fatal error: `,
  ];
  const failure = fc.constantFrom(
    'open /srv/a: permission denied',
    'ssh: connect to host nas port 22: Connection refused',
    'Unable to connect to Client: pc-fd on pc:9102. ERR=Connection refused',
    'wrong password or no key found',
    'the moon is full, cannot go on',
  );
  fc.assert(
    fc.property(
      failure,
      fc.constantFrom(...stamps),
      moment,
      moment,
      fc.integer({ min: 1, max: 4_000_000 }),
      fc.integer({ min: 1, max: 4_000_000 }),
      (text, stamp, a, b, pid, other) => {
        const log = (at: Date, id: number): string =>
          `starting\n${stamp(at, id)}${text}\nBackup failed\n`;
        expect(getTemplate(log(a, pid))).toEqual(getTemplate(log(b, other)));
        expect(getTemplate(log(a, pid))).toEqual(getTemplate(text));
      },
    ),
    runs(600),
  );
});
