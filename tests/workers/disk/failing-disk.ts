import { IDBDatabase, IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import type { Idb } from '#workers/disk/database.ts';

/** What the browser does wrong next. `null`: nothing. */
export interface Faults {
  /**
   * Asked at each put. `abort` and `quota end` end the transaction, `unknown` and `quota put` are
   * the put's own answer; with `commit` all goes well until the transaction is to be committed.
   */
  put: ((store: string) => PutFault | null) | null;
  removed: ((store: string) => void) | null;
  read: ((store: string) => 'unreadable' | null) | null;
  /** Transactions as they were asked for. */
  readonly asked: {
    readonly stores: readonly string[];
    readonly mode: string;
    readonly durability: string | undefined;
  }[];
  /** Records read, by store. */
  readonly reads: string[];
  /** Of the books: tables from and to. */
  readonly books: string[];
  restore(): void;
}

/** fake-indexeddb has no faults of its own: its classes are wrapped until `restore`. */
export function injectFaults(): Faults {
  const store = IDBObjectStore.prototype;
  const read = (self: Store, args: unknown[], go: () => unknown): unknown => {
    faults.reads.push(self.name);
    if (self.name === 'books') faults.books.push(tablesAsked(args[0]));
    return faults.read?.(self.name) === 'unreadable' ? failed(self, 'NotReadableError') : go();
  };
  const undo = [
    wrap(store, 'get', read),
    wrap(store, 'getAll', read),
    wrap(store, 'put', (self, _args, go) => {
      const fault = faults.put?.(self.name) ?? null;
      if (fault === 'unknown') return failed(self, 'UnknownError');
      if (fault === 'quota put') return failed(self, 'QuotaExceededError');
      const request = go();
      if (fault === 'commit') {
        (request as IDBRequest).addEventListener(
          'success',
          () => void later(8, () => call(self.transaction, '_abort', 'UnknownError')),
        );
        return request;
      }
      if (fault !== null)
        call(
          self.transaction,
          '_abort',
          fault === 'quota end' ? 'QuotaExceededError' : 'AbortError',
        );
      return request;
    }),
    wrap(store, 'delete', (self, _args, go) => {
      faults.removed?.(self.name);
      return go();
    }),
    wrap(IDBDatabase.prototype, 'transaction', (_self, args, go) => {
      const [stores, mode, options] = args as [
        string | string[],
        string | undefined,
        { durability?: string } | undefined,
      ];
      faults.asked.push({
        stores: [stores].flat(),
        mode: mode ?? 'readonly',
        durability: options?.durability,
      });
      return go();
    }),
  ];
  const faults: Faults = {
    put: null,
    removed: null,
    read: null,
    asked: [],
    reads: [],
    books: [],
    restore: () => undo.forEach((one) => one()),
  };
  return faults;
}

export type PutFault = 'commit' | 'abort' | 'unknown' | 'quota put' | 'quota end';

interface Store {
  readonly name: string;
  readonly transaction: object;
}

function wrap(
  prototype: object,
  name: string,
  around: (self: Store, args: unknown[], go: () => unknown) => unknown,
): () => void {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
  Reflect.set(prototype, name, function (this: Store, ...args: unknown[]): unknown {
    return around(this, args, () => Reflect.apply(original, this, args));
  });
  return () => void Reflect.set(prototype, name, original);
}

/** Of a key, a range, or a range within `getAll`'s options. */
const tablesAsked = (asked: unknown): string => {
  const { query = asked } = asked as { query?: unknown };
  const { lower, upper } = query as { lower?: string[]; upper?: string[] };
  return Array.isArray(query) ? String(query[0]) : `${lower?.[0]}…${upper?.[0]}`;
};

const call = (target: object, name: string, ...args: unknown[]): unknown =>
  Reflect.apply(Reflect.get(target, name) as () => unknown, target, args);

/** After whoever waited for the request has gone on, before the browser comes to commit. */
async function later(ticks: number, work: () => void): Promise<void> {
  for (let i = 0; i < ticks; i++) await Promise.resolve();
  work();
}

/** fake-indexeddb's own way to a request that fails with a given error. */
const failed = (store: Store, name: string): unknown =>
  call(store.transaction, '_execRequestAsync', {
    source: store,
    operation: () => {
      throw new DOMException('injected', name);
    },
  });

/** Opening fails so many times, as a browser fails whose files are damaged. */
export function failingIdb(
  failures: number,
  name = 'UnknownError',
): Idb & { readonly opens: () => number } {
  const factory = new IDBFactory();
  const open = factory.open.bind(factory);
  let opens = 0;
  factory.open = (...args: Parameters<typeof open>) => {
    opens += 1;
    if (opens > failures) return open(...args);
    const request = Object.assign(new EventTarget(), {
      error: new DOMException('Internal error opening backing store', name),
    });
    queueMicrotask(() => {
      const event = new Event('error', { cancelable: true });
      request.dispatchEvent(event);
      (request as { onerror?: (event: Event) => void }).onerror?.(event);
    });
    return request as unknown as ReturnType<typeof open>;
  };
  return { indexedDB: factory, IDBKeyRange, opens: () => opens };
}
