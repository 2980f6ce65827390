import { readCopyOptions, stop, withStore } from './platform/db/command-line.ts';
import { getArchiveFolder } from './platform/events/archive/archive-job.ts';
import { verify } from './platform/events/verify.ts';
import { reportVerified } from './report-integrity.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run verify [--copy-in <folder>]`: checks the logs against their hashes and the rows against the
 * logs (LOG-11, LOG-12) with their archived parts, while the server runs. Changes nothing but missing hashes of older logs.
 */
const options = readCopyOptions(process.argv.slice(2));
if (options === null || options.rest.length > 0) stop(t.verifyUsage);
else
  await withStore(
    async (store, config) =>
      reportVerified(await verify(store, { archive: getArchiveFolder(config) })),
    options,
  );
