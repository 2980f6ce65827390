/**
 * A drive of many folders, from the simulated tenant on both databases: how long its sessions take,
 * how much memory, and how fast it opens: `node tests/bench/suite-folders.ts`. `FOLDERS` (100,000):
 * how many, on four levels. `ONLY`: `pglite` or `postgres`. The tenant is another process.
 */
import { loadavg } from 'node:os';
import { allJobs } from '../../server/jobs.ts';
import { makeJobRunner } from '../../server/platform/jobs/runner.ts';
import { binaries } from '../server/db/binaries.ts';
import { type Figure, getTable, median, quantile, type Sheet } from './figures.ts';
import { FLAGS } from './suite-mailbox.ts';
import { createJob, type Database, getValue, inPlace, type Place } from './suite-place.ts';

const FOLDERS = Number(process.env['FOLDERS'] ?? 100_000);
/** Added before the last session. */
const CHANGES = 100;
const PAGE_ROWS = 40;
const SAMPLE_MS = 20;
const MEGA = 1_000_000;

interface Measured {
  readonly firstMs: number;
  readonly unchangedMs: number;
  readonly changedMs: number;
  readonly rssBytes: number;
  readonly levelsMs: readonly number[];
  readonly plannedMs: number;
}

export async function benchSuiteFolders(say: (text: string) => void): Promise<Sheet> {
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  const measured: Partial<Record<Database, Measured>> = {};
  for (const database of ['pglite', 'postgres'] as const) {
    if (![database, undefined].includes(process.env['ONLY'] as Database | undefined)) continue;
    if (database === 'postgres' && binaries() === null) continue;
    say(`  a drive of ${FOLDERS.toLocaleString('en')} folders on ${database} …`);
    measured[database] = await inPlace(database, { people: 3, mails: 1 }, measure);
  }
  const row = (what: string, unit: string, get: (one: Measured) => number): Figure => ({
    what,
    unit,
    values: Object.fromEntries(Object.entries(measured).map(([name, one]) => [name, get(one)])),
  });
  return {
    title: `A drive of ${FOLDERS.toLocaleString('en')} folders`,
    columns: Object.keys(measured),
    figures: [
      row('first session', 's', ({ firstMs }) => firstMs / 1_000),
      row('session without changes', 'ms', ({ unchangedMs }) => unchangedMs),
      row(`session with ${CHANGES} new`, 'ms', ({ changedMs }) => changedMs),
      row('memory of the server', 'MB RSS', ({ rssBytes }) => rssBytes / MEGA),
      row('a folder opens, median', 'ms', ({ levelsMs }) => median(levelsMs)),
      row('a folder opens, 95 %', 'ms', ({ levelsMs }) => quantile(levelsMs, 0.95)),
      row('dry run of all of it', 's', ({ plannedMs }) => plannedMs / 1_000),
    ],
    notes,
  };
}

async function measure(place: Place): Promise<Measured> {
  const { office } = place;
  const { selected } = await office.call({ add: { kind: 'folders', count: FOLDERS } });
  const run = await createJob(place, selected['folders'] ?? []);
  let rssBytes = 0;
  const timer = setInterval(() => {
    rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  try {
    const first = await run();
    const unchanged = await run();
    await office.call({ add: { kind: 'folders', count: CHANGES } });
    const changed = await run();
    const { levelsMs, plannedMs } = await browse(place);
    return {
      firstMs: first.ms,
      unchangedMs: unchanged.ms,
      changedMs: changed.ms,
      rssBytes,
      levelsMs,
      plannedMs,
    };
  } finally {
    clearInterval(timer);
  }
}

/** Opens the first folder of each level, from the drive on, and tries a restore of the whole drive. */
async function browse({ context, scope }: Place) {
  const { embeddedEngine: engine, clock } = context;
  const explorer = getValue(
    await engine.openExplorer(scope, {
      workload: 'onedrive',
      job: null,
      at: clock.now(),
      showDeleted: false,
    }),
  ).id;
  const levelsMs: number[] = [];
  const list = async (parent: string | null) => {
    const began = performance.now();
    const page = await engine.listChildren(scope, {
      explorer,
      parent,
      only: 'all',
      text: null,
      sort: 'name',
      descending: false,
      cursor: null,
      limit: PAGE_ROWS,
    });
    levelsMs.push(performance.now() - began);
    return getValue(page).rows;
  };
  const [drive] = await list(null);
  for (let round = 0; round < 10; round += 1)
    for (let rows = await list(drive?.id ?? ''); rows.length > 0;)
      rows = await list(rows[round]?.id ?? rows[0]?.id ?? '');
  const runner = makeJobRunner(context, { 'restore-task': allJobs(context)['restore-task'] });
  const began = performance.now();
  const task = getValue(
    await engine.restore(scope, {
      explorer,
      nodes: [drive?.id ?? ''],
      target: { kind: 'original' },
      select: 'missing',
      onConflict: 'skip',
      versions: 'last',
      flags: FLAGS,
      dryRun: true,
      reason: null,
    }),
  );
  for (;;) {
    await runner.tick();
    const { state, result, message } = getValue(await engine.getTask(scope, { task }));
    if (state !== 'done') continue;
    if (result !== 'success') throw new Error(message ?? result ?? '');
    return { levelsMs, plannedMs: performance.now() - began };
  }
}

if (import.meta.main) console.log(getTable(await benchSuiteFolders(console.log)));
