import { say, withStore } from './platform/db/command-line.ts';
import { rebuild } from './platform/events/rebuild.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/**
 * `npm run rebuild [-- --write]`: compares the rows with the log (LOG-5). `--write` repairs the
 * differences.
 */
const SHOWN = 20;

await withStore(async (store) => {
  const all = await rebuild(store, { write: process.argv.includes('--write') });
  for (const { tenant, events, rows, quarantined, differences } of all) {
    say(t.rebuilt({ tenant, events, rows, quarantined, differences: differences.length }));
    for (const { table, id, stored, folded } of differences.slice(0, SHOWN)) {
      say(t.difference({ table, id }));
      say(t.stored({ row: stored ?? t.noRow }));
      say(t.fromLog({ row: folded ?? t.noRow }));
    }
  }
  return all.some((one) => one.differences.length > 0) ? 1 : 0;
});
