import { restoreFrom } from './platform/db/backup-file.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run restore <file>`: into a new data folder or a new database. All users must sign in again.
 */
const file = process.argv[2];
if (file === undefined) {
  stop(t.restoreUsage);
} else {
  await withStore(async (store) => {
    const tenants = await restoreFrom(store, file);
    say(t.restored({ tenants }));
    return 0;
  });
}
