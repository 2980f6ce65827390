import { forceCloseDatabase } from 'fake-indexeddb';
import { expect, test, vi } from 'vitest';
import { connectTo } from '#workers/disk/connection.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { freshIdb, NAME, OWNER, placeIn } from './places.ts';
import { command, DAYS, fresh, page, runsOfDay } from './sample.ts';

const opened = (request: IDBOpenDBRequest): Promise<{ db: IDBDatabase; blocked: boolean }> =>
  new Promise((resolve, reject) => {
    let blocked = false;
    request.addEventListener('blocked', () => {
      blocked = true;
    });
    request.addEventListener('success', () => resolve({ db: request.result, blocked }));
    request.addEventListener('error', () => reject(request.error ?? new Error('no reason')));
  });

test('G17: a newer build upgrades immediately; the open disk closes, notifies all listeners, including late ones, and reports itself as unavailable', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  const lost = vi.fn<(why: string) => void>();
  await disk.begin(fresh());
  disk.onLost(lost);
  const { db, blocked } = await opened(place.idb.indexedDB.open(NAME, 200));
  expect(blocked).toBe(false);
  expect(lost.mock.calls).toEqual([['newer-build']]);
  const late = vi.fn<(why: string) => void>();
  disk.onLost(late);
  expect(late).toHaveBeenCalledWith('newer-build');
  await expect(disk.keepCommand(command('a'))).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(disk.open()).rejects.toMatchObject({ kind: 'unavailable' });
  db.close();
  await expect(place.open()).rejects.toMatchObject({ kind: 'unavailable' });
});

test('G16: a connection that the browser closes is reported; our own closing is not', async () => {
  const place = await placeIn(freshIdb());
  const { db, lost: losing } = await connectTo(
    { tenant: 't2', user: 'u2', actor: 'u2' },
    place.idb,
  );
  const details: string[] = [];
  losing.listen((why) => details.push(why));
  forceCloseDatabase(db as unknown as Parameters<typeof forceCloseDatabase>[0]);
  await expect.poll(() => details).toEqual(['closed']);

  const disk = await place.open();
  const lost = vi.fn<() => void>();
  disk.onLost(lost);
  disk.close();
  await expect(disk.open()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(lost).not.toHaveBeenCalled();
});

test('G16: a missing or foreign database is loaded again', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.addDays([{ day: DAYS[0] ?? '', pages: [page(runsOfDay(DAYS[0] ?? '', 10, 1))] }]);
  await disk.keepCommand(command('a'));
  for (const manifest of [
    null,
    'text',
    { epoch: 'e1' },
    { ...(await loadManifest(place.idb)), days: [{ day: 5 }] },
    { ...(await loadManifest(place.idb)), segments: 'x' },
  ]) {
    await putRaw(place.idb, 'meta', { name: 'manifest', manifest });
    expect(await disk.open()).toBeNull();
    await expect(disk.compact()).rejects.toMatchObject({ kind: 'corrupt' });
  }
  expect(await disk.commands()).toHaveLength(1);
  await disk.begin(fresh());
  expect(await disk.open()).toMatchObject({ cursor: 10, segments: [] });

  const lost = vi.fn<(why: string) => void>();
  disk.onLost(lost);
  await new Promise((resolve) => {
    place.idb.indexedDB.deleteDatabase(NAME).addEventListener('success', resolve);
  });
  expect(lost).toHaveBeenCalledWith('closed');
  expect(await (await place.open()).open()).toBeNull();
});

test('OUT-7, A11: signing out deletes the keys first; a stored outbox is readable again when its user signs in', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.keepCommand(command('a'));
  await disk.destroy(true);
  disk.close();
  expect(await place.register.current(0)).toEqual({ kind: 'none' });
  const again = await place.register.enter(OWNER, 2_000);
  const later = await openDisk(again, place.register, place.idb);
  expect(again.device).toBe(place.held.device);
  expect(await later.open()).toBeNull();
  expect(await later.commands()).toEqual([{ ...command('a'), order: 1 }]);
  expect((await later.keepCommand(command('b'))).order).toBe(2);
});

test('C9: signing out with nothing unsent deletes the database, even if a tab has it open, and the next sign-in is a new device', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  const tab = await place.open();
  const lost = vi.fn<(why: string) => void>();
  tab.onLost(lost);
  await disk.begin(fresh());
  await disk.keepCommand(command('a'));
  await disk.destroy(false);
  expect(lost).toHaveBeenCalledWith('closed');
  expect((await place.idb.indexedDB.databases()).map((one) => one.name)).toEqual(['daybook']);
  const again = await place.register.enter(OWNER, 2_000);
  expect(again.device).not.toBe(place.held.device);
  const next = await openDisk(again, place.register, place.idb);
  expect(await next.commands()).toEqual([]);
  await next.destroy(true); // nothing is unsent: there is nothing to keep
  expect((await place.idb.indexedDB.databases()).map((one) => one.name)).toEqual(['daybook']);
});

test("C9: if the data can't be deleted, the keys are deleted anyway", async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  disk.close();
  await expect(disk.destroy(true)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await place.register.current(0)).toEqual({ kind: 'none' });
  const again = await place.register.enter(OWNER, 2_000);
  expect(await (await openDisk(again, place.register, place.idb)).open()).toBeNull();
});

type Idb = ReturnType<typeof freshIdb>;

async function putRaw(idb: Idb, store: string, record: object): Promise<void> {
  const { db } = await opened(idb.indexedDB.open(NAME));
  await new Promise((resolve) => {
    const transaction = db.transaction(store, 'readwrite');
    transaction.objectStore(store).put(record);
    transaction.addEventListener('complete', resolve);
  });
  db.close();
}

async function loadManifest(idb: Idb): Promise<object> {
  const { db } = await opened(idb.indexedDB.open(NAME));
  const record = await new Promise<{ manifest: object }>((resolve) => {
    const request = db.transaction('meta').objectStore('meta').get('manifest');
    request.addEventListener('success', () => resolve(request.result as { manifest: object }));
  });
  db.close();
  return record.manifest;
}
