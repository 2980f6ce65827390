import { say, withStore } from './platform/db/command-line.ts';
import { rebuild } from './platform/events/rebuild.ts';

/**
 * `npm run rebuild [-- --write]`: compares the rows with the log (LOG-5). `--write` repairs the
 * differences.
 */
const SHOWN = 20;

await withStore(async (store) => {
  const all = await rebuild(store, { write: process.argv.includes('--write') });
  for (const { tenant, events, rows, quarantined, differences } of all) {
    say(
      `${tenant}: ${events} events, ${rows} rows, ${quarantined} quarantined, ${differences.length} differences`,
    );
    for (const one of differences.slice(0, SHOWN))
      say(
        `  ${one.table} ${one.id}\n    stored ${one.stored ?? '(none)'}\n    log    ${one.folded ?? '(none)'}`,
      );
  }
  return all.some((one) => one.differences.length > 0) ? 1 : 0;
});
