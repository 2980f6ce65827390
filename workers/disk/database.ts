import { DiskFault } from '../types.ts';
import type { Sealed } from './cipher.ts';
import type { Manifest } from './manifest.ts';

/**
 * One database per user, provider and origin (A10): `daybook:<tenant>:<user>:<actor>`.
 *
 *   meta      by name    manifest (plain) · who (sealed: me, branding, people) · front (sealed:
 *                        copies for the first rows) · order (plain: last number of a command) ·
 *                        answers (plain: the index, newest first, with sizes)
 *   books     by [table, chunk]   rows of the small tables, a range of numbers per chunk (sealed)
 *   segments  by id      runs as columns (sealed); the manifest says what is in which
 *   patches   by id      changes since, in order (sealed)
 *   outbox    by id      commands not yet in the log (sealed under the outbox's own key)
 *   notices   by id      outcomes of own changes, until dismissed (sealed under the outbox's own key)
 *   answers   by digest of the query    the server's last answer to it (sealed)
 *
 * Readable without a key: ids, the manifest (epoch, cursor, time of the last sync, days with their
 * tags, and of each segment its rows, first and last second), the rows of a patch, order and state
 * of a command, and the time of a notice. Everything else is sealed.
 */
export interface DiskRecords {
  readonly [store: string]: object;
  readonly meta: MetaRecord;
  readonly books: BookRecord;
  readonly segments: SegmentRecord;
  readonly patches: PatchRecord;
  readonly outbox: CommandRecord;
  readonly notices: NoticeRecord;
  readonly answers: AnswerRecord;
}
export type MetaRecord =
  | { readonly name: 'manifest'; readonly manifest: Manifest }
  | { readonly name: 'who'; readonly sealed: Sealed }
  | { readonly name: 'front'; readonly sealed: Sealed }
  | { readonly name: 'order'; readonly last: number }
  | { readonly name: 'answers'; readonly kept: readonly AnswerInfo[] };
export interface BookRecord {
  readonly table: string;
  readonly chunk: number;
  readonly sealed: Sealed;
}
export interface SegmentRecord {
  readonly id: number;
  readonly sealed: Sealed;
}
/**
 * `left`: what compaction could not fold of older patches. The patch of that number can't be read
 * any more.
 */
export interface PatchRecord {
  readonly id: number;
  readonly runs: number;
  readonly left: boolean;
  readonly sealed: Sealed;
}
export interface CommandRecord {
  readonly id: string;
  readonly order: number;
  readonly state: 'waiting' | 'refused';
  readonly sealed: Sealed;
  readonly failure: Sealed | null;
}

interface NoticeRecord {
  readonly id: string;
  readonly at: number;
  readonly sealed: Sealed;
}
interface AnswerRecord {
  readonly id: string;
  readonly sealed: Sealed;
}
export interface AnswerInfo {
  readonly id: string;
  readonly bytes: number;
}

/** Whose data it is. `actor` differs from `user` during an impersonation. */
export interface Owner {
  readonly tenant: string;
  readonly user: string;
  readonly actor: string;
}
export const databaseOf = (owner: Owner): string =>
  `daybook:${owner.tenant}:${owner.user}:${owner.actor}`;

/** The browser's own by default. */
export interface Idb {
  readonly indexedDB: IDBFactory;
  readonly IDBKeyRange: typeof IDBKeyRange;
}
export type Lost = 'newer-build' | 'closed';

/** Object stores and their keys. */
const SCHEMAS = {
  owner: {
    meta: 'name',
    books: ['table', 'chunk'],
    segments: 'id',
    patches: 'id',
    outbox: 'id',
    notices: 'id',
    answers: 'id',
  },
  register: { entries: 'name', present: 'id' },
} as const;
const VERSION = 11;

/**
 * Uses IndexedDB directly: a library would be most of what the worker loads before the first rows.
 * Retries three times if the browser reports UnknownError, as it does while its files settle; then
 * rejects with `DiskFault` unavailable.
 */
export async function openDatabase(
  name: string,
  schema: keyof typeof SCHEMAS,
  lost: (why: Lost) => void,
  idb?: Idb,
): Promise<IDBDatabase> {
  for (let tries = 3; ; tries--) {
    try {
      return watched(await connect(idb?.indexedDB ?? indexedDB, name, SCHEMAS[schema]), lost);
    } catch (thrown) {
      if (tries === 0 || !(thrown instanceof DOMException) || thrown.name !== 'UnknownError') {
        // from a newer build: only that one knows its format
        throw new DiskFault('unavailable', `The database does not open: ${String(thrown)}`);
      }
    }
  }
}

const connect = (
  factory: IDBFactory,
  name: string,
  stores: Readonly<Record<string, string | readonly string[]>>,
): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = factory.open(name, VERSION);
    request.addEventListener('upgradeneeded', () => {
      for (const [store, keyPath] of Object.entries(stores)) {
        if (!request.result.objectStoreNames.contains(store))
          request.result.createObjectStore(store, {
            keyPath: typeof keyPath === 'string' ? keyPath : [...keyPath],
          });
      }
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      event.preventDefault();
      reject(request.error ?? new DOMException('no reason', 'UnknownError'));
    });
  });

/**
 * An open connection would block another build's upgrade and another tab's sign-out, so it closes
 * at once.
 */
function watched(db: IDBDatabase, lost: (why: Lost) => void): IDBDatabase {
  let told = false;
  const tell = (why: Lost): void => {
    if (!told) lost(why);
    told = true;
  };
  db.addEventListener('versionchange', ({ newVersion }) => {
    tell(newVersion === null ? 'closed' : 'newer-build');
    db.close();
  });
  db.addEventListener('close', () => tell('closed'));
  return db;
}

/** Closes the database and deletes it completely; waits for other tabs to close theirs. */
export function deleteDatabase(db: IDBDatabase, idb?: Idb): Promise<void> {
  db.close();
  return new Promise((resolve, reject) => {
    const request = (idb?.indexedDB ?? indexedDB).deleteDatabase(db.name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () =>
      reject(request.error ?? new DOMException('no reason', 'UnknownError')),
    );
  });
}
