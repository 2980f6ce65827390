import type { Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter, RunsWindow } from '#contract/runs/query.ts';
import type { RunColumns } from '#contract/runs/columns.ts';
import { WARM_START_SEC } from '../disk/warm-start-cache.ts';
import type {
  Ahead,
  Disk,
  ColumnStore,
  OpenedStore,
  Outline,
  SegmentInfo,
  SmallRows,
} from '../types.ts';

/**
 * Opens in two steps. The first doesn't grow with history (COL-6):
 *
 *   manifest, people, small tables, patches, segments of the view's time range ─▶ their problems
 *   ─▶ select ─▶ jobs of the window ─▶ rows
 *   then, in parts: all other jobs and problems, the other segments, newest first
 *
 * Problems and jobs come from the warm-start cache (disk/warm-start-cache.ts), one record that was
 * read with the manifest; what it lacks is read. Between the two steps, every answer about the
 * first view's time range is complete, except for text in job names. Older runs are unknown until
 * then, so strips and usual ranges may be short.
 */
export interface First {
  readonly opened: OpenedStore;
  readonly here: readonly SegmentInfo[];
  readonly rest: readonly SegmentInfo[];
}

/** What is shown first: the filter, once the stored segments are known, and the window of rows. */
export interface FirstView {
  readonly filter: (opened: Pick<OpenedStore, 'segments'>, now: Ms) => RunsFilter;
  readonly window: RunsWindow;
}

/** The default list: pending reviews of the last two days that this device knows, worst first. */
export const DEFAULT_VIEW: FirstView = {
  filter: (opened, now) => {
    const newest = Math.max(0, ...opened.segments.map(({ toSec }) => toSec)) * 1000;
    return {
      ...EVERYTHING,
      from: Math.min(now, newest) - WARM_START_SEC * 1000,
      rows: 'jobs',
      review: 'pending',
      order: 'worst',
    };
  },
  window: { first: 0, count: 60 },
};

/**
 * How many days of a first load are fetched together and written in one transaction, after the
 * newest one.
 */
export const DAYS_AT_ONCE = 6;

/**
 * Returns null if there is nothing to open. Rejects with `DiskError` gone if another tab has folded
 * patches meanwhile, corrupt if a part is unreadable.
 */
export async function openFirst(
  disk: Disk,
  engine: ColumnStore,
  view: FirstView,
  now: Ms,
): Promise<First | null> {
  const opened = await disk.open(getPreloaded(view, now));
  if (!opened) return null;
  return loadFirstRows(disk, ({ id }) => disk.segment(id), engine, opened, view, now);
}

/** Returns the segments that overlap the view. */
export const getPreloaded =
  (view: FirstView, now: Ms): Ahead =>
  (segments) =>
    segments.filter(touchedBy(view.filter({ segments }, now)));

const touchedBy =
  ({ from, to }: RunsFilter) =>
  ({ fromSec, toSec }: SegmentInfo): boolean =>
    toSec * 1000 >= (from ?? -Infinity) && fromSec * 1000 < (to ?? Infinity);

/** The same for what is already open. `load` may return null for an unreadable segment. */
export async function loadFirstRows(
  disk: SnapshotReader,
  load: (segment: SegmentInfo) => Promise<RunColumns | null>,
  engine: ColumnStore,
  opened: OpenedStore,
  view: FirstView,
  now: Ms,
): Promise<First> {
  const filter = view.filter(opened, now);
  const newest = opened.segments.toSorted((a, b) => b.toSec - a.toSec);
  const isAffected = touchedBy(filter);
  const here = newest.filter(isAffected);
  const rest = newest.filter((one) => !isAffected(one));
  const coming = Promise.all(here.map(load));
  takeIn(engine, opened);
  const read = await coming;
  const others = read
    .filter((one, i) => one !== null && !isKnown(opened, filter, here[i]))
    .filter((one) => one !== null);
  const problems = disk.snapshots(opened.folds, {
    problem: missing(engine, 'problem', getProblems(others, opened, filter)),
  });
  read.forEach((one, i) => {
    if (one) engine.addSegment(one, true, outlineIn(opened, here[i]));
  });
  if (filter.text.trim() !== '')
    await Promise.all([problems, openSnapshots(disk, engine, opened, () => Promise.resolve())]);
  else {
    engine.put(await problems);
    const rows = engine.lean(engine.select(filter, now), view.window);
    engine.put(
      await disk.snapshots(opened.folds, {
        job: missing(engine, 'job', new Set(rows.map(({ job }) => job))),
      }),
    );
  }
  return { opened, here, rest };
}
type SnapshotReader = Pick<Disk, 'snapshots' | 'remainingSnapshots'>;

/** Takes in what needs no segment or table snapshot: user, small tables, patches. */
export function takeIn(
  engine: ColumnStore,
  { branding, people, rows, patches, dayStarts }: OpenedStore,
): void {
  engine.zone(branding.timeZone, branding.dayBeginsHour, dayStarts);
  engine.people(people);
  engine.put(rows);
  for (const patch of patches) {
    engine.put(patch.rows);
    engine.upsert(patch.runs);
  }
}

/**
 * Loads all jobs and problems; those from patches are newer and stay. Awaits `pause` between the
 * parts.
 */
export async function openSnapshots(
  disk: SnapshotReader,
  engine: ColumnStore,
  { folds, patches, branding }: OpenedStore,
  pause: () => Promise<void>,
): Promise<void> {
  // from here on, by the browser's calendar
  engine.zone(branding.timeZone, branding.dayBeginsHour);
  const patched = {
    job: new Set(patches.flatMap(({ rows }) => (rows.job ?? []).map(({ n }) => n))),
    problem: new Set(patches.flatMap(({ rows }) => (rows.problem ?? []).map(({ n }) => n))),
  };
  await disk.remainingSnapshots(folds, async ({ job = [], problem = [] }: SmallRows) => {
    engine.put({
      job: job.filter(({ n }) => !patched.job.has(n)),
      problem: problem.filter(({ n }) => !patched.problem.has(n)),
    });
    await pause();
  });
}

const missing = (
  engine: ColumnStore,
  table: 'job' | 'problem',
  ns: ReadonlySet<number>,
): number[] => [...ns].filter((n) => engine.row(table, n) === undefined);

const outlineIn = (
  { problemsOf: known }: OpenedStore,
  segment: SegmentInfo | undefined,
): Outline | undefined =>
  known && segment ? known.outlines?.[known.segments.indexOf(segment.id)] : undefined;

/** Whether all problems of the segment's runs in this time range were opened with the rest. */
const isKnown = (
  { problemsOf: known }: OpenedStore,
  { from }: RunsFilter,
  segment: SegmentInfo | undefined,
): boolean =>
  known !== null &&
  segment !== undefined &&
  known.segments.includes(segment.id) &&
  from !== null &&
  from >= known.fromSec * 1000;

function getProblems(
  all: readonly RunColumns[],
  { patches }: OpenedStore,
  { from, to }: RunsFilter,
): Set<number> {
  const since = (from ?? -Infinity) / 1000;
  const until = (to ?? Infinity) / 1000;
  const ns = new Set<number>();
  for (const { rows, start, problem } of all) {
    for (let row = 0; row < rows; row++) {
      const one = problem[row] ?? 0;
      if (one === 0) continue;
      const at = start[row] ?? 0;
      if (at >= since && at < until) ns.add(one);
    }
  }
  for (const { runs } of patches)
    for (const run of runs) if (run.problem !== null) ns.add(run.problem);
  return ns;
}
