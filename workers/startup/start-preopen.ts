import { realClock } from '../clock.ts';
import { connectTo } from '../disk/connection.ts';
import { openProfiles } from '../disk/profiles.ts';
import { preopen } from './preopen.ts';

/**
 * The worker starts with this, so that the databases open while its other modules are fetched and
 * compiled.
 */
export const preopened = preopen(
  { openRegister: () => openProfiles(), connect: (profile) => connectTo(profile) },
  () => realClock.now(),
);
