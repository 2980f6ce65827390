import type { Connection } from './connection.ts';
import { deleteDatabase, type Idb } from './database.ts';
import type { DexieStores } from './dexie-stores.ts';

/** Record kinds by store; each contains its own key. */
export type Records = Readonly<Record<string, object>>;
export type StoreKey = string | number | readonly (string | number)[];

/**
 * One transaction. Inside it, await only its own promises: the browser commits as soon as none is
 * pending. So anything slow (above all encryption) runs before.
 */
export interface StoreReader<R extends Records> {
  get<S extends keyof R & string>(store: S, key: StoreKey): Promise<R[S] | undefined>;
  all<S extends keyof R & string>(store: S): Promise<R[S][]>;
  /** Returns records in key order: after `after`, up to `to`, at most `most`. */
  within<S extends keyof R & string>(
    store: S,
    after: StoreKey,
    to: StoreKey,
    max?: number,
  ): Promise<R[S][]>;
}
export interface ObjectStore<R extends Records> extends StoreReader<R> {
  put<S extends keyof R & string>(store: S, record: R[S]): Promise<void>;
  remove(store: keyof R & string, key: StoreKey): Promise<void>;
  clear(store: keyof R & string): Promise<void>;
}

/** The storage of records: IndexedDB, or memory if the browser refuses it. Writes are atomic. */
export interface ObjectStores<R extends Records> {
  read<T>(
    stores: readonly (keyof R & string)[],
    work: (store: StoreReader<R>) => Promise<T>,
  ): Promise<T>;
  write<T>(
    stores: readonly (keyof R & string)[],
    work: (store: ObjectStore<R>) => Promise<T>,
  ): Promise<T>;
  /**
   * Calls `listener` now and after each change of these stores in any tab. Returns a function that
   * ends it.
   */
  watch(stores: readonly (keyof R & string)[], listener: () => void): () => void;
  close(): void;
  /** Closes and deletes the whole database. */
  destroy(): Promise<void>;
}

export interface IdbStores<R extends Records> extends ObjectStores<R> {
  /** Strict, and needs no Dexie, so that keys can always be deleted (C9). No watch sees it. */
  readonly writeDirectly: ObjectStores<R>['write'];
}

/**
 * IndexedDB through Dexie, which the first write or watch loads. Until then, reads use the
 * connection directly, so that the first rows don't wait for Dexie.
 */
export function objectStores<R extends Records>(
  { db, dexie }: Pick<Connection, 'db' | 'dexie'>,
  idb?: Idb,
): IdbStores<R> {
  const range = idb?.IDBKeyRange ?? IDBKeyRange;
  let loaded: DexieStores | null = null;
  const load = async (): Promise<DexieStores> => (loaded ??= await dexie());
  const close = (): void => {
    loaded?.close();
    db.close();
  };
  return {
    read: async (stores, work) =>
      loaded
        ? loaded.read(stores, work)
        : // there is nothing to commit, so the results are final
          work(getStore(db.transaction(stores, 'readonly'), range)),
    write: async (stores, work) => (await load()).write(stores, work),
    writeDirectly: async (stores, work) => {
      const transaction = db.transaction(stores, 'readwrite', { durability: 'strict' });
      const [value] = await Promise.all([
        work(getStore(transaction, range)),
        committed(transaction),
      ]);
      return value;
    },
    watch: (stores, listener) => {
      const ended = new AbortController();
      load().then(
        (by) => by.watch(stores, listener, ended.signal),
        () => undefined, // reads and writes report the failure
      );
      return () => ended.abort();
    },
    close,
    destroy: () => {
      close();
      return deleteDatabase(db.name, idb);
    },
  };
}

const getStore = <R extends Records>(
  transaction: IDBTransaction,
  range: typeof IDBKeyRange,
): ObjectStore<R> => ({
  get: async <S extends keyof R & string>(store: S, key: StoreKey) =>
    answered(
      transaction.objectStore(store).get(key as IDBValidKey) as IDBRequest<R[S] | undefined>,
    ),
  all: async <S extends keyof R & string>(store: S) =>
    answered(transaction.objectStore(store).getAll() as IDBRequest<R[S][]>),
  within: async <S extends keyof R & string>(
    store: S,
    after: StoreKey,
    to: StoreKey,
    max?: number,
  ) =>
    answered(
      transaction.objectStore(store).getAll(range.bound(after, to, true, false), max) as IDBRequest<
        R[S][]
      >,
    ),
  put: async (store, record) => void (await answered(transaction.objectStore(store).put(record))),
  remove: async (store, key) => answered(transaction.objectStore(store).delete(key as IDBValidKey)),
  clear: async (store) => answered(transaction.objectStore(store).clear()),
});

const committed = (transaction: IDBTransaction): Promise<unknown> =>
  new Promise((resolve, reject) => {
    transaction.addEventListener('complete', resolve);
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError')),
    );
  });

/**
 * A failed request doesn't have to end its transaction: the caller may continue without it (one
 * unreadable record), or throw.
 */
const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      event.preventDefault();
      reject(request.error ?? new DOMException('The request failed.', 'UnknownError'));
    });
  });
