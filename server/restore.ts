import { restoreFrom } from './platform/db/backup-file.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';

/**
 * `npm run restore <file>`: into a new data folder or a new database. All users must sign in again.
 */
const file = process.argv[2];
if (file === undefined) {
  stop('Name the file to read: npm run restore <file>');
} else {
  await withStore(async (store) => {
    const tenants = await restoreFrom(store, file);
    say(
      `Restored ${tenants} ${tenants === 1 ? 'provider' : 'providers'}; rows and logs are those that were backed up.`,
    );
    return 0;
  });
}
