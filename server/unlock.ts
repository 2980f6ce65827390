import { unlock } from './features/auth/lockout.ts';
import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `unlock <host> <user name>`: unlocks an account that was locked after too many failed attempts.
 * The embedded database requires the server to be stopped.
 */
const [host, username] = readArguments('unlock').positionals;
await withStore(async (store) => {
  const outcome = await unlock(store, host, username, systemChance.uuid(), systemClock.now());
  if (outcome.kind === 'no-provider') stop(t.noProvider({ host }));
  else if (outcome.kind === 'no-account') stop(t.noUser({ provider: outcome.provider, username }));
  else say(t.unlocked({ username, provider: outcome.provider, failures: outcome.failures }));
  return outcome.kind === 'unlocked' ? 0 : 1;
});
