import { afterEach, describe, expect, test, vi } from 'vitest';
import { DiskError } from '#workers/disk/disk-errors.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { DISKS, freshIdb, OWNER, placeIn } from './places.ts';
import { command, DAYS, fresh, page, runsOfDay } from './sample.ts';

const DEXIE = '#workers/disk/dexie-stores.ts';
afterEach(() => vi.doUnmock(DEXIE));

test('COL-15: until the first write, a device opens and reads its rows and its outbox without Dexie', async () => {
  const place = await placeIn(freshIdb());
  const [today = ''] = DAYS;
  const before = await place.open();
  await before.begin(fresh({ company: [{ n: 1, id: 'c', name: 'Acme', madeAt: 1 }] }));
  await before.addDays([{ day: today, pages: [page(runsOfDay(today, 10, 1))] }]);
  await before.keepCommand(command('a'));
  before.close();

  let request = 0;
  vi.doMock(DEXIE, () => {
    request += 1;
    throw new Error('offline');
  });
  const profiles = await openProfiles(place.idb);
  const present = await profiles.current(0);
  if (present.kind !== 'in') throw new Error('nobody is signed in');
  const disk = await openDisk(present.profile, profiles, place.idb);
  const opened = await disk.open((segments) => segments);
  expect(opened?.rows.company).toMatchObject([{ name: 'Acme' }]);
  expect((await disk.segment(1)).rows).toBe(10);
  expect(await disk.commands()).toHaveLength(1);
  expect(request).toBe(0);

  await expect(disk.keepCommand(command('b'))).rejects.toMatchObject({ kind: 'unavailable' });
  vi.doUnmock(DEXIE);
  expect((await disk.keepCommand(command('b'))).order).toBe(2);
  expect((await disk.commands()).map(({ id }) => id)).toEqual(['a', 'b']);
});

test('COL-15: a sign-in page makes no database, and sees the sign-in of another tab', async () => {
  const idb = freshIdb();
  const page = await openProfiles(idb);
  expect(await page.current(0)).toEqual({ kind: 'none' });
  expect(await idb.indexedDB.databases()).toEqual([]);
  await (await openProfiles(idb)).enter(OWNER, 1_000);
  expect(await page.current(0)).toMatchObject({ kind: 'in', profile: OWNER });
});

test('C9, COL-15: signing out deletes the keys and the data without Dexie', async () => {
  const place = await placeIn(freshIdb());
  const before = await place.open();
  await before.begin(fresh());
  before.close();
  vi.doMock(DEXIE, () => {
    throw new Error('offline');
  });
  const profiles = await openProfiles(place.idb);
  const disk = await openDisk(place.held, profiles, place.idb);
  await disk.destroy(false);
  expect(await profiles.current(0)).toEqual({ kind: 'none' });
  expect((await place.idb.indexedDB.databases()).map(({ name }) => name)).toEqual(['daybook']);
  vi.doUnmock(DEXIE);
  expect((await profiles.enter(OWNER, 1_000)).device).not.toBe(place.held.device);
});

test('C9, OUT-7, COL-15: signing out with unsent changes deletes the key of the data without Dexie, and keeps the changes', async () => {
  const place = await placeIn(freshIdb());
  const before = await place.open();
  await before.begin(fresh());
  await before.keepCommand(command('a'));
  before.close();
  vi.doMock(DEXIE, () => {
    throw new Error('offline');
  });
  const profiles = await openProfiles(place.idb);
  const disk = await openDisk(place.held, profiles, place.idb);
  await expect(disk.destroy(true)).rejects.toMatchObject({ kind: 'unavailable' });
  disk.close();
  expect(await profiles.current(0)).toEqual({ kind: 'none' });
  vi.doUnmock(DEXIE);
  const again = await openDisk(await profiles.enter(OWNER, 1_000), profiles, place.idb);
  expect((await again.commands()).map(({ id }) => id)).toEqual(['a']);
  expect(await again.open()).toBeNull();
});

test('C9: signing out deletes the data even if the keys cannot be deleted', async () => {
  const place = await placeIn(freshIdb());
  const broken = { leave: () => Promise.reject(new DiskError('unavailable', 'no profiles')) };
  const disk = await openDisk(place.held, broken, place.idb);
  await disk.begin(fresh());
  await expect(disk.destroy(false)).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await place.idb.indexedDB.databases()).map(({ name }) => name)).toEqual(['daybook']);
});

test('A11, COL-15: after the offline limit, the key of the data is deleted without Dexie', async () => {
  const place = await placeIn(freshIdb());
  vi.doMock(DEXIE, () => {
    throw new Error('offline');
  });
  const profiles = await openProfiles(place.idb);
  expect(await profiles.current(1_000)).toMatchObject({ kind: 'expired' });
  expect(await profiles.current(0)).toMatchObject({ kind: 'expired' });
});

describe.each(DISKS)('on %s', (_name, make) => {
  test('SYNC-7: a watch of the outbox reports each change in any tab until it ends', async () => {
    const { disk, tab: openTab } = await make();
    const tab = await openTab();
    const heard: string[] = [];
    const hear = async (): Promise<void> => {
      heard.push((await tab.commands()).map(({ id, state }) => `${id} ${state}`).join());
    };
    const end = tab.onOutbox(() => void hear());
    await expect.poll(() => heard.at(-1)).toBe('');
    await disk.keepCommand(command('a'));
    await expect.poll(() => heard.at(-1)).toBe('a waiting');
    await disk.markCommand('a', 'refused', { kind: 'conflict', message: 'no' });
    await expect.poll(() => heard.at(-1)).toBe('a refused');
    await disk.keepNotice({ id: 'n', at: 1, text: 'x', run: null, refused: null });
    const count = heard.length;
    await disk.dropCommand('a');
    await expect.poll(() => heard.at(-1)).toBe('');
    await expect.poll(() => heard.length).toBeGreaterThan(count);
    end();
    const silent = heard.length;
    await disk.keepCommand(command('b'));
    await disk.open();
    expect(heard.length).toBe(silent);
  });
});
