import type { StoreKey, Records, ObjectStore, ObjectStores } from './object-stores.ts';

/**
 * Object stores in memory. Writes run in sequence; a write takes effect when it ends well, or not
 * at all.
 */
export function memoryObjectStores<R extends Records>(): ObjectStores<R> {
  let stores = new Map<string, ReadonlyMap<string, object>>();
  let last: Promise<unknown> = Promise.resolve();
  const watches = new Set<(written: readonly string[]) => void>();
  return {
    read: (_names, work) => work(createStore(new Map(stores))),
    write: (names, work) => {
      const mine = last.then(async () => {
        const draft = new Map(stores);
        const value = await work(createStore<R>(draft));
        stores = draft;
        for (const watch of watches) watch(names);
        return value;
      });
      last = mine.catch(() => undefined);
      return mine;
    },
    watch: (names, listener) => {
      const watch = (written: readonly string[]): void => {
        if (written.some((name) => names.includes(name))) listener();
      };
      watches.add(watch);
      listener();
      return () => watches.delete(watch);
    },
    close: () => undefined,
    destroy: () => {
      stores = new Map();
      return Promise.resolve();
    },
  };
}

function createStore<R extends Records>(
  draft: Map<string, ReadonlyMap<string, object>>,
): ObjectStore<R> {
  const own = new Map<string, Map<string, object>>();
  const changing = (store: string): Map<string, object> => {
    const mine = own.get(store) ?? new Map(draft.get(store));
    own.set(store, mine);
    draft.set(store, mine);
    return mine;
  };
  return {
    get: <S extends keyof R & string>(store: S, key: StoreKey) =>
      Promise.resolve(draft.get(store)?.get(JSON.stringify(key)) as R[S] | undefined),
    all: <S extends keyof R & string>(store: S) =>
      Promise.resolve([...(draft.get(store)?.values() ?? [])] as R[S][]),
    within: <S extends keyof R & string>(store: S, after: StoreKey, to: StoreKey, max = Infinity) =>
      Promise.resolve(
        [...(draft.get(store) ?? [])]
          .map(([key, record]) => ({ key: JSON.parse(key) as StoreKey, record: record as R[S] }))
          .filter(({ key }) => order(after, key) < 0 && order(key, to) <= 0)
          .sort((a, b) => order(a.key, b.key))
          .slice(0, max)
          .map(({ record }) => record),
      ),
    put: (store, record) => Promise.resolve(void changing(store).set(getKey(record), record)),
    remove: (store, key) => Promise.resolve(void changing(store).delete(JSON.stringify(key))),
    clear: (store) => Promise.resolve(changing(store).clear()),
  };
}

/**
 * Orders keys as IndexedDB does, as far as they are used here: numbers before texts, a list by its
 * first different part.
 */
function order(a: StoreKey, b: StoreKey): number {
  if (typeof a === 'object' && typeof b === 'object') {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const part = order(a[i] ?? 0, b[i] ?? 0);
      if (part !== 0) return part;
    }
    return a.length - b.length;
  }
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** As in the database schema. */
const getKey = (record: object): string => {
  if ('table' in record && 'chunk' in record) return JSON.stringify([record.table, record.chunk]);
  return JSON.stringify('id' in record ? record.id : 'name' in record ? record.name : null);
};
