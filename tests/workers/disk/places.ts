import { Dexie } from 'dexie/dist/modern/dexie.mjs';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { Idb, DataOwner } from '#workers/disk/database.ts';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { openProfiles, type StoredProfile, type Profiles } from '#workers/disk/profiles.ts';
import type { Disk } from '#workers/types.ts';

// Dexie's live queries run where a browser has a database
Dexie.dependencies.indexedDB = new IDBFactory();

export const OWNER: DataOwner = { tenant: 't1', user: 'u1', actor: 'u1' };
export const NAME = 'daybook:t1:u1:u1';

/** A browser's storage, signed in. */
export interface Place {
  readonly idb: Idb;
  readonly register: Profiles;
  readonly held: StoredProfile;
  open(): Promise<Disk>;
}

export const freshIdb = (): Idb => ({ indexedDB: new IDBFactory(), IDBKeyRange });

export async function placeIn(idb: Idb): Promise<Place> {
  const register = await openProfiles(idb);
  const held = await register.enter(OWNER, 1_000);
  return { idb, register, held, open: () => openDisk(held, register, idb) };
}

/**
 * The implementations that every promise holds on. `again` is the disk after closing; memory has no
 * afterwards. `tab`: the same disk in another tab.
 */
export const DISKS: readonly (readonly [
  name: string,
  make: () => Promise<{ disk: Disk; tab: () => Promise<Disk>; again: () => Promise<Disk> }>,
])[] = [
  [
    'IndexedDB',
    async () => {
      const place = await placeIn(freshIdb());
      const disk = await place.open();
      return {
        disk,
        tab: () => place.open(),
        again: () => {
          disk.close();
          return place.open();
        },
      };
    },
  ],
  [
    'memory',
    () => {
      const disk = memoryDisk('device');
      return Promise.resolve({
        disk,
        tab: () => Promise.resolve(disk),
        again: () => Promise.resolve(disk),
      });
    },
  ],
];
