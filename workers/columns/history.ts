import type { JobN, Ms, RunN } from '#contract/ids.ts';
import { bytesAt, newestFirst, NONE, statusCode } from '#contract/runs/columns.ts';
import { worst } from '#contract/time/day.ts';
import { MIN_SPREAD, getUsualRange } from '#contract/problems/judge.ts';
import { REMEMBERED } from '#contract/runs/fold.ts';
import type { RunState } from '#contract/runs/query.ts';
import { STATUSES } from '#contract/runs/vocabulary.ts';
import { getState } from './kinds.ts';
import type { RunKey, Segment } from './segment.ts';
import { keyAt } from './segment.ts';

export const STRIP_DAYS = 14;

/** Runs of one job on this device, newest first. */
export type History = readonly { readonly piece: Segment; readonly row: number }[];

/** Returns the histories of several jobs in one walk over the job column. */
export function getHistories(
  list: readonly Segment[],
  jobs: readonly JobN[],
  maxJob: JobN,
): Map<JobN, History> {
  const histories = new Map<JobN, { piece: Segment; row: number }[]>(jobs.map((job) => [job, []]));
  const wanted = new Uint8Array(maxJob + 1);
  for (const job of jobs) wanted[job] = 1;
  const rows = new Uint32Array(list.reduce((max, piece) => Math.max(max, piece.rows), 0) + 1);
  for (const piece of list) {
    const { job } = piece.cols;
    const count = getRows(job, wanted, rows);
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0;
      histories.get(job[row] ?? 0)?.push({ piece, row });
    }
  }
  return histories;
}

/**
 * Writes the rows of wanted jobs and returns how many. Branch-free, four rows per iteration: see
 * scan.ts.
 */
function getRows(job: Uint32Array, wanted: Uint8Array, rows: Uint32Array): number {
  let count = 0;
  let row = 0;
  for (; row + 3 < job.length; row += 4) {
    rows[count] = row;
    count += wanted[job[row] ?? 0] ?? 0;
    rows[count] = row + 1;
    count += wanted[job[row + 1] ?? 0] ?? 0;
    rows[count] = row + 2;
    count += wanted[job[row + 2] ?? 0] ?? 0;
    rows[count] = row + 3;
    count += wanted[job[row + 3] ?? 0] ?? 0;
  }
  for (; row < job.length; row++) {
    rows[count] = row;
    count += wanted[job[row] ?? 0] ?? 0;
  }
  return count;
}

/**
 * Caches recently requested histories until the store changes: scrolling requests the same jobs
 * again.
 */
export class Histories {
  private known = new Map<JobN, History>();
  private usual = new Map<RunN, UsualValues>();
  private version = -1;

  of(
    {
      list,
      reach,
      version,
    }: {
      readonly list: readonly Segment[];
      readonly reach: { readonly job: JobN };
      readonly version: number;
    },
    jobs: readonly JobN[],
  ): ReadonlyMap<JobN, History> {
    if (this.version !== version || this.known.size > MAX_KNOWN) {
      this.known = new Map();
      this.usual = new Map();
    }
    this.version = version;
    const missing = [...new Set(jobs)].filter((job) => !this.known.has(job));
    if (missing.length > 0)
      for (const [job, history] of getHistories(list, missing, reach.job))
        this.known.set(job, history);
    return this.known;
  }

  /** For a run whose job was requested last. */
  usualBefore(run: RunKey & { readonly job: JobN }): UsualValues {
    let usual = this.usual.get(run.n);
    if (!usual) this.usual.set(run.n, (usual = usualBefore(this.known.get(run.job) ?? [], run)));
    return usual;
  }
}
const MAX_KNOWN = 1_000;

const kindAt = ({ piece, row }: History[number]): number => piece.cols.kind[row] ?? 0;

/** A run that ended in success or with a warning: these define what is usual. */
const isGood = (run: History[number]): boolean => isGoodKind(kindAt(run));
const isGoodKind = (kind: number): boolean => GOOD[statusCode(kind)] === 1;
const GOOD = Uint8Array.from(STATUSES, (status) =>
  status === 'Success' || status === 'Warning' ? 1 : 0,
);

/**
 * Returns the worst state of each day; `starts` are the starts of the days, and the last day is
 * open-ended. Runs in the future count for the last day.
 */
export function buildStrip(history: History, starts: readonly Ms[]): (RunState | null)[] {
  const days = starts.map((): RunState[] => []);
  let day = starts.length - 1;
  for (const run of history) {
    const at = keyAt(run.piece, run.row).startSec * 1000;
    while (day >= 0 && at < (starts[day] ?? 0)) day--;
    if (day < 0) break;
    days[day]?.push(getState(kindAt(run)));
  }
  return days.map((states) => worst(states.toReversed(), 'worst'));
}

export function lastGoodAt(history: History): Ms | null {
  const run = history.find(isGood);
  return run ? keyAt(run.piece, run.row).startSec * 1000 : null;
}

/**
 * Returns when each job last ended well, in seconds; NONE for a job that never did. Calculated once
 * per state of the store.
 */
export function lastGoods(of: {
  readonly list: readonly Segment[];
  readonly reach: { readonly job: JobN };
  readonly version: number;
}): Uint32Array {
  const known = goods.get(of);
  if (known?.version === of.version) return known.starts;
  const starts = new Uint32Array(of.reach.job + 1).fill(NONE);
  for (const {
    rows,
    cols: { job, kind, start },
  } of of.list) {
    for (let row = 0; row < rows; row++) {
      const one = job[row] ?? 0;
      if (starts[one] === NONE && isGoodKind(kind[row] ?? 0)) starts[one] = start[row] ?? 0;
    }
  }
  goods.set(of, { version: of.version, starts });
  return starts;
}
const goods = new WeakMap<object, { readonly version: number; readonly starts: Uint32Array }>();

export interface UsualValues {
  readonly duration: readonly [number, number] | null;
  readonly bytes: readonly [number, number] | null;
}

/**
 * Returns what was usual when this run began: from the last 30 good runs before it with a known
 * duration and size.
 */
export function usualBefore(history: History, key: RunKey): UsualValues {
  const durations: number[] = [];
  const bytes: number[] = [];
  for (const run of history) {
    if (durations.length === REMEMBERED && bytes.length === REMEMBERED) break;
    if (newestFirst(keyAt(run.piece, run.row), key) <= 0 || !isGood(run)) continue;
    const elapsed = run.piece.cols.elapsed[run.row] ?? NONE;
    const sent = bytesAt(run.piece.cols, run.row);
    if (elapsed !== NONE && durations.length < REMEMBERED) durations.push(elapsed);
    if (sent !== null && bytes.length < REMEMBERED) bytes.push(sent);
  }
  return {
    duration: getUsualRange(durations, MIN_SPREAD.duration),
    bytes: getUsualRange(bytes, MIN_SPREAD.bytes),
  };
}
