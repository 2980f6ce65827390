import { unlock } from './features/auth/lockout.ts';
import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';

/**
 * `unlock <host> <user name>`: unlocks an account that was locked after too many failed attempts.
 * The embedded database requires the server to be stopped.
 */
const [host, username] = process.argv.slice(2);
if (host === undefined || username === undefined) {
  stop('Name the host of the portal and the user: unlock <host> <user name>');
} else {
  await withStore(async (store) => {
    const done = await unlock(store, host, username, systemChance.uuid(), systemClock.now());
    if (done.is === 'no-provider') stop(`No provider has the host ${host}.`);
    else if (done.is === 'no-account') stop(`${done.provider} has no user ${username}.`);
    else
      say(
        `${username} of ${done.provider} can sign in again. Wrong passwords in a row until now: ${done.failures}.`,
      );
    return done.is === 'unlocked' ? 0 : 1;
  });
}
