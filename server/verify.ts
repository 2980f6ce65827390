import { withStore } from './platform/db/command-line.ts';
import { getArchiveFolder } from './platform/events/archive/archive-job.ts';
import { verify } from './platform/events/verify.ts';
import { reportVerified } from './report-integrity.ts';
import { readArguments } from './command-syntax.ts';

/**
 * `npm run verify [--copy-in <folder>]`: checks the logs against their hashes and the rows against the
 * logs (LOG-11, LOG-12) with their archived parts, while the server runs. Changes nothing but missing hashes of older logs.
 */
const { values } = readArguments('verify');
await withStore(
  async (store, config) =>
    reportVerified(await verify(store, { archive: getArchiveFolder(config) })),
  { copyIn: values['copy-in'] ?? null },
);
