import { deleteDatabase, type Idb } from './database.ts';

/** Record kinds by store; each contains its own key. */
export type Records = Readonly<Record<string, object>>;
export type Key = string | number | readonly (string | number)[];
type Durability = 'relaxed' | 'strict';
/** From the same implementation as the database, which rejects the range of another one. */
type Range = typeof IDBKeyRange;

/**
 * One transaction. Inside it, await only its own promises: the browser commits as soon as none is
 * pending. So anything slow (above all encryption) runs before.
 */
export interface ObjectStore<R extends Records> {
  get<S extends keyof R & string>(store: S, key: Key): Promise<R[S] | undefined>;
  all<S extends keyof R & string>(store: S): Promise<R[S][]>;
  /** Returns records in key order: after `after`, up to `to`, at most `most`. */
  within<S extends keyof R & string>(store: S, after: Key, to: Key, most?: number): Promise<R[S][]>;
  put<S extends keyof R & string>(store: S, record: R[S]): Promise<void>;
  remove(store: keyof R & string, key: Key): Promise<void>;
  clear(store: keyof R & string): Promise<void>;
}

/** The storage of records: IndexedDB, or memory if the browser refuses it. Writes are atomic. */
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

/** Each transaction has its own durability: strict for a command, relaxed for server data. */
export const idbObjectStores = <R extends Records>(
  db: IDBDatabase,
  idb?: Idb,
): ObjectStores<R> => ({
  // there is nothing to commit, so the results are final
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
    // it has already ended
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
