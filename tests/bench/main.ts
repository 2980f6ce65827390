/**
 * `npm run bench [-- --json] [-- store|ingest|suite|collect|fluid …] [-- --runs 100000,500000] [-- --only
 * ours,sqlite]`: figures in a table for people, or as JSON for machines. `collect` and `fluid` run
 * where they are named alone: their estates take minutes.
 */
import { benchCollect } from './collect.ts';
import { benchFluid } from './fluid.ts';
import { benchIngest } from './ingest.ts';
import { benchStore, NAMES } from './store.ts';
import { benchPst } from './suite-pst.ts';
import { benchSuiteRepository } from './suite-repository.ts';
import { benchSuiteRestore } from './suite-restore.ts';
import { benchSuiteSessions } from './suite-sessions.ts';
import { getTable } from './figures.ts';
import type { Sheet } from './figures.ts';

const args = process.argv.slice(2);
const json = args.includes('--json');
const getOption = (name: string, fallback: string): string[] => {
  const at = args.indexOf(name);
  return (at < 0 ? fallback : (args[at + 1] ?? '')).split(',');
};
const runs = getOption('--runs', '100000,500000').map(Number);
const only = getOption('--only', NAMES.join());
const parts = args.filter((arg) => ['store', 'ingest', 'suite', 'collect', 'fluid'].includes(arg));
const chosen = (part: string): boolean => parts.length === 0 || parts.includes(part);
const say = (text: string): void => {
  if (!json) console.log(text);
};

const sheets: Sheet[] = [];
if (chosen('store'))
  sheets.push(
    ...(await benchStore(
      runs,
      NAMES.filter((name) => only.includes(name)),
      say,
    )),
  );
if (chosen('ingest')) sheets.push(...(await benchIngest(say)));
if (chosen('suite'))
  sheets.push(
    ...(await benchSuiteRepository(say)),
    ...(await benchSuiteRestore(say)),
    await benchSuiteSessions(say),
    await benchPst(say),
  );
if (parts.includes('collect')) sheets.push(...(await benchCollect(say)));
if (parts.includes('fluid')) sheets.push(...(await benchFluid(say)));
if (json) console.log(JSON.stringify(sheets, null, 2));
else for (const sheet of sheets) console.log(getTable(sheet));
