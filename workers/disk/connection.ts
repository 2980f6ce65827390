import { databaseOf, openDatabase, type Idb, type Lost, type Owner } from './database.ts';

/** Notifies listeners when the connection is lost, but not when we close it. */
export interface Losing {
  readonly tell: (why: Lost) => void;
  readonly listen: (listener: (why: Lost) => void) => void;
  /** Call before closing it on purpose. */
  readonly closing: () => void;
}

/**
 * The open database of one user: everything that is needed of a disk before the disk module is
 * loaded.
 */
export interface Connection {
  readonly db: IDBDatabase;
  readonly lost: Losing;
}

/** Rejects with `DiskFault` unavailable if the browser refuses. */
export async function connectTo(owner: Owner, idb?: Idb): Promise<Connection> {
  const lost = makeLost();
  return { db: await openDatabase(databaseOf(owner), 'owner', lost.tell, idb), lost };
}

/** Also notifies listeners that register after the loss. */
export function makeLost(): Losing {
  const listeners: ((why: Lost) => void)[] = [];
  let was: Lost | null = null;
  let ours = false;
  return {
    tell: (why) => {
      if (ours) return;
      was = why;
      for (const listener of listeners) listener(why);
    },
    listen: (listener) => {
      listeners.push(listener);
      if (was !== null) listener(was);
    },
    closing: () => {
      ours = true;
    },
  };
}
