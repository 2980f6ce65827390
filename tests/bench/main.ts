/**
 * `npm run bench [-- --json] [-- --page] [-- store|ingest|suite|folders|index|collect|fluid|growth …]
 * [-- --runs 100000,500000] [-- --only ours,sqlite]`: figures in a table for people, or as JSON for machines.
 * `--page` writes them into `docs/measured.md`, too. `folders`, `index`, `collect`, `fluid` and
 * `growth` run only where they are named: they take minutes.
 */
import { type BenchPart, readArguments } from '#server/command-syntax.ts';
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

const { values, positionals } = readArguments('bench');
const json = values.json === true;
const runs = (values.runs ?? '100000,500000').split(',').map(Number);
const only = (values.only ?? NAMES.join()).split(',');
const say = (text: string): void => {
  if (!json) console.log(text);
};

interface Part {
  readonly title: string;
  readonly isLong?: boolean;
  readonly run: () => Promise<readonly Sheet[]>;
}
const PARTS: Readonly<Record<BenchPart, Part>> = {
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

const options = [
  ...(values.runs === undefined ? [] : ['--runs', values.runs]),
  ...(values.only === undefined ? [] : ['--only', values.only]),
];
const sheets: Sheet[] = [];
for (const [name, { title, isLong = false, run }] of Object.entries(PARTS)) {
  if (positionals.length === 0 ? isLong : !positionals.includes(name)) continue;
  const load = getLoad();
  const measured = await run();
  sheets.push(...measured);
  if (values.page === true) writePart({ name, title, options, load, sheets: measured });
}
if (json) console.log(JSON.stringify(sheets, null, 2));
else for (const sheet of sheets) console.log(getTable(sheet));
