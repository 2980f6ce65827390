import { say, withStore } from './platform/db/command-line.ts';
import { getArchiveFolder } from './platform/events/archive/archive-job.ts';
import { rebuild } from './platform/events/rebuild.ts';
import { reportDifferences } from './report-integrity.ts';
import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run rebuild [-- --write]`: compares the rows with the log (LOG-5). `--write` repairs the
 * differences.
 */
const { values } = readArguments('rebuild');
await withStore(async (store, config) => {
  const all = await rebuild(store, {
    write: values.write === true,
    archive: getArchiveFolder(config),
  });
  for (const { tenant, events, rows, quarantined, differences } of all) {
    say(t.rebuilt({ tenant, events, rows, quarantined, differences: differences.length }));
    reportDifferences(differences);
  }
  return all.some((one) => one.differences.length > 0) ? 1 : 0;
});
