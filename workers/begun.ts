import { realClock } from './clock.ts';
import { openDisk } from './disk/disk.ts';
import { openRegister } from './disk/register.ts';
import { openEarly } from './early.ts';

/** Imported before everything else, so that the databases are being opened while the other modules are evaluated. */
export const begun = openEarly({ openRegister: () => openRegister(), openDisk: (held, register) => openDisk(held, register) }, () => realClock.now());
