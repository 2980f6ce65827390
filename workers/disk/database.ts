import type { TenantId, UserId } from '#contract/ids.ts';
import { DiskError } from './disk-errors.ts';

/** Whose data it is. `actor` differs from `user` during an impersonation. */
export interface DataOwner {
  readonly tenant: TenantId;
  readonly user: UserId;
  readonly actor: UserId;
}
export const getDatabase = (owner: DataOwner): string =>
  `daybook:${owner.tenant}:${owner.user}:${owner.actor}`;

/** The browser's own by default. */
export interface Idb {
  readonly indexedDB: IDBFactory;
  readonly IDBKeyRange: typeof IDBKeyRange;
}
export type Lost = 'newer-build' | 'closed';

/** The tables of each kind of database, in Dexie's syntax: primary keys, no indexes. */
export const SCHEMAS = {
  data: {
    meta: 'name',
    books: '[table+chunk]',
    segments: 'id',
    patches: 'id',
    outbox: 'id',
    notices: 'id',
    answers: 'id',
    drafts: 'id',
  },
  profiles: { entries: 'name', present: 'id' },
} as const;
export type DatabaseKind = keyof typeof SCHEMAS;

/**
 * Increase it with every change of `SCHEMAS`, where Dexie adds what is missing, or of stored rows: an
 * open tab of an earlier build closes its connection. Builds without Dexie numbered their databases 1
 * to 11, and Dexie multiplies by ten, so this is 150 to the browser.
 */
export const VERSION = 15;
export const NATIVE_VERSION = VERSION * 10;

/** A transaction that writes one of these is on the disk before it resolves (OUT-1). */
export const STRICT_TABLES: readonly string[] = ['outbox', 'drafts', 'entries', 'present'];

/**
 * Opens a database that exists with the current tables, without Dexie, so that the first rows don't
 * wait for it (docs/adr/0006-dexie.md). Returns `absent` or `older` otherwise: Dexie creates or
 * upgrades it. Retries three times if the browser reports UnknownError, as it does while its files
 * settle; then rejects with `DiskError` unavailable.
 */
export async function openExisting(
  name: string,
  idb?: Idb,
): Promise<IDBDatabase | 'absent' | 'older'> {
  for (let tries = 3; ; tries--) {
    try {
      return await openAsIs(idb?.indexedDB ?? indexedDB, name);
    } catch (thrown) {
      // a VersionError: from a newer build, and only that one knows its format
      if (tries === 0 || !(thrown instanceof DOMException) || thrown.name !== 'UnknownError')
        throw toOpenError(thrown);
    }
  }
}

export const toOpenError = (thrown: unknown): DiskError =>
  new DiskError('unavailable', `The database does not open: ${String(thrown)}`);

const openAsIs = (factory: IDBFactory, name: string): Promise<IDBDatabase | 'absent' | 'older'> =>
  new Promise((resolve, reject) => {
    const request = factory.open(name, NATIVE_VERSION);
    let found: 'absent' | 'older' | null = null;
    request.addEventListener('upgradeneeded', ({ oldVersion }) => {
      found = oldVersion === 0 ? 'absent' : 'older';
      request.transaction?.abort(); // leaves the database as it was
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', (event) => {
      event.preventDefault();
      if (found === null) reject(request.error ?? new DOMException('no reason', 'UnknownError'));
      else resolve(found);
    });
  });

/** Deletes the database completely; waits for other tabs to close theirs. Needs no Dexie (C9). */
export function deleteDatabase(name: string, idb?: Idb): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = (idb?.indexedDB ?? indexedDB).deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () =>
      reject(request.error ?? new DOMException('no reason', 'UnknownError')),
    );
  });
}
