import { systemClock } from './platform/clock.ts';
import { backUp } from './platform/db/backup-file.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { sealLogs } from './platform/events/verify.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run backup <file>`: writes everything except sessions, as one consistent snapshot. The
 * embedded database requires the server to be stopped.
 */
const file = process.argv[2];
if (file === undefined) {
  stop(t.backupUsage);
} else {
  await withStore(async (store) => {
    await sealLogs(store);
    await backUp(store, file, systemClock.now());
    say(t.backedUp({ file }));
    return 0;
  });
}
