import type { Ms } from '#contract/ids.ts';
import { databaseOf } from './disk/database.ts';
import type { Held, Register } from './disk/register.ts';
import type { Disk } from './seams.ts';
import type { WorkerWorld } from './world.ts';

/**
 * Opens the register and the database of whoever is signed in at once, while the rest of the worker is still being evaluated: the browser
 * takes as long for the one as for the other. Each is given away once, to who asks for it first; later ones are opened anew.
 */
export function openEarly({ openRegister, openDisk }: Pick<WorkerWorld, 'openRegister' | 'openDisk'>, now: () => Ms): Pick<WorkerWorld, 'openRegister' | 'openDisk'> {
  let register: Promise<Register> | null = openRegister();
  let disk: Promise<{ readonly name: string; readonly disk: Disk } | null> | null = opening(register);

  async function opening(coming: Promise<Register>): Promise<{ readonly name: string; readonly disk: Disk } | null> {
    try {
      const there = await coming, present = await there.current(now());
      return present.is === 'in' ? { name: databaseOf(present.held), disk: await openDisk(present.held, there) } : null;
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
    openDisk: async (held: Held, of: Register) => {
      const given = await disk;
      disk = null;
      if (given?.name === databaseOf(held)) return given.disk;
      given?.disk.close();
      return openDisk(held, of);
    },
  };
}
