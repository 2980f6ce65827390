import type { Ms } from '#contract/ids.ts';
import type { Connection } from '../disk/connection.ts';
import { getDatabase } from '../disk/database.ts';
import type { StoredProfile, Present, Profiles } from '../disk/profiles.ts';

/** How the two databases are opened. */
export interface Opens {
  readonly openRegister: () => Promise<Profiles>;
  readonly connect: (profile: StoredProfile) => Promise<Connection>;
}

/**
 * Opens the profiles and the database of the signed-in user at once, while the rest of the worker
 * is still being fetched and compiled: the browser takes about as long for both. Each is handed out
 * once, to the first caller; later calls open a new one.
 */
export function preopen({ openRegister, connect }: Opens, now: () => Ms): Opens {
  let register: Promise<Profiles> | null = openRegister();
  const first = register.then((there) => there.current(now()));
  let connection: Promise<{ readonly name: string; readonly open: Connection } | null> | null =
    connecting();

  async function connecting(): Promise<{
    readonly name: string;
    readonly open: Connection;
  } | null> {
    try {
      const present = await first;
      return present.kind === 'in'
        ? { name: getDatabase(present.profile), open: await connect(present.profile) }
        : null;
    } catch {
      return null; // callers get the error from their own attempt
    }
  }

  return {
    openRegister: () => {
      const opening = register;
      register = null;
      return opening ? opening.then((there) => knowing(there, first)) : openRegister();
    },
    connect: async (profile) => {
      const opening = await connection;
      connection = null;
      if (opening?.name === getDatabase(profile)) return opening.open;
      if (opening) {
        opening.open.lost.closing();
        opening.open.db.close();
      }
      return connect(profile);
    },
  };
}

/**
 * The same profiles, which answer the first query for the current user from the earlier result,
 * unless it was changed here since.
 */
function knowing(register: Profiles, first: Promise<Present>): Profiles {
  let known: Promise<Present | null> | null = first.catch(() => null);
  const changed = (): Profiles => {
    known = null;
    return register;
  };
  return {
    enter: (owner, until) => changed().enter(owner, until),
    extend: (owner, until) => changed().extend(owner, until),
    leave: (owner, keepOutbox) => changed().leave(owner, keepOutbox),
    close: () => register.close(),
    current: async (at) => {
      const present = await known;
      known = null;
      return present?.kind === 'in' && at < present.profile.offlineUntil
        ? present
        : register.current(at);
    },
  };
}
