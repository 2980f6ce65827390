import { restoreFrom } from './platform/db/backup-file.ts';
import { say, withStore } from './platform/db/command-line.ts';
import { getArchiveFolder } from './platform/events/archive/archive-job.ts';
import { verify } from './platform/events/verify.ts';
import { reportVerified } from './report-integrity.ts';
import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run restore <file>`: into a new data folder or a new database. All users must sign in again.
 * What was damaged before the backup is restored too, and named.
 */
const [file] = readArguments('restore').positionals;
await withStore(async (store, config) => {
  const tenants = await restoreFrom(store, file);
  say(t.restored({ tenants }));
  return reportVerified(await verify(store, { archive: getArchiveFolder(config) }));
});
