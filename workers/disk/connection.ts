import { databaseOf, openDatabase, type Idb, type Lost, type Owner } from './database.ts';

/** Whoever listens is told when the connection goes without our doing. */
export interface Losing {
  readonly tell: (why: Lost) => void;
  readonly listen: (listener: (why: Lost) => void) => void;
  /** From now on it goes by our own doing. */
  readonly closing: () => void;
}

/**
 * The open database of one user: all that is needed of a disk while the disk itself is not loaded
 * yet.
 */
export interface Connection {
  readonly db: IDBDatabase;
  readonly lost: Losing;
}

/** `DiskFault` unavailable where the browser refuses. */
export async function connectTo(owner: Owner, idb?: Idb): Promise<Connection> {
  const lost = makeLost();
  return { db: await openDatabase(databaseOf(owner), 'owner', lost.tell, idb), lost };
}

/** Who listens late is told all the same. */
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
