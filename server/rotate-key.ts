import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { makeLog } from './platform/log.ts';
import { rotateKeys } from './platform/crypto/rotate-keys.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';

/**
 * `rotate-key [--forget]`: seals the key of every provider under a new key of the server. On
 * PostgreSQL servers go on meanwhile. `--forget` instead takes the former keys away, once no
 * provider's key is under one of them: after all servers were started anew, and backups that need
 * them are gone.
 */
const settings = readConfig(process.env, '.');
if (typeof settings === 'string') stop(settings);
else {
  await withStore(async (store) => {
    const done = await rotateKeys(
      {
        store,
        clock: systemClock,
        chance: systemChance,
        log: makeLog(systemClock),
        config: settings.config,
      },
      process.argv.includes('--forget'),
    );
    if (!done.ok) {
      stop(done.says);
      return 1;
    }
    say(done.says);
    return 0;
  });
}
