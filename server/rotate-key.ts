import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { makeAppContext } from './make-app-context.ts';
import { makeLog } from './platform/log.ts';
import { rotateKeys } from './platform/crypto/rotate-keys.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { readArguments } from './command-syntax.ts';

/**
 * `rotate-key [--forget]`: seals the key of every provider under a new master key. With PostgreSQL,
 * servers can keep running. `--forget` instead deletes the former master keys if no provider's key
 * uses them. Use it after all servers were restarted and no needed backup depends on them.
 */
const { values } = readArguments('rotate-key');
const settings = readConfig(process.env, '.');
if (typeof settings === 'string') stop(settings);
else {
  await withStore(async (store) => {
    const done = await rotateKeys(
      makeAppContext({
        store,
        clock: systemClock,
        chance: systemChance,
        log: makeLog(systemClock),
        config: settings.config,
      }),
      values.forget === true,
    );
    if (!done.ok) {
      stop(done.message);
      return 1;
    }
    say(done.message);
    return 0;
  });
}
