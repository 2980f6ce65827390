import { beforeEach, expect, test } from 'vitest';
import { readRestic } from '#server/features/ingest/tools/restic.ts';
import { embedded } from '../db/databases.ts';
import { aPlace, DAY, fixture, iso, type Place } from './fixtures.ts';
import { read, RECORDED, getRun } from './tool-output.ts';

const store = await embedded();
let place: Place;
beforeEach(async () => {
  place = await aPlace(store, 'restic');
  place.ground.at(RECORDED);
});

const SNAPSHOTS = JSON.parse(fixture('restic-real-snapshots.txt')) as {
  id: string;
  time: string;
  hostname: string;
}[];

test('SRC-21: restic snapshots are successful runs at their times; the same list again adds nothing', async () => {
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

test('SRC-21: two snapshots whose IDs begin alike are two runs', async () => {
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

test('SRC-21: snapshots of 0.17 have their times and sizes; grouped lists and lists within text are read as well', () => {
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
    expect(getRun(readRestic, body)).toMatchObject({
      startTime: '2026-11-22T02:00:00.000Z',
      endTime: '2026-11-22T02:05:00.400Z',
      durationSec: 300,
      bytesTransferred: 50,
      bytesProcessed: 700,
      filesTotal: 7,
    });
  }
});

test('SRC-21: borg list and borg info report archives as runs; figures of a known run stay as create reported them', async () => {
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

test('SRC-21: archives without a time zone are refused with the reason; unfinished ones are left out', async () => {
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
