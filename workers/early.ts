import type { Ms } from '#contract/ids.ts';
import type { Connection } from './disk/connection.ts';
import { databaseOf } from './disk/database.ts';
import type { Held, Register } from './disk/register.ts';

/** How the two databases are opened. */
export interface Opens { readonly openRegister: () => Promise<Register>; readonly connect: (held: Held) => Promise<Connection> }

/**
 * Opens the register and the database of whoever is signed in at once, while the rest of the worker is still being fetched and compiled: the
 * browser takes as long for the one as for the other. Each is given away once, to who asks for it first; later ones are opened anew.
 */
export function openEarly({ openRegister, connect }: Opens, now: () => Ms): Opens {
  let register: Promise<Register> | null = openRegister();
  let connection: Promise<{ readonly name: string; readonly open: Connection } | null> | null = connecting(register);

  async function connecting(coming: Promise<Register>): Promise<{ readonly name: string; readonly open: Connection } | null> {
    try {
      const present = await (await coming).current(now());
      return present.is === 'in' ? { name: databaseOf(present.held), open: await connect(present.held) } : null;
    } catch {
      return null; // who asks is told by its own try
    }
  }

  return {
    openRegister: () => {
      const given = register;
      register = null;
      return given ?? openRegister();
    },
    connect: async (held) => {
      const given = await connection;
      connection = null;
      if (given?.name === databaseOf(held)) return given.open;
      if (given) {
        given.open.lost.closing();
        given.open.db.close();
      }
      return connect(held);
    },
  };
}
