import { cpus, loadavg, totalmem } from 'node:os';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import type { BrowserContext, Page } from 'playwright';
import { build } from 'vite';
import { makeData } from './data.ts';
import { getAnswer, FILTERS, KEYS, matches } from './browser/questions.ts';
import type { Answer, PlainRow } from './browser/questions.ts';
import { plainRows } from './browser/rows.ts';
import { WORKER_CHUNKS } from '../../workers/chunks.ts';
import { EVERYTHING } from '../../contract/runs/query.ts';
import type { RunsFilter } from '../../contract/runs/query.ts';
import { median } from './figures.ts';
import type { Figure, Sheet } from './figures.ts';
import { serveFolder } from './serve.ts';

export const NAMES = ['ours', 'dexie', 'sqlite'] as const;
type Name = (typeof NAMES)[number];
type Times = Map<string, number[]>;
const ROUNDS = { ours: 15, dexie: 5, sqlite: 5 } as const;
const CHANGES = 8;
const FIRST_OPENS = 3;
const OPENS = 9;
const AGAIN = 2;
const SETTLE_MS = 1_000;
const FIRST = 'open to first rows, first time';
const OPEN = 'open to first rows';
const GOALS_AT = 500_000;
const GOALS: Readonly<Record<string, string>> = {
  'load': '>= 400,000',
  [OPEN]: '<= 60',
  'text, a key of 16': '<= 8',
  '1,000 changes durable and shown': '<= 40',
  'before encryption, runs': '<= 50',
  ...Object.fromEntries(FILTERS.map(([name]) => [name, '<= 5'])),
};

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The local store in a real Chromium beside its peers: the same data and questions, every answer
 * held against brute force.
 */
export async function benchStore(
  counts: readonly number[],
  names: readonly Name[],
  say: (text: string) => void,
): Promise<Sheet[]> {
  const folder = join('.cache', 'bench');
  await build({
    configFile: false,
    root: 'tests/bench/browser',
    logLevel: 'warn',
    worker: { format: 'es', rolldownOptions: { output: WORKER_CHUNKS } },
    optimizeDeps: { exclude: ['@sqlite.org/sqlite-wasm'] },
    build: { outDir: join(process.cwd(), folder), emptyOutDir: true, target: 'es2023' },
  });
  const server = await serveFolder(folder);
  try {
    const sheets: Sheet[] = [];
    for (const runs of counts) sheets.push(await compare(server.url, runs, names, say));
    return sheets;
  } finally {
    server.stop();
  }
}

async function compare(
  url: string,
  runs: number,
  names: readonly Name[],
  say: (text: string) => void,
): Promise<Sheet> {
  const rows = plainRows(makeData(runs));
  const truth = new Map<string, Answer>();
  const expected = (name: string, filter: RunsFilter): Answer => {
    const known = truth.get(name) ?? getAnswer(rows.filter((row) => matches(row, filter)));
    truth.set(name, known);
    return known;
  };
  const results = new Map<Name, { times: Times; wrong: number }>();
  for (const name of names) {
    say(`  ${name}, ${runs.toLocaleString('en')} runs…`);
    results.set(name, await measure(say, url, name, runs, expected, rows));
  }
  const columns = names.flatMap((name) => [name, `${name}, best`]);
  const whats = [...new Set([...results.values()].flatMap(({ times }) => [...times.keys()]))];
  const figures: Figure[] = whats.map((what) => ({
    what,
    unit: getUnit(what),
    ...(runs === GOALS_AT && GOALS[what] !== undefined ? { goal: GOALS[what] } : {}),
    values: Object.fromEntries(
      names.flatMap((name) => {
        const values = results.get(name)?.times.get(what);
        return [
          [name, getFigure(values)],
          [`${name}, best`, getBest(what, values)],
        ];
      }),
    ),
  }));
  const overall: Figure = {
    what: 'best times multiplied: their geometric mean',
    unit: 'ms',
    values: Object.fromEntries(
      names.map((name) => [
        `${name}, best`,
        getMean(TIMED.map((what) => getBest(what, results.get(name)?.times.get(what)))),
      ]),
    ),
  };
  const wrong: Figure = {
    what: 'wrong answers',
    unit: 'count',
    goal: '0',
    values: Object.fromEntries(names.map((name) => [name, results.get(name)?.wrong ?? null])),
  };
  return {
    title: `Local store in Chromium, ${runs.toLocaleString('en')} runs: main-thread round trips, median`,
    columns,
    figures: [...figures, overall, wrong],
    notes: [
      machine(version),
      "ours: the product's engine and disk, values encrypted, all eight facets of a filter; dexie: a record a row, read into an array; sqlite: sqlite-wasm on OPFS.",
      `Openings: in a browser just started. The first time: in a profile that has only been filled (${FIRST_OPENS + 1}); else in one that has been opened before (${OPENS}), from which Chromium has compiled code.`,
    ],
  };
}

const TIMED = [
  OPEN,
  ...FILTERS.map(([name]) => name),
  'text, a key of 16',
  '1,000 changes durable and shown',
];
const getUnit = (what: string): string =>
  what === 'load'
    ? 'runs/s'
    : what.startsWith('disk') || what.startsWith('before')
      ? 'bytes a run'
      : what.startsWith('heap')
        ? 'MB'
        : 'ms';
const getFigure = (values: readonly number[] | undefined): number | null =>
  values === undefined || values.length === 0 ? null : median(values);
const getBest = (what: string, values: readonly number[] | undefined): number | null =>
  values === undefined || values.length === 0
    ? null
    : what === 'load'
      ? Math.max(...values)
      : Math.min(...values);
const getMean = (values: readonly (number | null)[]): number =>
  Math.exp(values.reduce<number>((sum, one) => sum + Math.log(one ?? NaN), 0) / values.length);

let version = '';
const machine = (browser: string): string =>
  `${cpus().length} cores ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB; Chromium ${browser}; load average at the end ${loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}.`;

async function measure(
  say: (text: string) => void,
  url: string,
  name: Name,
  runs: number,
  expected: (name: string, filter: RunsFilter) => Answer,
  rows: readonly PlainRow[],
) {
  const profile = await mkdtemp(join(tmpdir(), 'daybook-bench-'));
  const times: Times = new Map();
  const note = (what: string, value: number): void => {
    times.set(what, [...(times.get(what) ?? []), value]);
  };
  let wrong = 0;
  const judge = (what: string, filter: RunsFilter, answer: unknown): void => {
    if (!same(what, answer as Answer, expected(what, filter), filter, rows)) wrong += 1;
  };
  try {
    let before = await loadSize(profile);
    await inBrowser(profile, url, async (page) => {
      await page.evaluate((of) => bench.start(of), name);
      before = await loadSize(profile);
      const { answer } = await page.evaluate((count) => bench.timed('load', count), runs);
      note('load', runs / ((answer as { ms: number }).ms / 1000));
    });
    note('disk', ((await loadSize(profile)) - before) / runs);
    const open = async (page: Page, what: string): Promise<void> => {
      const { ms, answer } = await page.evaluate((of) => bench.open(of), name);
      note(what, ms);
      judge(FILTERS[0]?.[0] ?? '', FILTERS[0]?.[1] ?? EVERYTHING, answer);
      if (name !== 'ours') return;
      const { answer: steps } = await page.evaluate(() => bench.timed('steps'));
      say(
        `    ${what} ${ms.toFixed(1)} ms: ${(steps as [string, number][]).map(([step, took]) => `${step} ${took.toFixed(1)}`).join(', ')}`,
      );
    };
    for (let copy = 0; copy < FIRST_OPENS; copy++) {
      const fresh = `${profile}-${copy}`;
      try {
        await cp(profile, fresh, { recursive: true, verbatimSymlinks: true });
        await inBrowser(fresh, url, async (page) => {
          await page.waitForTimeout(SETTLE_MS);
          await open(page, FIRST);
        });
      } finally {
        await rm(fresh, { recursive: true, force: true, maxRetries: 5 });
      }
    }
    // Chromium keeps what it has compiled of a script from its second run on, and takes it from the
    // third: both are spent here.
    for (let round = -1; round < OPENS; round++) {
      await inBrowser(profile, url, async (page) => {
        await page.waitForTimeout(SETTLE_MS); // the browser itself is still starting
        await open(page, round < 0 ? FIRST : OPEN);
        const { ms: rest } = await page.evaluate(() => bench.timed('rest'));
        note('open, all that is left', rest);
        if (round < OPENS - 1) {
          if (round < AGAIN)
            for (let again = 0; again < (name === 'ours' ? 3 : 1); again++)
              await open(page, 'open again, browser running');
          return;
        }
        if (name === 'ours') {
          const { answer } = await page.evaluate(() => bench.timed('sizes'));
          const { segments = 0, books = 0, patches = 0 } = answer as Record<string, number>;
          note('before encryption, runs', (segments + patches) / runs);
          note('before encryption, books', books / runs);
        }
        note('heap', (await page.evaluate(() => bench.heap())) / 1e6);
        await ask(page, name, runs, note, judge);
      });
    }
    return { times, wrong };
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function ask(
  page: Page,
  name: Name,
  runs: number,
  note: (what: string, value: number) => void,
  judge: (what: string, filter: RunsFilter, answer: unknown) => void,
) {
  const timed = (filter: RunsFilter) => page.evaluate((of) => bench.timed('ask', of), filter);
  for (let round = -2; round < ROUNDS[name]; round++) {
    for (const [what, filter] of FILTERS) {
      const { ms, answer } = await timed(filter);
      if (round >= 0) note(what, ms);
      if (round === 0) judge(what, filter, answer);
    }
  }
  for (let round = -1; round < Math.max(2, ROUNDS[name] / 5); round++) {
    for (const key of KEYS) {
      const filter = { ...EVERYTHING, text: key };
      const { ms, answer } = await timed(filter);
      if (round >= 0) note('text, a key of 16', ms);
      if (round === 0) judge(`text "${key}"`, filter, answer);
    }
  }
  await page.evaluate((count) => bench.timed('prepare', count), runs);
  for (let round = 0; round < CHANGES; round++) {
    const { ms } = await page.evaluate(([at, count]) => bench.timed('change', at, count), [
      round,
      runs,
    ] as const);
    // the first builds what the others find
    if (round > 0) note('1,000 changes durable and shown', ms);
  }
}

async function inBrowser(
  profile: string,
  url: string,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const executablePath = process.env['CHROMIUM'];
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    headless: true,
    args: flags,
    ...(executablePath === undefined ? {} : { executablePath }),
  });
  try {
    version = context.browser()?.version() ?? version;
    const page = await context.newPage();
    page.setDefaultTimeout(900_000);
    await page.goto(url);
    await page.waitForFunction(() => 'bench' in globalThis);
    await work(page);
  } finally {
    await context.close();
  }
}

async function loadSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const stored = entries.filter(
    (entry) => entry.isFile() && /IndexedDB|File System|Storage/.test(entry.parentPath),
  );
  const sizes = await Promise.all(
    stored.map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Facets of ours leave out their own dimension, as the page shows them; the peers count under the
 * whole filter. Each is held against its own truth.
 */
function same(
  what: string,
  answer: Answer,
  whole: Answer,
  filter: RunsFilter,
  rows: readonly PlainRow[],
): boolean {
  const under = (change: Partial<RunsFilter>): Answer => {
    const [list] = Object.values(change);
    const own = Object.keys(change)[0] as keyof RunsFilter;
    return JSON.stringify(filter[own]) === JSON.stringify(list)
      ? whole
      : getAnswer(rows.filter((row) => matches(row, { ...filter, ...change })));
  };
  const counted = (own: 'states' | 'sources'): boolean =>
    equal(sorted(answer[own]), sorted(whole[own])) ||
    equal(sorted(answer[own]), sorted(under({ [own]: [] })[own]));
  const right =
    answer.total === whole.total &&
    equal(answer.first, whole.first) &&
    counted('states') &&
    counted('sources') &&
    (equal(answer.companies, whole.companies) ||
      equal(answer.companies, under({ companies: [] }).companies));
  if (!right) console.error(`wrong: ${what}: ${answer.total} of ${whole.total}`);
  return right;
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const sorted = (counts: Readonly<Record<string, number>>): unknown =>
  Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));

declare const bench: {
  heap(): Promise<number>;
  start(name: string): Promise<void>;
  open(name: string): Promise<{ ms: number; answer: unknown }>;
  timed(what: string, ...input: unknown[]): Promise<{ ms: number; answer: unknown }>;
};
