import { bytesAt, NONE, statusCode } from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import { REMEMBERED } from '#contract/runs/fold.ts';
import { MIN_SPREAD, getUsualRange } from '#contract/problems/judge.ts';
import { STATUSES } from '#contract/runs/vocabulary.ts';
import type { UsualValues } from '#workers/columns/history.ts';
import type { Segment } from '#workers/columns/segment.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * The runs of every job, newest first, for an export that needs all of them: positions in the
 * segments, job by job, built in two passes. The segments are those at the time it was built.
 */
export class JobHistories {
  readonly #pieces: Segment[] = [];
  readonly #bases: number[] = [];
  /** Where the positions of a job begin; they end where the next job's begin. */
  readonly #starts: Uint32Array;
  readonly #places: Uint32Array;

  constructor(engine: Pick<ColumnStore, 'walk' | 'maxJob'>) {
    const starts = (this.#starts = new Uint32Array(engine.maxJob + 2));
    let size = 0;
    engine.walk(0, Infinity, (piece) => {
      this.#pieces.push(piece);
      this.#bases.push(size);
      size += piece.rows;
      countJobs(piece.cols.job, starts);
    });
    for (let job = 1; job < starts.length; job++)
      starts[job] = (starts[job] ?? 0) + (starts[job - 1] ?? 0);
    this.#places = new Uint32Array(size);
    const next = starts.slice();
    this.#pieces.forEach(({ cols }, i) => {
      place(cols.job, this.#bases[i] ?? 0, next, this.#places);
    });
  }

  /** Returns the start of the newest run that ended in success or with a warning. */
  lastGoodAt(job: JobN): Ms | null {
    for (let i = this.#starts[job] ?? 0; i < (this.#starts[job + 1] ?? 0); i++) {
      const { cols, row } = this.#at(i);
      if (isGood(cols.kind[row] ?? 0)) return (cols.start[row] ?? 0) * 1000;
    }
    return null;
  }

  /** Returns what was usual when this run began, as in the list. */
  usualBefore({ job, startSec, n }: Pick<LeanRun, 'job' | 'startSec' | 'n'>): UsualValues {
    const durations: number[] = [];
    const bytes: number[] = [];
    for (
      let i = this.#starts[job] ?? 0;
      i < (this.#starts[job + 1] ?? 0) &&
      (durations.length < REMEMBERED || bytes.length < REMEMBERED);
      i++
    ) {
      const { cols, row } = this.#at(i);
      const start = cols.start[row] ?? 0;
      if (
        start > startSec ||
        (start === startSec && (cols.n[row] ?? 0) >= n) ||
        !isGood(cols.kind[row] ?? 0)
      )
        continue;
      const elapsed = cols.elapsed[row] ?? NONE;
      const sent = bytesAt(cols, row);
      if (elapsed !== NONE && durations.length < REMEMBERED) durations.push(elapsed);
      if (sent !== null && bytes.length < REMEMBERED) bytes.push(sent);
    }
    return {
      duration: getUsualRange(durations, MIN_SPREAD.duration),
      bytes: getUsualRange(bytes, MIN_SPREAD.bytes),
    };
  }

  #at(i: number): { readonly cols: Segment['cols']; readonly row: number } {
    const at = this.#places[i] ?? 0;
    let low = 0;
    let high = this.#bases.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((this.#bases[mid] ?? 0) <= at) low = mid;
      else high = mid - 1;
    }
    const piece = this.#pieces[low];
    if (!piece) throw new RangeError('export: a place in no piece');
    return { cols: piece.cols, row: at - (this.#bases[low] ?? 0) };
  }
}

const SUCCESS = STATUSES.indexOf('Success');
const WARNING = STATUSES.indexOf('Warning');
const isGood = (kind: number): boolean =>
  statusCode(kind) === SUCCESS || statusCode(kind) === WARNING;

/** Counts into the index after the job's own, so that prefix sums give where jobs begin. */
function countJobs(job: Uint32Array, counts: Uint32Array): void {
  for (let row = 0; row < job.length; row++) {
    const after = (job[row] ?? 0) + 1;
    counts[after] = (counts[after] ?? 0) + 1;
  }
}

function place(job: Uint32Array, base: number, next: Uint32Array, places: Uint32Array): void {
  for (let row = 0; row < job.length; row++) {
    const one = job[row] ?? 0;
    const at = next[one] ?? 0;
    places[at] = base + row;
    next[one] = at + 1;
  }
}
