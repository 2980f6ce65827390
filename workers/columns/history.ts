import type { JobN, Ms } from '#contract/ids.ts';
import { bytesAt, newestFirst, NONE } from '#contract/monitoring/columns.ts';
import { worst } from '#contract/monitoring/day.ts';
import { LEAST_SPREAD, usualOf } from '#contract/monitoring/judge.ts';
import { REMEMBERED } from '#contract/monitoring/fold.ts';
import type { RunState } from '#contract/monitoring/query.ts';
import { stateOf, statusOf } from './kinds.ts';
import type { Key, Segment } from './segment.ts';
import { keyAt } from './segment.ts';

export const STRIP_DAYS = 14;

/** Runs of one job on this device, newest first. */
export type History = readonly { readonly piece: Segment; readonly row: number }[];

/** One walk over the job column for all jobs asked for. */
export function historiesOf(list: readonly Segment[], jobs: Iterable<JobN>, mostJob: JobN): Map<JobN, History> {
  const slots = new Uint32Array(mostJob + 1), found: { piece: Segment; row: number }[][] = [[]];
  const histories = new Map<JobN, History>();
  for (const job of jobs) {
    if (job > mostJob || slots[job] !== 0) continue;
    const runs: { piece: Segment; row: number }[] = [];
    slots[job] = found.push(runs) - 1;
    histories.set(job, runs);
  }
  for (const piece of list) {
    const { job } = piece.cols;
    for (let row = 0; row < job.length; row++) {
      const slot = slots[job[row] ?? 0] ?? 0;
      if (slot !== 0) found[slot]?.push({ piece, row });
    }
  }
  return histories;
}

const kindAt = ({ piece, row }: History[number]): number => piece.cols.kind[row] ?? 0;

/** A run that ended well, or with a warning: what counts for what is usual. */
function isGood(run: History[number]): boolean {
  const status = statusOf(kindAt(run));
  return status === 'Success' || status === 'Warning';
}

/** The worst of each day; `starts` are the days' first moments, the last day goes on. Runs of the future count for the last. */
export function stripOf(history: History, starts: readonly Ms[]): (RunState | null)[] {
  const days = starts.map((): RunState[] => []);
  let day = starts.length - 1;
  for (const run of history) {
    const at = keyAt(run.piece, run.row).startSec * 1000;
    while (day >= 0 && at < (starts[day] ?? 0)) day--;
    if (day < 0) break;
    days[day]?.push(stateOf(kindAt(run)));
  }
  return days.map((states) => worst(states.toReversed(), 'worst'));
}

export function lastGoodAt(history: History): Ms | null {
  const run = history.find(isGood);
  return run ? keyAt(run.piece, run.row).startSec * 1000 : null;
}

export interface Usual { readonly duration: readonly [number, number] | null; readonly bytes: readonly [number, number] | null }

/** What was usual when this run began: from the last 30 good runs before it that said how long, and how much. */
export function usualBefore(history: History, key: Key): Usual {
  const durations: number[] = [], bytes: number[] = [];
  for (const run of history) {
    if (durations.length === REMEMBERED && bytes.length === REMEMBERED) break;
    if (newestFirst(keyAt(run.piece, run.row), key) <= 0 || !isGood(run)) continue;
    const elapsed = run.piece.cols.elapsed[run.row] ?? NONE, sent = bytesAt(run.piece.cols, run.row);
    if (elapsed !== NONE && durations.length < REMEMBERED) durations.push(elapsed);
    if (sent !== null && bytes.length < REMEMBERED) bytes.push(sent);
  }
  return { duration: usualOf(durations, LEAST_SPREAD.duration), bytes: usualOf(bytes, LEAST_SPREAD.bytes) };
}
