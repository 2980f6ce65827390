import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import { encodeColumns, newestFirst, putRun, runAt, viewColumns } from '#contract/runs/columns.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { mergeSegments } from './gather.ts';
import type { Outline } from '#workers/types.ts';
import { CandidateRows } from './candidate-rows.ts';
import type { RunKey, Segment } from './segment.ts';
import {
  copyColumns,
  firstBefore,
  firstKey,
  isSorted,
  lastKey,
  leanAt,
  getMessage,
  getRow,
  getSegment,
} from './segment.ts';
import { forgetSums, knowProblemRows } from './sums.ts';

/**
 * A segment with more changed messages than this is rebuilt, because they are searched one by one.
 */
const MAX_CHANGED_ROWS = 1_024;

/**
 * All runs here, as segments that don't overlap, newest first: a walk over them meets every run
 * once, in order. Adding an overlapping segment pays for the merge; reading costs nothing extra.
 *
 * A run that is added twice is one run. Among segments, the one added later wins. A run from
 * `upsert` wins over any segment, whenever that is added: a segment is a snapshot of the past, and
 * the changes came after it.
 */
export class Segments {
  /** Replaced, never changed in place: a selection may hold the list it was made from. */
  list: readonly Segment[] = [];
  reach = new CandidateRows();
  /** Incremented with every change. */
  version = 0;
  private readonly changedRuns = new Set<RunN>();

  get size(): number {
    return this.list.reduce((sum, { rows }) => sum + rows, 0);
  }

  get newestAt(): number | null {
    const first = this.list[0];
    return first ? firstKey(first).startSec * 1000 : null;
  }

  /**
   * `isOwned`: the columns are sorted and owned by the store, so that they need neither a check nor a
   * copy.
   */
  add(columns: RunColumns, isOwned = false, outline: Outline | null = null): void {
    if (columns.rows === 0) return;
    this.version += 1;
    const piece = getSegment(
      isOwned ? columns : isSorted(columns) ? copyColumns(columns) : sorted(columns),
    );
    if (outline) this.reach.noteOutline(outline);
    else this.reach.note(piece.cols);
    const first = firstKey(piece);
    const last = lastKey(piece);
    const before = this.list.filter((one) => newestFirst(lastKey(one), first) < 0);
    const after = this.list.filter((one) => newestFirst(last, firstKey(one)) < 0);
    const amid = this.list.slice(before.length, this.list.length - after.length);
    if (outline && amid.length === 0) knowProblemRows(piece, outline.problemRows);
    const made =
      amid.length === 0 ? [piece] : mergeSegments(amid, [piece], (n) => this.changedRuns.has(n));
    this.list = [...before, ...made, ...after];
  }

  upsert(runs: readonly LeanRun[]): void {
    const fresh = new Map<RunN, LeanRun>();
    this.version += 1;
    for (const run of runs) {
      this.changedRuns.add(run.n);
      this.reach.noteRun(run);
      const at = this.find({ startSec: run.startSec, n: run.n });
      if (at) replace(at.segment, at.row, run);
      else fresh.set(run.n, run);
    }
    if (fresh.size > 0) this.insert([...fresh.values()].sort(newestFirst));
    if (this.list.some(({ changedMessages }) => changedMessages.size > MAX_CHANGED_ROWS)) {
      this.list = this.list.flatMap((one) =>
        one.changedMessages.size > MAX_CHANGED_ROWS ? mergeSegments([one], [], () => true) : [one],
      );
    }
  }

  find(key: RunKey): { readonly segment: Segment; readonly row: number } | null {
    let low = 0;
    let high = this.list.length - 1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      const segment = this.list[mid];
      if (!segment) return null;
      if (newestFirst(key, firstKey(segment)) < 0) high = mid - 1;
      else if (newestFirst(key, lastKey(segment)) > 0) low = mid + 1;
      else {
        const row = getRow(segment, key);
        return row < 0 ? null : { segment, row };
      }
    }
    return null;
  }

  walk(
    fromSec: number,
    toSec: number,
    visit: (piece: Segment, from: number, to: number) => void,
  ): void {
    for (const piece of this.list) {
      if ((piece.cols.start[0] ?? 0) < fromSec) return;
      if ((piece.cols.start[piece.rows - 1] ?? 0) >= toSec) continue;
      const from = firstBefore(piece, toSec);
      const to = firstBefore(piece, fromSec);
      if (from < to) visit(piece, from, to);
    }
  }

  /** Finds runs by number alone. Numbers roughly follow time, so most segments are skipped. */
  runs(ns: readonly RunN[]): Map<RunN, LeanRun> {
    const found = new Map<RunN, LeanRun>();
    for (const segment of this.list) {
      const wanted = new Set(ns.filter((n) => n >= segment.minN && n <= segment.maxN));
      if (wanted.size === 0) continue;
      const { n } = segment.cols;
      for (let row = 0; row < n.length; row++) {
        const one = n[row] ?? 0;
        if (wanted.has(one)) found.set(one, leanAt(segment, row));
      }
    }
    return found;
  }

  clear(): void {
    this.version += 1;
    this.list = [];
    this.reach = new CandidateRows();
    this.changedRuns.clear();
  }

  /**
   * Each run goes to the newest segment that reaches further back than it. Runs newer than a full
   * newest segment start another.
   */
  private insert(runs: readonly LeanRun[]): void {
    const [top] = this.list;
    let next = 0;
    const until = (ends: (run: LeanRun) => boolean): readonly LeanRun[] => {
      const from = next;
      for (let run = runs[next]; run && !ends(run); run = runs[next]) next++;
      return runs.slice(from, next);
    };
    const warmStart = until(
      (run) =>
        top !== undefined && (top.rows < LIMITS.pageRows || newestFirst(run, firstKey(top)) > 0),
    );
    const rest = this.list.flatMap((piece, i) => {
      const own = until((run) => i < this.list.length - 1 && newestFirst(run, lastKey(piece)) > 0);
      return own.length === 0 ? [piece] : mergeSegments([piece], pages(own), () => true);
    });
    this.list = [...pages(warmStart), ...rest];
  }
}

const getColumns = (runs: readonly LeanRun[]): RunColumns =>
  viewColumns(encodeColumns(runs).buffer);

const pages = (runs: readonly LeanRun[]): Segment[] =>
  Array.from({ length: Math.ceil(runs.length / LIMITS.pageRows) }, (_, i) =>
    getSegment(getColumns(runs.slice(i * LIMITS.pageRows, (i + 1) * LIMITS.pageRows))),
  );

/** Sorts columns that break the order; the later row of a run wins. */
function sorted(columns: RunColumns): RunColumns {
  const runs = new Map<RunN, LeanRun>();
  for (let row = 0; row < columns.rows; row++) {
    const run = runAt(columns, row);
    runs.set(run.n, run);
  }
  return getColumns([...runs.values()].sort(newestFirst));
}

function replace(segment: Segment, row: number, run: LeanRun): void {
  putRun(segment.cols, row, run);
  segment.edits += 1;
  forgetSums(segment);
  if (getMessage(segment, row) !== run.message) segment.changedMessages.set(row, run.message);
}
