/**
 * `npm run bench [-- --json] [-- --page] [-- store|ingest|suite|folders|index|collect|fluid|growth …]
 * [-- --runs 100000,500000] [-- --only ours,sqlite]`: figures in a table for people, or as JSON for machines.
 * `--page` writes them into `docs/measured.md`, too. `folders`, `index`, `collect`, `fluid` and
 * `growth` run only where they are named: they take minutes.
 */
import { benchCollect } from './collect.ts';
import { benchFluid } from './fluid.ts';
import { benchGrowth } from './growth.ts';
import { benchIngest } from './ingest.ts';
import { benchStore, NAMES } from './store.ts';
import { benchPst } from './suite-pst.ts';
import { benchSuiteFolders } from './suite-folders.ts';
import { benchSuiteIndex } from './suite-index.ts';
import { benchSuiteRepository } from './suite-repository.ts';
import { benchSuiteRestore } from './suite-restore.ts';
import { benchSuiteSessions } from './suite-sessions.ts';
import { getTable } from './figures.ts';
import type { Sheet } from './figures.ts';
import { getLoad, writePart } from './page.ts';

const args = process.argv.slice(2);
const json = args.includes('--json');
const getOption = (name: string, fallback: string): string[] => {
  const at = args.indexOf(name);
  return (at < 0 ? fallback : (args[at + 1] ?? '')).split(',');
};
const runs = getOption('--runs', '100000,500000').map(Number);
const only = getOption('--only', NAMES.join());
const say = (text: string): void => {
  if (!json) console.log(text);
};

interface Part {
  readonly title: string;
  readonly isLong?: boolean;
  readonly run: () => Promise<readonly Sheet[]>;
}
const PARTS: Readonly<Record<string, Part>> = {
  store: {
    title: 'Local store',
    run: () =>
      benchStore(
        runs,
        NAMES.filter((name) => only.includes(name)),
        say,
      ),
  },
  ingest: { title: 'Ingest', run: () => benchIngest(say) },
  suite: {
    title: 'Backup and restore',
    run: async () => [
      ...(await benchSuiteRepository(say)),
      ...(await benchSuiteRestore(say)),
      ...(await benchSuiteSessions(say)),
      await benchPst(say),
    ],
  },
  folders: {
    title: 'A drive of many folders',
    isLong: true,
    run: async () => [await benchSuiteFolders(say)],
  },
  index: { title: 'A large index', isLong: true, run: () => benchSuiteIndex(say) },
  collect: { title: 'Connections', isLong: true, run: () => benchCollect(say) },
  fluid: { title: 'Fluidity of the page', isLong: true, run: () => benchFluid(say) },
  growth: { title: 'Growth', isLong: true, run: async () => benchGrowth(say) },
};

const options = args.filter((arg) => arg !== '--page' && arg !== '--json' && !(arg in PARTS));
const named = Object.keys(PARTS).filter((name) => args.includes(name));
const sheets: Sheet[] = [];
for (const [name, { title, isLong = false, run }] of Object.entries(PARTS)) {
  if (named.length === 0 ? isLong : !named.includes(name)) continue;
  const load = getLoad();
  const measured = await run();
  sheets.push(...measured);
  if (args.includes('--page')) writePart({ name, title, options, load, sheets: measured });
}
if (json) console.log(JSON.stringify(sheets, null, 2));
else for (const sheet of sheets) console.log(getTable(sheet));
