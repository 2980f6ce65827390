import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import { PLAIN } from '#tests/me.ts';
import type { Day } from '#contract/ids.ts';
import {
  encodeColumns,
  newestFirst,
  runAt,
  viewColumns,
  type LeanRun,
  type RunColumns,
} from '#contract/runs/columns.ts';
import type {
  QueuedCommand,
  Disk,
  Fresh,
  OpenedStore,
  Patch,
  SmallRows,
  SmallTable,
} from '#workers/types.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import { joinRows } from '#workers/disk/table-snapshots.ts';
import { getId, SMALL_TABLES, type SmallRow } from '#workers/tables.ts';

/**
 * A little world to store: runs, rows and commands that are told apart, and the plain fold that a
 * disk is judged by.
 */
export const DAYS: readonly Day[] = ['2026-03-05', '2026-03-04', '2026-03-03', '2026-03-02'];

export const run = (n: number, startSec: number, version = 0): LeanRun => ({
  n,
  job: (n % 7) + 1,
  company: (n % 3) + 1,
  problem: n % 5 === 0 ? n : null,
  startSec,
  elapsedSec: version,
  bytes: n * 1000 + version,
  kind: n % 5,
  message: n % 5 === 0 ? `run ${n} version ${version}` : null,
});

/** A day's runs, 40 s apart or as many as it takes. */
export const runsOfDay = (day: Day, count: number, firstN: number, version = 0): LeanRun[] =>
  Array.from({ length: count }, (_, i) =>
    run(firstN + i, startOfUtcDay(day) + Math.floor(i * Math.min(40, 86_400 / count)), version),
  );

export const page = (runs: readonly LeanRun[]): RunColumns =>
  viewColumns(encodeColumns(runs.toSorted(newestFirst)).buffer);

export const problem = (n: number, runs = 1): NonNullable<SmallRows['problem']>[number] => ({
  n,
  job: 1,
  company: 1,
  cause: 1,
  state: 'Failed',
  openedAt: 1,
  lastAt: 2,
  lastRun: 3,
  runs,
  closedAt: null,
  closedBy: null,
  review: null,
  snooze: null,
  note: null,
  ticket: null,
});

export const fresh = (rows: SmallRows = {}, days: readonly Day[] = DAYS, epoch = 'e1'): Fresh => ({
  epoch,
  cursor: 10,
  days,
  rows,
  people: [{ id: 'u1', name: 'Ada' }],
  me: {
    id: 'u1',
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.test',
    roles: ['admin'],
    companies: null,
    serviceProviderId: 't1',
    ...PLAIN,
  },
  branding: {
    id: 't1',
    name: 'North',
    title: 'North',
    favIconUrl: null,
    apiUrl: '',
    domain: 'north.test',
    sidebarLogoUrl: null,
    sidebarLogoWidth: null,
    sidebarLogoHeight: null,
    sidebarTitle: 'North',
    supportEmail: null,
    supportPhone: null,
    authType: 'db',
    isStripeEnabled: false,
    accent: null,
    accentDark: null,
    sidebar: null,
    sidebarDark: null,
    timeZone: 'UTC',
    dayBeginsHour: 0,
    offlineDays: 7,
    ...PLAIN_BRANDING,
  },
});

export const patch = (
  cursor: number,
  runs: readonly LeanRun[] = [],
  rows: SmallRows = {},
): Patch => ({ cursor, runs, rows });

export const command = (id: string): Omit<QueuedCommand, 'order'> => ({
  id,
  call: 'reviewRuns',
  input: { runs: [1, 2], comment: `about ${id}` },
  madeAt: 5,
  state: 'waiting',
  failure: null,
});

/** What a device would show: rows and runs after everything was folded, in one plain form. */
export interface ShownRows {
  readonly cursor: number;
  readonly rows: Record<string, Record<string, SmallRow>>;
  readonly runs: Record<string, LeanRun>;
}

export async function loadOpened(disk: Disk): Promise<OpenedStore> {
  const opened = await disk.open();
  if (!opened) throw new Error('nothing to open');
  return opened;
}

export async function shown(disk: Disk): Promise<ShownRows> {
  const opened = await loadOpened(disk);
  const snapshots = await loadAllSnapshots(disk, opened);
  const runs = new Map<number, LeanRun>();
  for (const info of opened.segments) {
    const columns = await disk.segment(info.id);
    for (let row = 0; row < columns.rows; row++) {
      const one = runAt(columns, row);
      if (runs.has(one.n)) throw new Error(`run ${one.n} is in two segments`);
      if (one.startSec < info.fromSec || one.startSec > info.toSec)
        throw new Error(`run ${one.n} outside of its segment`);
      runs.set(one.n, one);
    }
  }
  return foldPlain({ ...opened, rows: { ...opened.rows, ...snapshots } }, runs);
}

/** Every job and problem of the table snapshots, as one. */
export async function loadAllSnapshots(
  disk: Disk,
  { folds }: Pick<OpenedStore, 'folds'>,
): Promise<SmallRows> {
  const parts: SmallRows[] = [];
  await disk.remainingSnapshots(folds, (rows) => {
    parts.push(rows);
    return Promise.resolve();
  });
  return joinRows(parts);
}

export function foldPlain(
  opened: Pick<OpenedStore, 'cursor' | 'rows' | 'patches'>,
  runs: Map<number, LeanRun>,
): ShownRows {
  const rows: ShownRows['rows'] = {};
  for (const table of SMALL_TABLES) rows[table] = {};
  const put = (more: SmallRows): void => {
    for (const table of SMALL_TABLES)
      for (const row of rowsIn(more, table)) (rows[table] ??= {})[getId(table, row)] = row;
  };
  put(opened.rows);
  for (const one of opened.patches) {
    put(one.rows);
    for (const r of one.runs) runs.set(r.n, r);
  }
  return {
    cursor: opened.cursor,
    rows,
    runs: Object.fromEntries([...runs].map(([n, r]) => [String(n), r])),
  };
}

const rowsIn = (rows: SmallRows, table: SmallTable): readonly SmallRow[] => rows[table] ?? [];
