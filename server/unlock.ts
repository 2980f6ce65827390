import { unlock } from './features/auth/lockout.ts';
import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `unlock <host> <user name>`: unlocks an account that was locked after too many failed attempts.
 * The embedded database requires the server to be stopped.
 */
const [host, username] = process.argv.slice(2);
if (host === undefined || username === undefined) {
  stop(t.unlockUsage);
} else {
  await withStore(async (store) => {
    const done = await unlock(store, host, username, systemChance.uuid(), systemClock.now());
    if (done.kind === 'no-provider') stop(t.noProvider({ host }));
    else if (done.kind === 'no-account') stop(t.noUser({ provider: done.provider, username }));
    else say(t.unlocked({ username, provider: done.provider, failures: done.failures }));
    return done.kind === 'unlocked' ? 0 : 1;
  });
}
