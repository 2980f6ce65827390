import { beforeEach, expect, test } from 'vitest';
import { readBorg } from '#server/features/ingest/tools/borg.ts';
import { readRestic } from '#server/features/ingest/tools/restic.ts';
import { embedded } from '../db/databases.ts';
import { aPlace, fixture, iso, type Place } from './fixtures.ts';
import { read, RECORDED, getRun } from './tool-output.ts';

const store = await embedded();
let place: Place;
beforeEach(async () => {
  place = await aPlace(store, 'restic');
  place.ground.at(RECORDED);
});

test.each([
  ['restic', 'a dry run', fixture('restic-real-dry.txt'), '&exit=0'],
  ['restic', 'statistics of what would be restored', fixture('restic-real-stats.txt'), '&exit=0'],
  ['restic', 'forget', fixture('restic-real-forget.txt'), '&exit=0'],
  ['restic', 'forget without an exit code', fixture('restic-real-forget.txt'), ''],
  ['restic', 'prune', fixture('restic-real-prune.txt'), '&exit=0'],
  ['restic', 'prune without an exit code', fixture('restic-real-prune.txt'), ''],
  ['restic', 'check', fixture('restic-real-check.txt'), '&exit=0'],
  ['restic', 'check without an exit code', fixture('restic-real-check.txt'), ''],
  [
    'restic',
    'check of 0.18',
    '{"message_type":"summary","num_errors":0,"broken_packs":null,"suggest_repair_index":false,"suggest_prune":false}',
    '&exit=0',
  ],
  ['restic', 'init', fixture('restic-real-init.txt'), '&exit=0'],
  [
    'restic',
    'init of 0.17',
    '{"message_type":"initialized","id":"91df0cbce9","repository":"/srv/rr"}',
    '&exit=0',
  ],
  [
    'restic',
    'restore of 0.17',
    '{"message_type":"summary","seconds_elapsed":2,"total_files":3,"files_restored":3,"total_bytes":9,"bytes_restored":9}',
    '&exit=0',
  ],
  ['restic', 'no snapshots', '[]', ''],
  ['restic', 'no snapshots, as null', 'null', ''],
  ['restic', 'nothing at all', '', '&exit=0'],
  ['borg', 'a dry run, which prints nothing', '', '&exit=0'],
  ['borg', 'a dry run with --list --log-json', fixture('borg-real-dry3.txt'), '&exit=0'],
  ['borg', 'prune', fixture('borg-real-prune.txt'), '&exit=0'],
  ['borg', 'prune without an exit code', fixture('borg-real-prune.txt'), ''],
  [
    'borg',
    'no archives',
    '{\n    "archives": [],\n    "repository": {"id": "ab", "location": "/srv/br"}\n}\n',
    '&tz=UTC',
  ],
])('SRC-20: no run and no error, but a reason: %s, %s', async (tool, _what, body, query) => {
  const answer = await place.post(`${tool}?job=files${query}`, body);
  expect(answer).toMatchObject({
    status: 200,
    data: {
      accepted: 0,
      duplicates: 0,
      rejected: [],
      note: expect.stringMatching(/^[A-Z].{20,}\.$/) as string,
    },
  });
  expect([await place.all('run'), await place.all('job'), await place.all('repository')]).toEqual([
    [],
    [],
    [],
  ]);
});

test('SRC-20: a failed backup is not mistaken for another command', () => {
  expect(
    getRun(
      readRestic,
      `successfully removed locks\nFatal: unable to open repository at /srv/rr: no such host\n`,
      { exit: 1 },
    ),
  ).toMatchObject({ status: 'Failed' });
  expect(getRun(readBorg, '', { exit: 2 })).toMatchObject({
    status: 'Failed',
    message: 'borg ended with exit code 2.',
  });
});

test('SRC-20: a source whose output has no run still counts as active', async () => {
  await place.post('restic?job=files&exit=0', fixture('restic-real-check.txt'));
  const health = await store.tenant(place.tenant, (tx) =>
    tx.sql.selectFrom('source_health').select(['last_heard_at', 'last_fault_at']).execute(),
  );
  expect(health).toEqual([{ last_heard_at: RECORDED, last_fault_at: null }]);
});

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]): number =>
  String(a).localeCompare(String(b));

test('SRC-22: the used space of a repository is stored: restic statistics of raw data, borg info, borg create', async () => {
  expect((await place.post('restic?job=files', fixture('restic-real-stats-raw.txt'))).data).toEqual(
    { accepted: 1, duplicates: 0, rejected: [] },
  );
  const info = JSON.parse(fixture('borg-real-info.txt')) as {
    repository: { id: string };
    cache: { stats: { unique_csize: number } };
  };
  expect((await place.post('borg?job=files', fixture('borg-real-info.txt'))).data).toEqual({
    accepted: 1,
    duplicates: 0,
    rejected: [],
  });
  expect(await place.all('run')).toEqual([]);
  expect(
    (await place.all('repository'))
      .map(({ name, type, usedBytes, path }) => [name, type, usedBytes, path])
      .toSorted(byName),
  ).toEqual([
    ['/srv/br', 'borg', info.cache.stats.unique_csize, '/srv/br'],
    ['files', 'restic', 302_263, null],
  ]);
  place.ground.pass(60_000);
  await place.post('borg?job=files&exit=0&tz=%2B01:00', fixture('borg-real-good-log.txt'));
  expect(
    (await place.post('borg?job=files&exit=0&tz=%2B01:00', fixture('borg-real-good-log.txt'))).data,
  ).toMatchObject({ duplicates: 1 });
  expect(
    await store.tenant(place.tenant, (tx) =>
      tx.sql.selectFrom('repository_sample').select('at').execute(),
    ),
  ).toHaveLength(3);
});

test('SRC-2: borgmatic create --json is one run per repository, each a job of its own; a failed one is not hidden', async () => {
  expect(
    (await place.post('borg?job=files&exit=0&tz=%2B01:00', fixture('borgmatic-real-json.txt')))
      .data,
  ).toMatchObject({ accepted: 2, rejected: [] });
  expect((await place.all('job')).map(({ name }) => name)).toEqual([
    'files (/srv/br2)',
    'files (/srv/br3)',
  ]);
  expect((await place.all('run')).map(({ status, files }) => [status, files])).toEqual([
    ['Success', 1],
    ['Success', 1],
  ]);
  expect((await place.all('repository')).map(({ name }) => [name]).toSorted(byName)).toEqual([
    ['/srv/br2'],
    ['/srv/br3'],
  ]);
  const [first] = JSON.parse(fixture('borgmatic-real-json.txt')) as unknown[];
  const partly = read(
    readBorg,
    `${JSON.stringify([first])}\n${fixture('borgmatic-real-jsonpart.txt')}`,
    { exit: 1, tz: 'UTC' },
  ).executions;
  expect(partly.map(({ execution }) => execution.status)).toEqual(['Success', 'Failed']);
  expect(
    read(readBorg, fixture('borgmatic-real-jsonpart.txt'), { exit: 1 }).executions[0]?.execution
      .message,
  ).toContain('/srv/br3 does not exist');
  expect(
    read(readBorg, fixture('borgmatic-real-list.txt'), { tz: 'UTC' }).executions.every(
      ({ listed }) => listed,
    ),
  ).toBe(true);
  expect(read(readBorg, fixture('borgmatic-real-info.txt')).repositories).toMatchObject([
    { name: '/srv/br2' },
    { name: '/srv/br3' },
  ]);
});

test("SRC-2: files that borg couldn't read count once each; a missing source is a warning in which nothing was saved", () => {
  for (const name of ['unread', 'unread-log'])
    expect(getRun(readBorg, fixture(`borg-real-${name}.txt`), { exit: 1 })).toMatchObject({
      status: 'Warning',
      filesFailed: 2,
      filesTotal: 4,
    });
  const twice =
    fixture('borg-real-unread.txt') +
    "src/locked.txt: read: [Errno 5] Input/output error: 'locked.txt'\nsrc/a.bin: file changed while we backed it up\n";
  expect(getRun(readBorg, twice, { exit: 1 }).filesFailed).toBe(3);
  for (const name of ['nosource', 'nosource-log'])
    for (const exit of [1, null]) {
      expect(getRun(readBorg, fixture(`borg-real-${name}.txt`), { exit })).toMatchObject({
        status: 'Warning',
        filesTotal: 0,
        message: expect.stringMatching(/^Nothing was saved: .*\/nosuch.*No such file/) as string,
      });
    }
  expect(getRun(readBorg, fixture('borg-real-partsource.txt'), { exit: 1 })).toMatchObject({
    status: 'Warning',
    filesTotal: 1,
    message: expect.stringMatching(/^Could not be read: .*\/nosuch/) as string,
  });
});

test('SRC-2: the zone of borg times comes from the log if the address has none', () => {
  const logged = getRun(readBorg, fixture('borg-real-unread-log.txt'), { exit: 1 });
  expect([logged.startTime, logged.endTime]).toEqual([
    '2026-11-22T19:16:35.000Z',
    '2026-11-22T19:16:35.000Z',
  ]);
  expect(getRun(readBorg, fixture('borg-real-unread.txt'), { exit: 1 }).endTime).toBe(
    iso(RECORDED),
  );
});

const archive = (start: string, end: string, duration: number): string =>
  JSON.stringify({
    archive: {
      id: 'c'.repeat(64),
      name: 'x',
      start: `${start}.000000`,
      end: `${end}.000000`,
      duration,
      stats: { nfiles: 1 },
    },
    repository: {},
  });

test.each([
  // The clocks of Berlin went back at 01:00Z on 2026-10-25, from 03:00 to 02:00, and forward at
  // 01:00Z on 2026-03-29.
  [
    'the end reads earlier than the start',
    '2026-10-25T02:50:00',
    '2026-10-25T02:10:00',
    1_200,
    'Europe/Berlin',
    '2026-10-25T00:50:00.000Z',
    '2026-10-25T01:10:00.000Z',
  ],
  [
    'the same with an offset, that of the end',
    '2026-10-25T02:50:00',
    '2026-10-25T02:10:00',
    1_200,
    '+01:00',
    '2026-10-25T00:50:00.000Z',
    '2026-10-25T01:10:00.000Z',
  ],
  [
    'an hour that comes twice at the end',
    '2026-10-25T01:30:00',
    '2026-10-25T02:30:00',
    7_200,
    'Europe/Berlin',
    '2026-10-24T23:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ],
  [
    'an hour that comes twice at the start',
    '2026-10-25T02:30:00',
    '2026-10-25T04:30:00',
    7_200,
    'Europe/Berlin',
    '2026-10-25T01:30:00.000Z',
    '2026-10-25T03:30:00.000Z',
  ],
  [
    'an hour that is left out',
    '2026-03-29T01:30:00',
    '2026-03-29T03:30:00',
    3_600,
    'Europe/Berlin',
    '2026-03-29T00:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'the same with an offset',
    '2026-03-29T01:30:00',
    '2026-03-29T03:30:00',
    3_600,
    '+02:00',
    '2026-03-29T00:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
  ],
])(
  'SRC-2: start and end of borg are as far apart as its duration: %s',
  (_what, start, end, duration, tz, startTime, endTime) => {
    expect(getRun(readBorg, archive(start, end, duration), { exit: 0, tz })).toMatchObject({
      startTime,
      endTime,
      durationSec: duration,
    });
  },
);

test('SRC-23: a signal that ended a run is named in words', () => {
  expect(getRun(readBorg, fixture('borg-real-int.txt'), { exit: 2 }).message).toBe(
    'Cancelled: borg was interrupted (SIGINT, signal 2).',
  );
  expect(getRun(readBorg, fixture('borg-real-int-log.txt'), { exit: 2 }).message).toBe(
    'Cancelled: borg was interrupted (SIGINT, signal 2).',
  );
  // borg ended while it started: a traceback, and the code of a warning
  const early = getRun(readBorg, fixture('borg-real-term-log.txt'), { exit: 1 });
  expect(early.status).toBe('Failed');
  expect(getRun(readBorg, fixture('borg-real-term.txt'), { exit: 143 })).toMatchObject({
    status: 'Failed',
    message: expect.stringMatching(/^Cancelled: .*SIGTERM/) as string,
  });
  for (const reader of [readBorg, readRestic])
    expect(getRun(reader, '', { exit: 137 })).toMatchObject({
      status: 'Failed',
      message: expect.stringMatching(/SIGKILL.*out of memory/) as string,
    });
  const interrupted = getRun(readRestic, fixture('restic-real-int.txt'), { exit: 130 });
  expect(interrupted).toMatchObject({
    status: 'Failed',
    message: 'Cancelled: restic was interrupted (SIGINT, signal 2).',
    log: 'signal interrupt received, cleaning up',
  });
  expect(getRun(readRestic, '', { exit: 143 }).message).toContain('SIGTERM');
});

test('SRC-1: errors of restic 0.14 have texts, and an unreadable item counts once', () => {
  const one = getRun(readRestic, fixture('restic-real-unread.txt'), { exit: 3 });
  expect(one).toMatchObject({
    status: 'Warning',
    filesFailed: 2,
    message: 'Could not be read: open src/locked.txt: permission denied',
  });
  expect(one.log).toContain('/srv/src/lockeddir (restic gave no reason)');
  const folder =
    '{"message_type":"error","error":{},"during":"scan","item":"/srv/src/lockeddir"}\n';
  expect(getRun(readRestic, fixture('restic-real-good.txt') + folder, { exit: 3 }).message).toBe(
    'Could not be read: /srv/src/lockeddir (restic gave no reason)',
  );
  const later =
    fixture('restic-real-good.txt') +
    '{"message_type":"error","error":{"message":"open /srv/x: permission denied"},"during":"archival","item":"/srv/x"}\n';
  expect(getRun(readRestic, later, { exit: 3 })).toMatchObject({
    filesFailed: 1,
    message: 'Could not be read: open /srv/x: permission denied',
  });
});

test('SRC-1: a missing second source is a warning, although restic exits with 0', () => {
  expect(getRun(readRestic, fixture('restic-real-second.txt'), { exit: 0 })).toMatchObject({
    status: 'Warning',
    message: '/nosuch does not exist, skipping',
    filesTotal: 1,
  });
});

test('SRC-1: neither progress nor a cut line is the reason of a failure', () => {
  const body = `"total_files":2,"item":"/srv/error"}\n\u001B[2K[0:05] 12.00%  3 / 25 failed packs\r\u001B[2Kunable to create lock in backend: repository is already locked\n`;
  expect(getRun(readRestic, body, { exit: 1 }).message).toBe(
    'unable to create lock in backend: repository is already locked',
  );
});

test('SRC-1: output without --json is a success only if it names the saved snapshot', () => {
  expect(getRun(readRestic, 'Files: 2 new\nsnapshot 38e59ebc saved\n', { exit: 0 })).toMatchObject({
    status: 'Success',
    externalId: '38e59ebc',
  });
});

test('SRC-2: names that are not UTF-8 lose no line or run', async () => {
  const body =
    String.raw`{"archive": {"id": "${'d'.repeat(64)}", "name": "caf\udce9", "command_line": ["caf\udce9"], "start": "2026-11-22T20:16:30.000000", "end": "2026-11-22T20:16:31.000000", "duration": 1.0, "stats": {"nfiles": 1}}, "repository": {"location": "/srv/caf\udce9"}}` +
    '\n' +
    String.raw`{"type": "log_message", "time": 1795374991.0, "message": "src/caf\udce9.txt: open: [Errno 13] Permission denied: 'caf\udce9.txt'", "levelname": "WARNING", "name": "borg.archiver"}` +
    '\n';
  expect((await place.post('borg?job=files&exit=1', body)).data).toMatchObject({
    accepted: 1,
    rejected: [],
  });
  const [run] = await place.all('run');
  expect(run).toMatchObject({
    status: 'Warning',
    filesFailed: 1,
    message: expect.stringMatching(/^Could not be read: src\/caf.\.txt: open/u) as string,
  });
  expect(await place.log(run?.n ?? 0)).toMatch(/src\/caf.\.txt/u);
});
