import { deleteDatabase, type Idb } from './database.ts';

/** Record kinds by store; each knows its own key. */
export type Records = Readonly<Record<string, object>>;
export type Key = string | number | readonly (string | number)[];
type Durability = 'relaxed' | 'strict';
/** Of the database's own make: a range of another is none to it. */
type Range = typeof IDBKeyRange;

/**
 * One transaction. Inside of it nothing but its own promises may be awaited: the browser commits as
 * soon as none is open. So whatever takes time (encryption above all) is done before.
 */
export interface ObjectStore<R extends Records> {
  get<S extends keyof R & string>(store: S, key: Key): Promise<R[S] | undefined>;
  all<S extends keyof R & string>(store: S): Promise<R[S][]>;
  /** In the order of their keys: those after `after` and not beyond `to`, `most` of them. */
  within<S extends keyof R & string>(store: S, after: Key, to: Key, most?: number): Promise<R[S][]>;
  put<S extends keyof R & string>(store: S, record: R[S]): Promise<void>;
  remove(store: keyof R & string, key: Key): Promise<void>;
  clear(store: keyof R & string): Promise<void>;
}

/**
 * Where records stand: IndexedDB, or memory where the browser refuses one. A write is whole or not
 * at all.
 */
export interface ObjectStores<R extends Records> {
  read<T>(
    stores: readonly (keyof R & string)[],
    work: (shelf: ObjectStore<R>) => Promise<T>,
  ): Promise<T>;
  write<T>(
    durability: Durability,
    stores: readonly (keyof R & string)[],
    work: (shelf: ObjectStore<R>) => Promise<T>,
  ): Promise<T>;
  close(): void;
  /** Closes and deletes the whole database. */
  destroy(): Promise<void>;
}

/** Each transaction with its own durability: a command is strict while server data is relaxed. */
export const idbObjectStores = <R extends Records>(
  db: IDBDatabase,
  idb?: Idb,
): ObjectStores<R> => ({
  // nothing to commit: what it answered is so
  read: async (stores, work) => work(shelfOf(db.transaction(stores, 'readonly'), idb?.IDBKeyRange)),
  write: (durability, stores, work) =>
    transact(db.transaction(stores, 'readwrite', { durability }), idb?.IDBKeyRange, work),
  close: () => db.close(),
  destroy: () => deleteDatabase(db, idb),
});

async function transact<R extends Records, T>(
  transaction: IDBTransaction,
  range: Range | undefined,
  work: (shelf: ObjectStore<R>) => Promise<T>,
): Promise<T> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError')),
    );
  });
  let value: T;
  try {
    value = await work(shelfOf(transaction, range));
  } catch (thrown) {
    abort(transaction);
    await ended.catch(() => undefined);
    throw transaction.error ?? thrown;
  }
  await ended;
  return value;
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended by itself
  }
}

const shelfOf = <R extends Records>(
  transaction: IDBTransaction,
  range: Range | undefined,
): ObjectStore<R> => ({
  get: async <S extends keyof R & string>(store: S, key: Key) =>
    answered(
      transaction.objectStore(store).get(key as IDBValidKey) as IDBRequest<R[S] | undefined>,
    ),
  all: async <S extends keyof R & string>(store: S) =>
    answered(transaction.objectStore(store).getAll() as IDBRequest<R[S][]>),
  within: async <S extends keyof R & string>(store: S, after: Key, to: Key, most?: number) =>
    answered(
      transaction
        .objectStore(store)
        .getAll((range ?? IDBKeyRange).bound(after, to, true, false), most) as IDBRequest<R[S][]>,
    ),
  put: async (store, record) => void (await answered(transaction.objectStore(store).put(record))),
  remove: async (store, key) => answered(transaction.objectStore(store).delete(key as IDBValidKey)),
  clear: async (store) => answered(transaction.objectStore(store).clear()),
});

/**
 * A failed request does not end its transaction by itself: whoever waits for it may go on without
 * (one unreadable record), or throws.
 */
const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      event.preventDefault();
      reject(request.error ?? new DOMException('The request failed.', 'UnknownError'));
    });
  });
