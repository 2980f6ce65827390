import { DiskError } from './disk-errors.ts';
import {
  getDatabase,
  openExisting,
  type DatabaseKind,
  type Idb,
  type Lost,
  type DataOwner,
} from './database.ts';
import type { DexieStores } from './dexie-stores.ts';

/** Notifies listeners when the connection is lost, but not when we close it. */
export interface Losing {
  readonly report: (why: Lost) => void;
  readonly listen: (listener: (why: Lost) => void) => void;
  /** Call before closing it on purpose. */
  readonly closing: () => void;
}

/**
 * An open database: everything that is needed of a disk before the disk module is loaded. There is
 * one connection: Dexie, once loaded, works on `db` (`Dexie.backendDB()`).
 */
export interface Connection {
  readonly db: IDBDatabase;
  /** Loads Dexie for it. Rejects with `DiskError` unavailable, and then the next call retries. */
  readonly dexie: () => Promise<DexieStores>;
  readonly lost: Losing;
}

/** Opens or creates it. Rejects with `DiskError` unavailable if the browser refuses. */
export const connectTo = (owner: DataOwner, idb?: Idb): Promise<Connection> =>
  connect(getDatabase(owner), 'data', idb);

export async function connect(name: string, kind: DatabaseKind, idb?: Idb): Promise<Connection> {
  const found = await openExisting(name, idb);
  if (typeof found === 'object') return connectionOn(found, kind, idb);
  const { createStores } = await loadDexie();
  const stores = await createStores(name, kind, idb);
  return { db: stores.db, dexie: () => Promise.resolve(stores), lost: watched(stores.db) };
}

/** Returns null if there is no such database, and doesn't create it. */
export async function connectIfThere(
  name: string,
  kind: DatabaseKind,
  idb?: Idb,
): Promise<Connection | null> {
  const found = await openExisting(name, idb);
  if (found === 'absent') return null;
  return found === 'older' ? connect(name, kind, idb) : connectionOn(found, kind, idb);
}

function connectionOn(db: IDBDatabase, kind: DatabaseKind, idb: Idb | undefined): Connection {
  let loaded: Promise<DexieStores> | null = null;
  const load = async (): Promise<DexieStores> => (await loadDexie()).adoptStores(db, kind, idb);
  return {
    db,
    dexie: () =>
      (loaded ??= load().catch((error: unknown) => {
        loaded = null;
        throw error;
      })),
    lost: watched(db),
  };
}

/** Behind an import of its own: it is as large as everything that makes the first rows. */
const loadDexie = (): Promise<typeof import('./dexie-stores.ts')> =>
  import('./dexie-stores.ts').catch((error: unknown) => {
    throw new DiskError('unavailable', `Dexie cannot be loaded: ${String(error)}`);
  });

/**
 * An open connection would block another build's upgrade and another tab's sign-out, so it closes
 * at once.
 */
function watched(db: IDBDatabase): Losing {
  const lost = makeLost();
  let isReported = false;
  const report = (why: Lost): void => {
    if (!isReported) lost.report(why);
    isReported = true;
  };
  db.addEventListener('versionchange', ({ newVersion }) => {
    report(newVersion === null ? 'closed' : 'newer-build');
    db.close();
  });
  db.addEventListener('close', () => report('closed'));
  return lost;
}

/** Also notifies listeners that register after the loss. */
export function makeLost(): Losing {
  const listeners: ((why: Lost) => void)[] = [];
  let was: Lost | null = null;
  let ours = false;
  return {
    report: (why) => {
      if (ours) return;
      was = why;
      for (const listener of listeners) listener(why);
    },
    listen: (listener) => {
      listeners.push(listener);
      if (was !== null) listener(was);
    },
    closing: () => {
      ours = true;
    },
  };
}
