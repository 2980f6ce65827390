import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';
import { SMALL_TABLES } from '#workers/tables.ts';
import { Device } from './device.ts';
import { failingIdb, injectErrors, type FormErrors } from './failing-disk.ts';
import { freshIdb, placeIn } from './places.ts';
import {
  command,
  DAYS,
  fresh,
  loadOpened,
  page,
  patch,
  problem,
  run,
  runsOfDay,
  shown,
} from './sample.ts';

let errors: FormErrors;
beforeEach(() => {
  errors = injectErrors();
});
afterEach(() => errors.restore());

const [today = ''] = DAYS;

test.each(['abort', 'unknown'] as const)(
  'SYNC-1, G16: whichever write fails (%s), each step is applied completely or not at all',
  async (failureKind) => {
    for (let failing = 1, puts = 0; failing === 1 || puts >= failing; failing += 4) {
      const place = await placeIn(freshIdb());
      const device = new Device(await place.open());
      await device.begin(8);
      puts = 0;
      errors.put = () => (++puts === failing ? failureKind : null);
      const compact = async (): Promise<void> => void (await device.disk.compact());
      const steps = [
        ...DAYS.map((day) => () => device.addDay(day, true)),
        () => device.change(10, failing),
        compact,
        compact,
        compact,
        () => device.change(30, failing + 1),
        compact,
        compact,
        compact,
        () => device.forget(DAYS[1] ?? ''),
      ];
      const thrown: unknown[] = [];
      for (const step of steps) {
        const before = thrown.length;
        await step().catch((one: unknown) => thrown.push(one));
        if (thrown.length === before) continue;
        const again = await place.open();
        expect(device.seen(await shown(again))).toEqual(device.expected());
        again.close();
      }
      expect(device.seen(await shown(device.disk))).toEqual(device.expected());
      expect(thrown.map((one) => one instanceof DiskError && one.kind)).toEqual(
        puts >= failing ? ['unavailable'] : [],
      );
    }
  },
);

test.each(['quota put', 'quota end'] as const)(
  'G15: without space (%s), the oldest runs are deleted and the step succeeds; the outbox stays',
  async (how) => {
    const place = await placeIn(freshIdb());
    const disk = await place.open();
    await disk.begin(fresh());
    await disk.keepCommand(command('before'));
    for (const [i, day] of DAYS.entries())
      await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
    let removed = 0;
    errors.removed = (store) => {
      if (store === 'segments') removed += 1;
    };
    errors.put = (store) =>
      removed === 0 && store !== 'segments' && (store !== 'meta' || !dropping()) ? how : null;
    const dropping = (): boolean => errors.asked.at(-1)?.stores.includes('segments') ?? false;
    expect((await disk.keepCommand(command('now'))).order).toBe(2);
    expect(removed).toBe(2); // a third of four, rounded up
    expect((await disk.commands()).map((one) => one.id)).toEqual(['before', 'now']);
    const opened = await disk.open();
    expect(opened?.days.map((one) => one.day)).toEqual(DAYS.slice(0, 2));
    expect(opened?.segments.map((one) => one.fromSec)).toEqual(DAYS.slice(0, 2).map(startOfUtcDay));

    await disk.append(patch(11), 1);
    expect(await disk.open()).toMatchObject({ cursor: 11 });
  },
);

test(`G15: if freeing space doesn't help, the error is "full", and only the oldest runs are lost`, async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh({ problem: [problem(1)] }));
  await disk.keepCommand(command('before'));
  await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
  errors.put = (store) => (store === 'outbox' || store === 'patches' ? 'quota end' : null);
  await expect(disk.keepCommand(command('now'))).rejects.toMatchObject({ kind: 'full' });
  await expect(disk.append(patch(11), 1)).rejects.toMatchObject({ kind: 'full' });
  expect((await disk.commands()).map((one) => one.id)).toEqual(['before']);
  const opened = await loadOpened(disk);
  expect(opened.cursor).toBe(10);
  expect(await disk.snapshots(opened.folds, { problem: [1, 2] })).toEqual({
    problem: [problem(1)],
  });
  errors.put = null;
  expect((await disk.keepCommand(command('now'))).order).toBe(2);
});

test("G15: if the browser frees space late, history isn't deleted on every attempt", async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  for (const [i, day] of DAYS.entries())
    await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
  errors.put = (store) => (store === 'patches' ? 'quota end' : null);
  const left: (number | undefined)[] = [];
  for (let i = 0; i < 6; i++) {
    await expect(disk.append(patch(11), 1)).rejects.toMatchObject({ kind: 'full' });
    left.push((await disk.open())?.segments.length);
  }
  expect(left).toEqual([2, 2, 2, 2, 2, 1]);
  errors.put = null;
  await disk.append(patch(11), 1);
  expect((await disk.open())?.segments).toHaveLength(1);
});

test('G15: a reset may delete everything that it replaces', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  for (const [i, day] of DAYS.entries())
    await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
  let removed = 0;
  errors.removed = (store) => {
    if (store === 'segments') removed += 1;
  };
  errors.put = (store) => (store === 'books' && removed < 4 ? 'quota put' : null);
  await disk.begin(fresh({ problem: [problem(1)] }, DAYS, 'e2'));
  expect(await disk.open()).toMatchObject({
    epoch: 'e2',
    days: DAYS.map((day) => ({ day, here: false })),
    segments: [],
  });
});

test("G15: an older day from the server doesn't displace newer data", async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
  errors.put = (store) => (store === 'segments' ? 'quota put' : null);
  await expect(
    disk.addDays([{ day: DAYS[1] ?? '', pages: [page(runsOfDay(DAYS[1] ?? '', 10, 100))] }]),
  ).rejects.toMatchObject({ kind: 'full' });
  expect((await disk.open())?.segments).toHaveLength(1);
});

test('G16: opening is tried four times; then the disk is unavailable and memory replaces it', async () => {
  const place = await placeIn(freshIdb());
  const three = failingIdb(3);
  const disk = await openDisk(place.held, place.register, three);
  expect(three.opens()).toBe(5); // the fourth finds no database, and the fifth creates one
  expect(await disk.open()).toBeNull();
  await expect(openDisk(place.held, place.register, failingIdb(99))).rejects.toMatchObject({
    kind: 'unavailable',
  });
  await expect(
    openDisk(place.held, place.register, failingIdb(99, 'InvalidStateError')),
  ).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await memoryDisk('d').open()).toBeNull();
});

test("G16: a record that the browser can't read any more", async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh({ problem: [problem(1)] }));
  await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
  await disk.keepCommand(command('a'));
  errors.read = (store) => (store === 'segments' ? 'unreadable' : null);
  await expect(disk.segment(1)).rejects.toMatchObject({ kind: 'corrupt', days: [today] });
  expect(await disk.open()).toMatchObject({
    segments: [],
    days: DAYS.map((day) => ({ day, here: false })),
  });
  errors.read = (store) => (store === 'books' ? 'unreadable' : null);
  expect(await disk.open()).toBeNull();
  expect(await disk.commands()).toHaveLength(1);
});

test('COL-6: opening reads no segment, job or problem', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(
    fresh({ problem: [problem(1)], company: [{ n: 1, id: 'c', name: 'Acme', madeAt: 1 }] }),
  );
  for (const [i, day] of DAYS.entries())
    await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
  await disk.append(patch(11, [run(1, startOfUtcDay(today), 1)]), 1);
  errors.reads.length = 0;
  errors.asked.length = 0;
  errors.books.length = 0;
  expect(await disk.open()).toMatchObject({
    segments: { length: 4 },
    rows: { company: [{ name: 'Acme' }] },
  });
  const read = SMALL_TABLES.filter((table) => table !== 'job' && table !== 'problem');
  expect(errors.reads.toSorted()).toEqual([...read.map(() => 'books'), 'meta', 'meta', 'patches']);
  expect(errors.books).toEqual(read.map((table) => `${table}…${table}`));
  expect(errors.asked).toHaveLength(1);
});

test("COL-5: a first load doesn't read a segment either", async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  errors.reads.length = 0;
  for (const [i, day] of DAYS.entries())
    await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
  expect(errors.reads).not.toContain('segments');
});

test('OUT-1: a command is stored once its transaction is committed, not before', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  errors.put = (store) => (store === 'outbox' ? 'commit' : null);
  await expect(disk.keepCommand(command('a'))).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await disk.commands()).toEqual([]);
  errors.put = null;
  expect((await disk.keepCommand(command('b'))).order).toBe(1);
});

test('OUT-1: the outbox is written with strict durability, everything else with relaxed', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  errors.asked.length = 0;
  await disk.begin(fresh());
  await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
  await disk.append(patch(11), 1);
  expect(
    errors.asked.filter((one) => one.mode === 'readwrite').map((one) => one.durability),
  ).toEqual(['relaxed', 'relaxed', 'relaxed']);
  errors.asked.length = 0;
  await disk.keepCommand(command('a'));
  await disk.markCommand('a', 'refused', null);
  await disk.dropCommand('a');
  expect(errors.asked.map((one) => [one.mode, one.durability])).toEqual([
    ['readonly', undefined],
    ...Array.from({ length: 3 }, () => ['readwrite', 'strict']),
  ]);
});
