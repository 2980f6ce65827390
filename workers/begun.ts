import { realClock } from './clock.ts';
import { connectTo } from './disk/connection.ts';
import { openRegister } from './disk/register.ts';
import { openEarly } from './early.ts';

/**
 * The worker begins with this, so that the databases are being opened while its other modules are
 * fetched and compiled.
 */
export const begun = openEarly(
  { openRegister: () => openRegister(), connect: (held) => connectTo(held) },
  () => realClock.now(),
);
