import { describe, expect, test } from 'vitest';
import { DiskError } from '#workers/disk/disk-errors.ts';
import { DISKS, freshIdb, placeIn } from './places.ts';
import { command, DAYS, fresh, page, patch, problem, run, runsOfDay, shown } from './sample.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';

const [today = '', yesterday = ''] = DAYS;

describe.each(DISKS)('on %s', (_name, make) => {
  test('SYNC-1: rows, events and the cursor survive reopening', async () => {
    const { disk, again } = await make();
    expect(await disk.open()).toBeNull();
    await disk.begin(fresh({ problem: [problem(1), problem(2000)] }));
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 100, 1))] }]);
    const id = await disk.append(
      patch(12, [run(1, startOfUtcDay(today), 1)], { problem: [problem(1, 2)] }),
      777,
    );
    expect(await disk.patch(id)).toEqual(
      patch(12, [run(1, startOfUtcDay(today), 1)], { problem: [problem(1, 2)] }),
    );

    const opened = await (await again()).open();
    expect(opened).toMatchObject({
      epoch: 'e1',
      cursor: 12,
      syncedAt: 777,
      me: { username: 'ada' },
      people: [{ name: 'Ada' }],
      branding: { title: 'North' },
    });
    expect(opened?.days).toEqual([
      { day: today, here: true },
      ...DAYS.slice(1).map((day) => ({ day, here: false })),
    ]);
    expect(opened?.rows).toEqual({});
    expect(opened?.segments).toEqual([
      { id: 1, rows: 100, fromSec: startOfUtcDay(today), toSec: startOfUtcDay(today) + 99 * 40 },
    ]);
    expect(opened?.patches).toHaveLength(1);
  });

  test('OWN-1: a changed account survives reopening, with and without a warm-start cache, and changes nothing else', async () => {
    const { disk, again } = await make();
    const { me, branding, people } = fresh();
    const folded = async (): Promise<void> => {
      while (await disk.compact());
    };
    await disk.begin(fresh({ problem: [problem(1)] }));
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
    await folded();
    const before = await disk.open();
    await disk.saveUser({ me: { ...me, name: 'Ada Again' }, branding, people });
    expect(await disk.open()).toEqual({
      ...before,
      me: { ...me, name: 'Ada Again' },
      rows: expect.anything(),
      dayStarts: null,
      problemsOf: null,
    });
    await folded();
    expect(await disk.open()).toEqual({ ...before, me: { ...me, name: 'Ada Again' } });
    // A save while idle work builds the cache is not overwritten by it.
    await disk.append(patch(12, [run(99, startOfUtcDay(today))]), 1);
    const work = folded();
    await disk.saveUser({ me: { ...me, name: 'Ada Last' }, branding, people });
    await work;
    await folded();
    expect(await (await again()).open()).toMatchObject({ me: { name: 'Ada Last' }, cursor: 12 });
  });

  test('LOG-10, C7: a user that an older build stored during an impersonation has the names of today, with and without a warm-start cache', async () => {
    const { disk, again } = await make();
    const impersonator = {
      id: '4d0a1f6e-4f6b-4a55-8f43-1d3c5b7a9e10',
      username: 'boss',
      name: 'Boss',
      impersonation: 'i',
      until: 5,
    };
    const { me: stored, ...user } = fresh();
    const { impersonator: _none, ...me } = stored;
    await disk.begin({ ...user, me: { ...me, acting: impersonator } as never });
    expect((await disk.open())?.me).toEqual({ ...me, impersonator });
    while (await disk.compact());
    expect((await (await again()).open())?.me).toEqual({ ...me, impersonator });
  });

  test('SYNC-6: a reset keeps only the outbox', async () => {
    const { disk, again } = await make();
    await disk.begin(fresh({ problem: [problem(1)] }));
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
    await disk.append(patch(12, [run(99, startOfUtcDay(today))]), 1);
    await disk.keepCommand(command('c1'));
    await disk.begin(fresh({}, [yesterday], 'e2'));
    const later = await again();
    expect(await later.open()).toMatchObject({
      epoch: 'e2',
      cursor: 10,
      rows: {},
      patches: [],
      segments: [],
      days: [{ day: yesterday, here: false }],
    });
    await expect(later.segment(1)).rejects.toMatchObject({ kind: 'gone' });
    expect(await later.commands()).toEqual([{ ...command('c1'), order: 1 }]);
  });

  test('COL-5: a day that arrives again replaces itself and leaves its neighbors unchanged', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 50, 1000))] }]);
    await disk.addDays([{ day: yesterday, pages: [page(runsOfDay(yesterday, 50, 1))] }]);
    while (await disk.compact());
    expect((await disk.open())?.segments).toHaveLength(1);
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 51, 1000, 3))] }]);
    const { runs } = await shown(disk);
    expect(Object.values(runs)).toHaveLength(101);
    expect(runs['1000']?.elapsedSec).toBe(3);
    expect(runs['1']?.elapsedSec).toBe(0);
  });

  test('SYNC-10: runs older than the window are deleted', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    for (const [i, day] of DAYS.entries())
      await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, i * 100 + 1))] }]);
    await disk.forget(startOfUtcDay(yesterday));
    const opened = await disk.open();
    expect(opened?.days.map((one) => one.day)).toEqual([today, yesterday]);
    expect(opened?.segments.map((one) => one.fromSec)).toEqual([
      startOfUtcDay(today),
      startOfUtcDay(yesterday),
    ]);
  });

  test('OUT-1, OUT-2: a stored command survives reopening once, in order and with its number', async () => {
    const { disk, again } = await make();
    const stored = await Promise.all(['a', 'b', 'c'].map((id) => disk.keepCommand(command(id))));
    expect(stored.map((one) => one.order)).toEqual([1, 2, 3]);
    expect((await disk.keepCommand(command('b'))).order).toBe(2);
    await disk.dropCommand('c');
    const later = await again();
    expect((await later.keepCommand(command('d'))).order).toBe(4);
    await later.markCommand('a', 'refused', {
      kind: 'conflict',
      message: 'Bo already reviewed this.',
    });
    await later.markCommand('gone', 'refused', null);
    expect(await later.commands()).toEqual([
      {
        ...command('a'),
        order: 1,
        state: 'refused',
        failure: { kind: 'conflict', message: 'Bo already reviewed this.' },
      },
      { ...command('b'), order: 2 },
      { ...command('d'), order: 4 },
    ]);
  });

  test('OUT-3: commands that two tabs store at the same time get different numbers', async () => {
    const { disk, tab, again } = await make();
    const other = await tab();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const stored = await Promise.all(
      ids.map((id, at) => (at % 2 === 0 ? disk : other).keepCommand(command(id))),
    );
    expect(stored.map(({ order }) => order).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
    const inOrder = stored.toSorted((a, b) => a.order - b.order);
    if (other !== disk) other.close();
    expect(await (await again()).commands()).toEqual(inOrder);
  });

  test('SYNC-1: nothing can be added before a first load', async () => {
    const { disk } = await make();
    await expect(disk.append(patch(1), 1)).rejects.toBeInstanceOf(DiskError);
    await expect(disk.addDays([{ day: today, pages: [] }])).rejects.toBeInstanceOf(DiskError);
  });
});

test('OWN-1: an account of a load that another tab has replaced is not stored', async () => {
  const place = await placeIn(freshIdb());
  const [disk, other] = [await place.open(), await place.open()];
  const { me, branding, people } = fresh();
  await disk.begin(fresh());
  await other.begin(fresh({}, DAYS, 'e2'));
  await expect(
    disk.saveUser({ me: { ...me, name: 'Ada Again' }, branding, people }),
  ).rejects.toMatchObject({ kind: 'gone' });
  expect(await other.open()).toMatchObject({ me: { name: me.name }, epoch: 'e2' });
});
