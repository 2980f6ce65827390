import { Dexie } from 'dexie';
import { DiskFault } from '../seams.ts';
import type { Sealed } from './cipher.ts';
import type { Manifest } from './manifest.ts';

/**
 * One database a user, provider and origin (C6): `daybook:<tenant>:<user>:<actor>`.
 *
 *   meta      by name    manifest (plain) · who (sealed: me, branding, people) · order (plain: last number given to a command)
 *   books     by [table, chunk]   rows of the small tables, so many numbers a chunk (sealed)
 *   segments  by id      runs as columns (sealed); what stands in which is told by the manifest
 *   patches   by id      changes since, in order (sealed)
 *   outbox    by id      commands not yet in the log (sealed under the outbox's own key)
 *
 * Readable without a key: ids, the manifest (epoch, cursor, time of the last sync, days, and of each segment its rows, first and last
 * second), the rows of a patch, and order and state of a command. Everything else is sealed.
 */
export interface DiskRecords {
  readonly [store: string]: object;
  readonly meta: MetaRecord;
  readonly books: BookRecord;
  readonly segments: SegmentRecord;
  readonly patches: PatchRecord;
  readonly outbox: CommandRecord;
}
export type MetaRecord =
  | { readonly name: 'manifest'; readonly manifest: Manifest }
  | { readonly name: 'who'; readonly sealed: Sealed }
  | { readonly name: 'order'; readonly last: number };
export interface BookRecord { readonly table: string; readonly chunk: number; readonly sealed: Sealed }
interface SegmentRecord { readonly id: number; readonly sealed: Sealed }
/** `left`: what compaction could not fold of older patches. No patch of that number can be read any more. */
export interface PatchRecord { readonly id: number; readonly runs: number; readonly left: boolean; readonly sealed: Sealed }
export interface CommandRecord {
  readonly id: string;
  readonly order: number;
  readonly state: 'waiting' | 'refused';
  readonly sealed: Sealed;
  readonly failure: Sealed | null;
}

/** Whose data it is. `actor` differs from `user` where somebody is logged in as another. */
export interface Owner { readonly tenant: string; readonly user: string; readonly actor: string }
export const databaseOf = (owner: Owner): string => `daybook:${owner.tenant}:${owner.user}:${owner.actor}`;

/** The browser's own by default. */
export interface Idb { readonly indexedDB: IDBFactory; readonly IDBKeyRange: typeof IDBKeyRange }
export type Lost = 'newer-build' | 'closed';

const SCHEMAS = {
  owner: { meta: '&name', books: '&[table+chunk]', segments: '&id', patches: '&id', outbox: '&id' },
  register: { entries: '&name', present: '&id' },
} as const;
const VERSION = 1;

/** Retried three times where the browser answers UnknownError (Dexie does), then `DiskFault` unavailable. */
export async function openDatabase(name: string, schema: keyof typeof SCHEMAS, lost: (why: Lost) => void, idb?: Idb): Promise<Dexie> {
  const db = new Dexie(name, { ...idb, autoOpen: false, cache: 'disabled' });
  db.version(VERSION).stores(SCHEMAS[schema]);
  // A connection that stays open would block another build's upgrade and another tab's sign-out: it goes at once.
  let told = false;
  const tell = (why: Lost): void => {
    if (!told) lost(why);
    told = true;
  };
  db.on('versionchange', (event) => {
    tell(event.newVersion === null ? 'closed' : 'newer-build');
    db.close();
    return false;
  });
  try {
    await db.open();
  } catch (thrown) {
    throw new DiskFault('unavailable', `The database does not open: ${String(thrown)}`);
  }
  // Dexie opens a database of a newer build as it finds it; only that build knows how to write it.
  if (Math.floor(db.backendDB().version / 10) > VERSION) {
    db.close();
    throw new DiskFault('unavailable', 'The database belongs to a newer build.');
  }
  db.backendDB().addEventListener('close', () => tell('closed'));
  return db;
}
