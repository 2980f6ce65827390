import { withStore } from './platform/db/command-line.ts';
import { verify } from './platform/events/verify.ts';
import { reportVerified } from './report-integrity.ts';

/**
 * `npm run verify`: checks the logs against their hashes and the rows against the logs (LOG-11,
 * LOG-12). Changes nothing but missing hashes of older logs.
 */
await withStore(async (store) => reportVerified(await verify(store)));
