import { beforeEach, expect, test } from 'vitest';
import { readBorg } from '#server/monitoring/sources/borg.ts';
import { type Reader, readLines, type ToolQuery } from '#server/monitoring/sources/reading.ts';
import { readRestic } from '#server/monitoring/sources/restic.ts';
import { embedded } from '../store/databases.ts';
import { aPlace, DAY, fixture, iso, type Place } from './ground.ts';

// Output of restic 0.14, borg 1.2.4 and borgmatic 1.7.7, recorded on the evening of 2026-11-22 in
// Berlin.

const RECORDED = Date.parse('2026-11-22T20:00:00Z');
const plain: ToolQuery = {
  job: 'files',
  host: 'pc-1',
  exit: null,
  tz: null,
  schedule: null,
  graceSec: null,
};
const read = (reader: Reader, body: string, more: Partial<ToolQuery> = {}) =>
  reader(body, { ...plain, ...more }, RECORDED);
const runOf = (reader: Reader, body: string, more: Partial<ToolQuery> = {}) =>
  read(reader, body, more).executions[0]?.execution ?? expect.fail('no run');

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

test('SRC-20: a failure of a backup is not taken for another command', () => {
  expect(
    runOf(
      readRestic,
      `successfully removed locks\nFatal: unable to open repository at /srv/rr: no such host\n`,
      { exit: 1 },
    ),
  ).toMatchObject({ status: 'Failed' });
  expect(runOf(readBorg, '', { exit: 2 })).toMatchObject({
    status: 'Failed',
    message: 'borg ended with exit code 2.',
  });
});

test('SRC-20: a source whose output held no run has been heard all the same', async () => {
  await place.post('restic?job=files&exit=0', fixture('restic-real-check.txt'));
  const health = await store.tenant(place.tenant, (tx) =>
    tx.sql.selectFrom('source_health').select(['last_heard_at', 'last_fault_at']).execute(),
  );
  expect(health).toEqual([{ last_heard_at: RECORDED, last_fault_at: null }]);
});

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]): number =>
  String(a).localeCompare(String(b));
const SNAPSHOTS = JSON.parse(fixture('restic-real-snapshots.txt')) as {
  id: string;
  time: string;
  hostname: string;
}[];

test('SRC-21: restic snapshots are runs that succeeded when they were made; the same list again adds nothing', async () => {
  const list = fixture('restic-real-snapshots.txt');
  expect((await place.post('restic?job=files', list)).data).toEqual({
    accepted: 3,
    duplicates: 0,
    rejected: [],
  });
  place.ground.pass(DAY);
  expect((await place.post('restic?job=files', list)).data).toEqual({
    accepted: 0,
    duplicates: 3,
    rejected: [],
  });
  expect(
    (await place.all('run')).map(({ status, startedAt, durationSec, bytes }) => [
      status,
      startedAt,
      durationSec,
      bytes,
    ]),
  ).toEqual(SNAPSHOTS.map(({ time }) => ['Success', Date.parse(time), null, null]));
  expect(await place.all('job')).toMatchObject([
    { name: 'files', computer: SNAPSHOTS[0]?.hostname, source: 'restic' },
  ]);
});

test.each([
  ['0.14, with eight signs of the id', 8],
  ['a later version, with the whole id', 64],
])(
  'SRC-21: a run of restic %s and its snapshot in a list are one, whichever comes first',
  async (_version, length) => {
    const [snapshot] = SNAPSHOTS;
    const list = JSON.stringify([snapshot]);
    const backup = fixture('restic-real-unread.txt').replace(
      /"snapshot_id":"\w+"/,
      `"snapshot_id":"${(snapshot?.id ?? '').slice(0, length)}"`,
    );
    await place.post('restic?job=files&host=other-name&exit=3', backup);
    expect((await place.post('restic?job=files', list)).data).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    expect(await place.all('run')).toMatchObject([
      { status: 'Warning', bytes: 1_896, filesFailed: 2 },
    ]);
    expect(await place.all('job')).toHaveLength(1);

    const later = await aPlace(store, 'restic');
    later.ground.at(RECORDED);
    await later.post('restic?job=files&host=pc-1', list);
    expect((await later.post('restic?job=files&host=pc-1&exit=3', backup)).data).toMatchObject({
      accepted: 1,
      duplicates: 0,
    });
    expect(await later.all('run')).toMatchObject([
      { status: 'Warning', bytes: 1_896, filesFailed: 2 },
    ]);
    expect((await later.post('restic?job=files&host=pc-1', list)).data).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
  },
);

test('SRC-21: two snapshots whose ids begin alike are two runs', async () => {
  const [one] = SNAPSHOTS;
  const twin = {
    ...one,
    id: `${one?.id.slice(0, 8)}${'0'.repeat(56)}`,
    time: iso(Date.parse(one?.time ?? '') - 30 * DAY),
  };
  expect((await place.post('restic?job=files', JSON.stringify([one, twin]))).data).toMatchObject({
    accepted: 2,
  });
  expect((await place.post('restic?job=files', JSON.stringify([twin, one]))).data).toMatchObject({
    accepted: 0,
    duplicates: 2,
  });
});

test('SRC-21: snapshots of 0.17 carry their times and sizes; grouped lists and lists among text are read as well', () => {
  const summary = {
    backup_start: '2026-11-22T03:00:00+01:00',
    backup_end: '2026-11-22T03:05:00.4+01:00',
    files_new: 1,
    data_added: 90,
    data_added_packed: 50,
    total_files_processed: 7,
    total_bytes_processed: 700,
  };
  const snapshot = { ...SNAPSHOTS[0], summary };
  for (const body of [
    JSON.stringify([snapshot]),
    JSON.stringify([{ group_key: { hostname: 'pc-1' }, snapshots: [snapshot] }]),
    `warning: slow\n${JSON.stringify([snapshot])}\n`,
  ]) {
    expect(runOf(readRestic, body)).toMatchObject({
      startTime: '2026-11-22T02:00:00.000Z',
      endTime: '2026-11-22T02:05:00.400Z',
      durationSec: 300,
      bytesTransferred: 50,
      bytesProcessed: 700,
      filesTotal: 7,
    });
  }
});

test('SRC-21: borg list and borg info give archives as runs; figures of a known run stay as create reported them', async () => {
  const created = fixture('borg-real-unread.txt');
  await place.post('borg?job=files&host=pc-1&exit=1&tz=%2B01:00', created);
  const before = (await place.all('run'))[0];
  expect(before).toMatchObject({ status: 'Warning', bytes: 551, filesFailed: 2, files: 4 });
  const list = (
    await place.post('borg?job=files&host=pc-1&tz=Europe/Berlin', fixture('borg-real-list.txt'))
  ).data;
  const archives = (JSON.parse(fixture('borg-real-list.txt')) as { archives: unknown[] }).archives
    .length;
  expect(list).toEqual({ accepted: archives - 1, duplicates: 1, rejected: [] });
  expect(
    (
      await place.post(
        'borg?job=files&host=pc-1&tz=Europe/Berlin',
        fixture('borg-real-info-archives.txt'),
      )
    ).data,
  ).toEqual({ accepted: 0, duplicates: 3, rejected: [] });
  expect((await place.all('run')).find(({ n }) => n === before?.n)).toEqual(before);
  expect((await place.all('run')).filter(({ status }) => status === 'Success')).toHaveLength(
    archives - 1,
  );
});

test('SRC-21: archives without a zone are refused with what is missing; unfinished ones are left out', async () => {
  expect(await place.post('borg?job=files', fixture('borg-real-list.txt'))).toMatchObject({
    status: 400,
    error: { issues: [{ path: 'tz' }] },
  });
  const archive = { id: 'a'.repeat(64), name: 'good', start: '2026-11-22T20:16:30.000000' };
  const list = JSON.stringify({
    archives: [archive, { ...archive, id: 'b'.repeat(64), name: 'good.checkpoint' }],
    repository: { id: 'ab', location: '/srv/br' },
  });
  expect((await place.post('borg?job=files&tz=UTC', list)).data).toMatchObject({ accepted: 1 });
});

test('SRC-21: of a very long list the newest thousand are read, and the answer says so', () => {
  const many = Array.from({ length: 1_200 }, (_, n) => ({
    ...SNAPSHOTS[0],
    id: n.toString(16).padStart(64, '0'),
    time: iso(RECORDED - n * 60_000),
  })).toReversed();
  const { executions, note } = read(readRestic, JSON.stringify(many));
  expect([executions.length, note]).toEqual([
    1_000,
    'Only the newest 1000 of 1200 restore points were read.',
  ]);
  expect(executions.map(({ execution }) => execution.startTime)).toContain(iso(RECORDED));
});

test('SRC-22: what a repository takes up is kept: restic statistics of raw data, borg info, borg create', async () => {
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

test('SRC-2: borgmatic create --json is one run for each repository, each a job of its own; a failed one is not hidden', async () => {
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

test('SRC-2: files that borg could not read are counted once each; a source that is missing is a warning in which nothing was saved', () => {
  for (const name of ['unread', 'unread-log'])
    expect(runOf(readBorg, fixture(`borg-real-${name}.txt`), { exit: 1 })).toMatchObject({
      status: 'Warning',
      filesFailed: 2,
      filesTotal: 4,
    });
  const twice =
    fixture('borg-real-unread.txt') +
    "src/locked.txt: read: [Errno 5] Input/output error: 'locked.txt'\nsrc/a.bin: file changed while we backed it up\n";
  expect(runOf(readBorg, twice, { exit: 1 }).filesFailed).toBe(3);
  for (const name of ['nosource', 'nosource-log'])
    for (const exit of [1, null]) {
      expect(runOf(readBorg, fixture(`borg-real-${name}.txt`), { exit })).toMatchObject({
        status: 'Warning',
        filesTotal: 0,
        message: expect.stringMatching(/^Nothing was saved: .*\/nosuch.*No such file/) as string,
      });
    }
  expect(runOf(readBorg, fixture('borg-real-partsource.txt'), { exit: 1 })).toMatchObject({
    status: 'Warning',
    filesTotal: 1,
    message: expect.stringMatching(/^Could not be read: .*\/nosuch/) as string,
  });
});

test('SRC-2: the zone of borg times comes from the log where the address has none', () => {
  const logged = runOf(readBorg, fixture('borg-real-unread-log.txt'), { exit: 1 });
  expect([logged.startTime, logged.endTime]).toEqual([
    '2026-11-22T19:16:35.000Z',
    '2026-11-22T19:16:35.000Z',
  ]);
  expect(runOf(readBorg, fixture('borg-real-unread.txt'), { exit: 1 }).endTime).toBe(iso(RECORDED));
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
  'SRC-2: start and end of borg are as far apart as it lasted: %s',
  (_what, start, end, duration, tz, startTime, endTime) => {
    expect(runOf(readBorg, archive(start, end, duration), { exit: 0, tz })).toMatchObject({
      startTime,
      endTime,
      durationSec: duration,
    });
  },
);

test('SRC-23: a signal that ended a run is said in words', () => {
  expect(runOf(readBorg, fixture('borg-real-int.txt'), { exit: 2 }).message).toBe(
    'Cancelled: borg was interrupted (SIGINT, signal 2).',
  );
  expect(runOf(readBorg, fixture('borg-real-int-log.txt'), { exit: 2 }).message).toBe(
    'Cancelled: borg was interrupted (SIGINT, signal 2).',
  );
  // borg ended while it started: a traceback, and the code of a warning
  const early = runOf(readBorg, fixture('borg-real-term-log.txt'), { exit: 1 });
  expect(early.status).toBe('Failed');
  expect(runOf(readBorg, fixture('borg-real-term.txt'), { exit: 143 })).toMatchObject({
    status: 'Failed',
    message: expect.stringMatching(/^Cancelled: .*SIGTERM/) as string,
  });
  for (const reader of [readBorg, readRestic])
    expect(runOf(reader, '', { exit: 137 })).toMatchObject({
      status: 'Failed',
      message: expect.stringMatching(/SIGKILL.*out of memory/) as string,
    });
  const interrupted = runOf(readRestic, fixture('restic-real-int.txt'), { exit: 130 });
  expect(interrupted).toMatchObject({
    status: 'Failed',
    message: 'Cancelled: restic was interrupted (SIGINT, signal 2).',
    log: 'signal interrupt received, cleaning up',
  });
  expect(runOf(readRestic, '', { exit: 143 }).message).toContain('SIGTERM');
});

test('SRC-1: errors of restic 0.14 have words, and an item that could not be read counts once', () => {
  const one = runOf(readRestic, fixture('restic-real-unread.txt'), { exit: 3 });
  expect(one).toMatchObject({
    status: 'Warning',
    filesFailed: 2,
    message: 'Could not be read: open src/locked.txt: permission denied',
  });
  expect(one.log).toContain('/srv/src/lockeddir (restic gave no reason)');
  const folder =
    '{"message_type":"error","error":{},"during":"scan","item":"/srv/src/lockeddir"}\n';
  expect(runOf(readRestic, fixture('restic-real-good.txt') + folder, { exit: 3 }).message).toBe(
    'Could not be read: /srv/src/lockeddir (restic gave no reason)',
  );
  const later =
    fixture('restic-real-good.txt') +
    '{"message_type":"error","error":{"message":"open /srv/x: permission denied"},"during":"archival","item":"/srv/x"}\n';
  expect(runOf(readRestic, later, { exit: 3 })).toMatchObject({
    filesFailed: 1,
    message: 'Could not be read: open /srv/x: permission denied',
  });
});

test('SRC-1: a second source that is missing is a warning, although restic says 0', () => {
  expect(runOf(readRestic, fixture('restic-real-second.txt'), { exit: 0 })).toMatchObject({
    status: 'Warning',
    message: '/nosuch does not exist, skipping',
    filesTotal: 1,
  });
});

test('SRC-1: neither progress nor a line that was cut is the reason of a failure', () => {
  const body = `"total_files":2,"item":"/srv/error"}\n\u001B[2K[0:05] 12.00%  3 / 25 failed packs\r\u001B[2Kunable to create lock in backend: repository is already locked\n`;
  expect(runOf(readRestic, body, { exit: 1 }).message).toBe(
    'unable to create lock in backend: repository is already locked',
  );
});

test('SRC-1: output without --json is a success only where it names the snapshot that was saved', () => {
  expect(runOf(readRestic, 'Files: 2 new\nsnapshot 38e59ebc saved\n', { exit: 0 })).toMatchObject({
    status: 'Success',
    externalId: '38e59ebc',
  });
});

test('SRC-2: names that are not UTF-8 do not cost a line or a run', async () => {
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

test('PING-9: borgmatic, exactly as it calls: a success whose log has warnings is a warning, an empty one is believed', async () => {
  const matic = await aPlace(store, 'borgmatic');
  const calls = JSON.parse(fixture('borgmatic-hook.json')) as {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string;
  }[];
  for (const call of calls) {
    const answer = await matic.app.request(call.path.replace('dbk_KEY', matic.secret), {
      method: call.method,
      headers: { ...call.headers, host: matic.host },
      body: call.body,
    });
    expect([call.path, answer.status]).toEqual([call.path, 200]);
    matic.ground.pass(61_000);
  }
  expect(
    (await matic.all('run')).map(({ status, filesFailed, message }) => [
      status,
      filesFailed,
      message,
    ]),
  ).toEqual([
    ['Success', null, null],
    ['Warning', 2, "/srv/src/locked.txt: open: [Errno 13] Permission denied: 'locked.txt'"],
    ['Success', null, null],
    ['Warning', 1, "/nosuch: [Errno 2] No such file or directory: 'nosuch'"],
    ['Success', null, null],
    [
      'Failed',
      null,
      'passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or via BORG_PASSPHRASE_FD is incorrect.',
    ],
    ['Failed', null, expect.stringContaining('returned non-zero exit status 1')],
    ['Failed', null, expect.stringContaining('returned non-zero exit status 2')],
  ]);
});

test('PING-9: the last 100,000 characters of a long log, with dots before them, and a signal in words', async () => {
  const matic = await aPlace(store, 'borgmatic');
  const log = `...\n${'/srv/src/long.txt: fine\n'.repeat(4_150)}/srv/src/é.txt: open: [Errno 13] Permission denied: 'é.txt'\n`;
  await matic.app.request(`/ping/${matic.secret}/files`, {
    method: 'POST',
    headers: { host: matic.host },
    body: log.slice(-100_000),
  });
  await matic.ping('/other/137', { body: 'all was well so far' });
  expect((await matic.all('run')).map(({ status, message }) => [status, message])).toEqual([
    ['Warning', "/srv/src/é.txt: open: [Errno 13] Permission denied: 'é.txt'"],
    [
      'Failed',
      'Killed: the command received SIGKILL (signal 9). The machine was probably out of memory, or somebody killed it.',
    ],
  ]);
});

test.each(['[', '{', '{}', 'a', ''])(
  'ING-18: of two million lines "%s" at most 100,000 are read, the first and the last among them',
  (line) => {
    const { objects, text } = readLines(`first\n${`${line}\n`.repeat(2_000_000)}last\n`);
    expect([text[0], text.at(-1)]).toEqual(['first', 'last']);
    expect(objects.length + text.length).toBe(line === '' ? 2 : 100_000);
  },
);

test.each([
  ['with a line break at the end', '\n'],
  ['without a line break at the end', ''],
])('ING-18: 100,000 lines are all read, of one more only the middle is left out, %s', (_, end) => {
  const lines = Array.from({ length: 100_001 }, (_unused, n) => `line ${n}`);
  expect(readLines(lines.slice(1).join('\n') + end).text).toEqual(lines.slice(1));
  expect(readLines(lines.join('\n') + end).text).toEqual(lines.toSpliced(50_000, 1));
});

test('ING-18: the errors at the beginning and the summary at the end of a very long output are read', () => {
  const body = `{"message_type":"error","error":{"message":"lstat: no such file"},"during":"archival","item":"/srv/a"}\n${'{\n'.repeat(1_500_000)}{"message_type":"summary","files_new":1,"total_duration":2,"snapshot_id":"5e1f00d5"}`;
  expect(runOf(readRestic, body)).toMatchObject({
    status: 'Warning',
    externalId: '5e1f00d5',
    filesFailed: 1,
  });
});
