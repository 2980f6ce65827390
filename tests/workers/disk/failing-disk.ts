import { IDBDatabase, IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import type { Idb } from '#workers/disk/database.ts';

/** What the browser does wrong next. `null`: nothing. */
export interface FormErrors {
  /**
   * Asked at each put. `abort` and `quota end` end the transaction, `unknown` and `quota put` are
   * the put's own answer; with `commit` all goes well until the transaction is to be committed.
   */
  put: ((store: string) => PutError | null) | null;
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
export function injectErrors(): FormErrors {
  const store = IDBObjectStore.prototype;
  const read = (self: Store, args: unknown[], go: () => unknown): unknown => {
    errors.reads.push(self.name);
    if (self.name === 'books') errors.books.push(tablesRequested(args[0]));
    return errors.read?.(self.name) === 'unreadable' ? failed(self, 'NotReadableError') : go();
  };
  const undo = [
    wrap(store, 'get', read),
    wrap(store, 'getAll', read),
    wrap(store, 'put', (self, _args, go) => {
      const error = errors.put?.(self.name) ?? null;
      if (error === 'unknown') return failed(self, 'UnknownError');
      if (error === 'quota put') return failed(self, 'QuotaExceededError');
      const request = go();
      if (error === 'commit') {
        (request as IDBRequest).addEventListener(
          'success',
          () => void later(8, () => call(self.transaction, '_abort', 'UnknownError')),
        );
        return request;
      }
      if (error !== null)
        call(
          self.transaction,
          '_abort',
          error === 'quota end' ? 'QuotaExceededError' : 'AbortError',
        );
      return request;
    }),
    wrap(store, 'delete', (self, _args, go) => {
      errors.removed?.(self.name);
      return go();
    }),
    wrap(IDBDatabase.prototype, 'transaction', (_self, args, go) => {
      const [stores, mode, options] = args as [
        string | string[],
        string | undefined,
        { durability?: string } | undefined,
      ];
      errors.asked.push({
        stores: [stores].flat(),
        mode: mode ?? 'readonly',
        durability: options?.durability,
      });
      return go();
    }),
  ];
  const errors: FormErrors = {
    put: null,
    removed: null,
    read: null,
    asked: [],
    reads: [],
    books: [],
    restore: () => undo.forEach((one) => one()),
  };
  return errors;
}

export type PutError = 'commit' | 'abort' | 'unknown' | 'quota put' | 'quota end';

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
const tablesRequested = (request: unknown): string => {
  const { query = request } = request as { query?: unknown };
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
