import { LIMITS } from '#contract/limits.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { SegmentInfo } from '../types.ts';
import { getChunks, joinRows, mergeRows, type Chunk } from './table-snapshots.ts';
import { sealJson } from './cipher.ts';
import type { BookRecord, PatchRecord } from './records.ts';
import { DAY_SEC, getUtcDay, overlapping, startOfUtcDay, swap, type Manifest } from './manifest.ts';
import {
  DATA,
  ownManifest,
  peek,
  putManifest,
  sealChunk,
  sealPages,
  type DiskContext,
} from './disk-context.ts';
import { isWarmStartStale, buildWarmStart } from './build-warm-start-cache.ts';
import { findSegment, openChunk, openPatch } from './reading.ts';
import { findRun, getInfo, getPages, unpackRuns } from './segments.ts';

/** When patches are folded: more of them, or more runs in them, make opening slow. */
export const MAX_PATCHES = 32;
const MAX_PATCH_RUNS = LIMITS.pageRows;
/** Patches that stay when there are many: other tabs have just been notified of them. */
const PATCHES_STAY = 8;
const PATCHES_STEP = 64;

/**
 * Runs one step of idle work: folds patches into table snapshots and segments, merges small
 * neighboring segments, or rebuilds the warm-start cache. Reads and seals everything first; the
 * transaction commits only if nothing else has changed segments or snapshots meanwhile. Returns
 * whether there is more to do.
 */
export async function compactStep(context: DiskContext): Promise<boolean> {
  const seen = await peek(context);
  if (mustFold(seen)) await foldPatches(context, seen);
  else {
    const group = smallNeighbours(seen);
    if (group.length > 0) await mergeSegments(context, seen, group);
    else if (isWarmStartStale(seen)) await buildWarmStart(context, seen);
    else return false;
  }
  const now = await peek(context);
  return mustFold(now) || smallNeighbours(now).length > 0 || isWarmStartStale(now);
}

const getCount = (m: Manifest): number => m.nextPatch - m.firstPatch;
const mustFold = (m: Manifest): boolean =>
  getCount(m) > MAX_PATCHES || m.patchRuns - m.leftRuns > MAX_PATCH_RUNS;

async function foldPatches(context: DiskContext, seen: Manifest): Promise<boolean> {
  const folded = await oldestPatches(context, seen);
  const last = folded.at(-1);
  if (!last) return false;
  const patches = await Promise.all(folded.map((one) => openPatch(context, one)));
  const chunks = await foldedChunks(context, getChunks(joinRows(patches.map((one) => one.rows))));

  const { ready, left } = byDay(seen, latest(patches.flatMap((one) => one.runs)));
  const segments = await touchedSegments(context, seen, ready);
  if (segments === null) return false;
  const made = await sealPages(
    context,
    [...segments.rewritten, ...segments.added].flatMap(getPages),
    seen.nextSegment,
  );
  const cursor = patches.at(-1)?.cursor ?? seen.cursor;
  const rest: PatchRecord | null =
    left.length === 0
      ? null
      : {
          id: last.id,
          runs: left.length,
          left: true,
          sealed: await sealJson(context.cipher, 'patches', String(last.id), {
            cursor,
            rows: {},
            runs: left,
          }),
        };

  return context.stores.write(DATA, async (store) => {
    const now = await ownManifest(context, store);
    if (now.generation !== seen.generation) return false;
    for (const one of folded) await store.remove('patches', one.id);
    if (rest) await store.put('patches', rest);
    for (const one of chunks.records) await store.put('books', one);
    for (const one of segments.gone) await store.remove('segments', one.id);
    for (const { id, sealed } of made) await store.put('segments', { id, sealed });
    await putManifest(store, {
      ...swap(
        now,
        segments.gone.map((one) => one.id),
        made.map((one) => getInfo(one.id, one.page)),
      ),
      folds: now.folds + 1,
      books: now.books + chunks.added,
      firstPatch: rest ? last.id : last.id + 1,
      patchRuns: now.patchRuns - folded.reduce((sum, one) => sum + one.runs, 0) + left.length,
      leftRuns: left.length,
    });
    return true;
  });
}

/** Returns as many of the oldest as bring the rest under the limits, in short steps. */
async function oldestPatches(context: DiskContext, seen: Manifest): Promise<PatchRecord[]> {
  const all = (await context.stores.read(['patches'], (store) => store.all('patches'))).sort(
    (a, b) => a.id - b.id,
  );
  const max = Math.min(
    PATCHES_STEP,
    getCount(seen) > MAX_PATCHES ? getCount(seen) - PATCHES_STAY : getCount(seen),
  );
  let runs = 0;
  let count = 0;
  while (count < max && (count === 0 || runs < MAX_PATCH_RUNS)) runs += all[count++]?.runs ?? 0;
  return all.slice(0, count);
}

/** Returns the snapshot chunks that these rows change, after the change; `added`: new chunks. */
async function foldedChunks(
  context: DiskContext,
  changes: readonly Chunk[],
): Promise<{ readonly records: BookRecord[]; readonly added: number }> {
  const before = await context.stores.read(['books'], (store) =>
    Promise.all(changes.map((one) => store.get('books', [one.table, one.chunk]))),
  );
  const records = await Promise.all(
    changes.map(async ({ table, chunk, rows }, i): Promise<BookRecord> => {
      const record = before[i];
      return sealChunk(context, {
        table,
        chunk,
        rows: mergeRows(table, record ? (await openChunk(context, record)).rows : [], rows),
      });
    }),
  );
  return { records, added: before.filter((one) => one === undefined).length };
}

const latest = (runs: readonly LeanRun[]): LeanRun[] => [
  ...new Map(runs.map((run) => [run.n, run])).values(),
];

/**
 * A run waits while the page of its day is not loaded: the page may be older than the run, and
 * would win over it as the later segment.
 */
function byDay(
  m: Manifest,
  runs: readonly LeanRun[],
): { readonly ready: LeanRun[]; readonly left: LeanRun[] } {
  const missing = new Set(m.days.filter((one) => !one.here).map((one) => one.day));
  const ready: LeanRun[] = [];
  const left: LeanRun[] = [];
  for (const run of runs)
    (missing.size > 0 && missing.has(getUtcDay(run.startSec)) ? left : ready).push(run);
  return { ready, left };
}

interface Touched {
  readonly gone: readonly SegmentInfo[];
  readonly rewritten: readonly LeanRun[][];
  readonly added: readonly LeanRun[][];
}

/**
 * Replaces runs in the segments that contain them; other runs make new segments. Null if a segment
 * was replaced meanwhile.
 */
async function touchedSegments(
  context: DiskContext,
  m: Manifest,
  runs: readonly LeanRun[],
): Promise<Touched | null> {
  const open = new Map(runs.map((run) => [run.n, run]));
  const gone: SegmentInfo[] = [];
  const rewritten: LeanRun[][] = [];
  for (const info of m.segments) {
    const inside = [...open.values()].filter(
      (run) => run.startSec >= info.fromSec && run.startSec <= info.toSec,
    );
    if (inside.length === 0) continue;
    const columns = await findSegment(context, info.id);
    if (columns === null) return null;
    const found = inside
      .map((run) => ({ run, row: findRun(columns, run) }))
      .filter((one) => one.row >= 0);
    if (found.length === 0) continue;
    const all = unpackRuns(columns);
    for (const { run, row } of found) {
      all[row] = run;
      open.delete(run.n);
    }
    gone.push(info);
    rewritten.push(all);
  }
  return { gone, rewritten, added: open.size > 0 ? [[...open.values()]] : [] };
}

/**
 * Returns the newest group of neighbors that fit into one segment. None across a day that is not
 * loaded: its page would have to split them again.
 */
function smallNeighbours(m: Manifest): SegmentInfo[] {
  for (let at = 0; at < m.segments.length; at++) {
    const group: SegmentInfo[] = [];
    let rows = 0;
    for (const one of m.segments.slice(at)) {
      if (
        rows + one.rows > LIMITS.pageRows ||
        (group.length > 0 && holdsMissingDay(m, [...group, one]))
      )
        break;
      rows += one.rows;
      group.push(one);
    }
    if (group.length > 1) return group;
  }
  return [];
}

function holdsMissingDay(m: Manifest, group: readonly SegmentInfo[]): boolean {
  const span = {
    ...m,
    segments: [
      {
        id: 0,
        rows: 0,
        fromSec: Math.min(...group.map((one) => one.fromSec)),
        toSec: Math.max(...group.map((one) => one.toSec)),
      },
    ],
  };
  return m.days.some(
    (one) =>
      !one.here &&
      overlapping(span, startOfUtcDay(one.day), startOfUtcDay(one.day) + DAY_SEC).length > 0,
  );
}

async function mergeSegments(
  context: DiskContext,
  seen: Manifest,
  group: readonly SegmentInfo[],
): Promise<boolean> {
  const runs: LeanRun[] = [];
  for (const info of group) {
    const columns = await findSegment(context, info.id);
    if (columns === null) return false;
    runs.push(...unpackRuns(columns));
  }
  const made = await sealPages(context, getPages(runs), seen.nextSegment);
  return context.stores.write(['meta', 'segments'], async (store) => {
    const now = await ownManifest(context, store);
    if (now.generation !== seen.generation) return false;
    for (const one of group) await store.remove('segments', one.id);
    for (const { id, sealed } of made) await store.put('segments', { id, sealed });
    await putManifest(
      store,
      swap(
        now,
        group.map((one) => one.id),
        made.map((one) => getInfo(one.id, one.page)),
      ),
    );
    return true;
  });
}
