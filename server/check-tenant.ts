import { join } from 'node:path';
import { makeCloudConnection } from './engine/public/cloud.ts';
import {
  checkTenant,
  EXIT_CODES,
  printReport,
  readTenantCheckOptions,
  waitClock,
} from './engine/public/tenant-check.ts';
import { exitWithUsage, readArguments } from './command-syntax.ts';
import type { AppContext } from './platform/app-context.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { say, stop } from './platform/db/command-line.ts';
import { systemChance } from './platform/random.ts';

/**
 * `check-tenant --tenant T --application ID`: checks what a tenant of Microsoft 365 lacks for backups,
 * with a certificate or secret from a file or the environment. Needs no database, and changes nothing.
 * Exit codes: 0 ready, 1 something is missing, 2 wrong command line or settings, 3 not reachable.
 */
const WRONG_USE = 2;

const options = readTenantCheckOptions(readArguments('check:tenant').values, process.env);
if (typeof options === 'string') exitWithUsage('check:tenant', options);
const settings = readConfig(process.env, join(import.meta.dirname, '..'));
if (typeof settings === 'string') {
  stop(settings);
  process.exitCode = WRONG_USE;
} else {
  // Only what outgoing requests read.
  const context = { config: settings.config } as AppContext;
  const cloud = makeCloudConnection(() => context);
  const report = await checkTenant(
    {
      fetch: (request) => cloud.fetch(request),
      clock: waitClock(systemClock),
      random: () => (systemChance.bytes(1)[0] ?? 0) / 256,
    },
    options,
  );
  if (options.isJson) say(JSON.stringify(report, null, 2));
  else for (const line of printReport(report)) say(line);
  process.exit(EXIT_CODES[report.result]);
}
