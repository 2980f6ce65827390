// the package's ES module: around its CommonJS build, the bundler makes the first rows load a helper
import { Dexie, liveQuery, type Transaction } from 'dexie/dist/modern/dexie.mjs';
import {
  NATIVE_VERSION,
  toOpenError,
  SCHEMAS,
  STRICT_TABLES,
  VERSION,
  type DatabaseKind,
  type Idb,
} from './database.ts';
import type { StoreKey, ObjectStore, Records, StoreReader } from './object-stores.ts';

/** The tables of one database through Dexie, and its connection. */
export interface DexieStores {
  readonly db: IDBDatabase;
  read<R extends Records, T>(
    tables: readonly string[],
    work: (store: StoreReader<R>) => Promise<T>,
  ): Promise<T>;
  write<R extends Records, T>(
    tables: readonly string[],
    work: (store: ObjectStore<R>) => Promise<T>,
  ): Promise<T>;
  /** Calls `listener` now and after each change of these tables in any tab, until `ended`. */
  watch(tables: readonly string[], listener: () => void, ended: AbortSignal): void;
  close(): void;
}

/** Creates the database, or upgrades the one of an older build. */
export function createStores(name: string, kind: DatabaseKind, idb?: Idb): Promise<DexieStores> {
  return open(name, kind, idb?.indexedDB ?? indexedDB, idb);
}

/** Works on a connection that is already open, which saves opening a second one. */
export function adoptStores(db: IDBDatabase, kind: DatabaseKind, idb?: Idb): Promise<DexieStores> {
  let isGiven = false;
  const once = (): object => {
    if (isGiven) throw new DOMException('The connection is closed.', 'InvalidStateError');
    isGiven = true;
    return answeredWith(db);
  };
  return open(db.name, kind, { open: once }, idb);
}

async function open(
  name: string,
  kind: DatabaseKind,
  indexedDb: { open: (name: string, version?: number) => object },
  idb: Idb | undefined,
): Promise<DexieStores> {
  const dexie = new Dexie(name, {
    // a closed connection stays closed: another tab may have deleted the database
    autoOpen: false,
    // the worker holds what it reads as columns and rows
    cache: 'disabled',
    indexedDB: indexedDb,
    ...(idb && { IDBKeyRange: idb.IDBKeyRange }),
  });
  dexie.version(VERSION).stores(SCHEMAS[kind]);
  dexie.use({
    stack: 'dbcore',
    name: 'durability',
    create: (core) => ({
      ...core,
      transaction: (tables, mode, options) =>
        core.transaction(
          tables,
          mode,
          mode === 'readonly' ? options : { durability: getDurability(tables) },
        ),
    }),
  });
  // `Connection.lost` reports it and closes the connection
  dexie.on('versionchange', () => {
    dexie.close();
    return false;
  });
  try {
    await dexie.open();
  } catch (thrown) {
    throw toOpenError(thrown);
  }
  const db = dexie.backendDB();
  if (db.version !== NATIVE_VERSION) {
    dexie.close(); // Dexie also opens the database of a newer build
    throw toOpenError(`version ${db.version}`);
  }
  return storesOn(dexie, db);
}

const getDurability = (tables: readonly string[]): 'strict' | 'relaxed' =>
  tables.some((table) => STRICT_TABLES.includes(table)) ? 'strict' : 'relaxed';

/** The request that Dexie waits for when it opens a database, already answered. */
function answeredWith(db: IDBDatabase): object {
  const request: { readonly result: IDBDatabase; onsuccess?: () => void } = { result: db };
  queueMicrotask(() => request.onsuccess?.());
  return request;
}

function storesOn(dexie: Dexie, db: IDBDatabase): DexieStores {
  // `!`: not part of a transaction that the caller happens to be in
  const transact = async <R extends Records, T>(
    mode: 'r!' | 'rw!',
    tables: readonly string[],
    work: (store: ObjectStore<R>) => Promise<T>,
  ): Promise<T> => {
    let own: IDBTransaction | null = null;
    try {
      return await dexie.transaction(mode, tables, async (transaction) => {
        own = transaction.idbtrans;
        return work(storeIn(transaction));
      });
    } catch (thrown) {
      // why the browser ended it, above all a full disk: Dexie reports that it ended
      throw (own as IDBTransaction | null)?.error ?? thrown;
    }
  };
  return {
    db,
    read: (tables, work) => transact('r!', tables, work),
    write: (tables, work) => transact('rw!', tables, work),
    watch: (tables, listener, ended) => {
      if (ended.aborted) return;
      const subscription = liveQuery(() =>
        Promise.all(tables.map((table) => dexie.table(table).toArray())),
      ).subscribe({
        next: () => listener(),
        error: () => undefined, // reading the rows reports the failure
      });
      ended.addEventListener('abort', () => subscription.unsubscribe());
    },
    close: () => dexie.close(),
  };
}

const storeIn = <R extends Records>(transaction: Transaction): ObjectStore<R> => ({
  get: async <S extends keyof R & string>(table: S, key: StoreKey) =>
    transaction.table<R[S], StoreKey>(table).get(key),
  all: async <S extends keyof R & string>(table: S) => transaction.table<R[S]>(table).toArray(),
  within: async <S extends keyof R & string>(
    table: S,
    after: StoreKey,
    to: StoreKey,
    max = Infinity,
  ) =>
    transaction
      .table<R[S]>(table)
      .where(':id')
      .between(after, to, false, true)
      .limit(max)
      .toArray(),
  put: async (table, record) => void (await transaction.table(table).put(record)),
  remove: async (table, key) => transaction.table(table).delete(key),
  clear: async (table) => transaction.table(table).clear(),
});
