import { NONE, typeCode } from '#contract/runs/columns.ts';
import type { Tally } from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { countsAsBackup, ENTITY_GROUPS, JOB_TYPES } from '#contract/runs/vocabulary.ts';
import { RANK } from '#workers/columns/kinds.ts';
import type { Segment } from '#workers/columns/segment.ts';

/**
 * Totals of runs in a time range: for each entity group the number in each state, by index in
 * `RUN_STATES`, the bytes of all, how many the success rate judges, and how many of those are good.
 */
export type TallySums = Float64Array;
const BYTES = RUN_STATES.length;
const JUDGED = BYTES + 1;
const GOOD = BYTES + 2;
const WIDTH = BYTES + 3;
export const noSums = (): TallySums => new Float64Array(ENTITY_GROUPS.length * WIDTH);

/**
 * By job number: its failures, its seconds with the number of runs that have a duration, and its
 * bytes.
 */
export interface JobSums {
  readonly failures: Float64Array;
  readonly seconds: Float64Array;
  readonly finished: Float64Array;
  readonly bytes: Float64Array;
}
export const noJobSums = (jobs: number): JobSums => ({
  failures: new Float64Array(jobs),
  seconds: new Float64Array(jobs),
  finished: new Float64Array(jobs),
  bytes: new Float64Array(jobs),
});
export const copyJobSums = ({ failures, seconds, finished, bytes }: JobSums): JobSums => ({
  failures: failures.slice(),
  seconds: seconds.slice(),
  finished: finished.slice(),
  bytes: bytes.slice(),
});

/**
 * Whose runs count: the index of the group by job (`unknown`: for jobs beyond), and by company
 * whether it counts.
 */
export interface TallyScope {
  readonly group: Uint8Array;
  readonly unknown: number;
  readonly company: Uint8Array | null;
}
/** Instead of a group: runs of this job don't count. */
export const OUTSIDE = 0xff;

/** 1 for a state that is a failure; for a finished run with a duration. */
const FAILURE = Uint8Array.from(RUN_STATES, (state) =>
  state === 'Failed' || state === 'Error' ? 1 : 0,
);
const OVER = Uint8Array.from(RUN_STATES, (state) =>
  state === 'Running' || state === 'Missed' ? 0 : 1,
);
/** 1 for a state that is judged; for one that is good. */
const IS_JUDGED = Uint8Array.from(RUN_STATES, (state) => (state === 'Running' ? 0 : 1));
const IS_GOOD = Uint8Array.from(RUN_STATES, (state) =>
  state === 'Success' || state === 'Warning' || state === 'Anomaly' ? 1 : 0,
);
/** OVER-7, by the code of a type: without a filter by type, only backups count. */
const IS_BACKUP = Uint8Array.from(JOB_TYPES, (type) => (countsAsBackup([])(type) ? 1 : 0));
const BYTES_HIGH = 0x1_0000_0000;
const NO_HIGH = 0xffff;

export function sumRows(
  { cols }: Segment,
  from: number,
  to: number,
  { group, company }: TallyScope,
  sums: TallySums,
): void {
  const { job, kind, bytesLow, bytesHigh } = cols;
  for (let row = from; row < to; row++) {
    const place = group[job[row] ?? 0] ?? OUTSIDE;
    if (place === OUTSIDE || (company !== null && company[cols.company[row] ?? 0] === 0)) continue;
    const at = place * WIDTH;
    const what = kind[row] ?? 0;
    const rank = RANK[what] ?? 0;
    sums[at + rank] = (sums[at + rank] ?? 0) + 1;
    if (IS_BACKUP[typeCode(what)] === 1) {
      sums[at + JUDGED] = (sums[at + JUDGED] ?? 0) + (IS_JUDGED[rank] ?? 0);
      sums[at + GOOD] = (sums[at + GOOD] ?? 0) + (IS_GOOD[rank] ?? 0);
    }
    const low = bytesLow[row] ?? 0;
    const high = bytesHigh[row] ?? 0;
    if (high !== NO_HIGH || low !== NONE)
      sums[at + BYTES] = (sums[at + BYTES] ?? 0) + high * BYTES_HIGH + low;
  }
}

export function sumJobs(
  { cols }: Segment,
  from: number,
  to: number,
  { group, company }: TallyScope,
  sums: JobSums,
): void {
  const { job, kind, elapsed, bytesLow, bytesHigh } = cols;
  const { failures, seconds, finished, bytes } = sums;
  for (let row = from; row < to; row++) {
    const one = job[row] ?? 0;
    const state = RANK[kind[row] ?? 0] ?? 0;
    const length = elapsed[row] ?? NONE;
    if (group[one] === OUTSIDE || (company !== null && company[cols.company[row] ?? 0] === 0))
      continue;
    failures[one] = (failures[one] ?? 0) + (FAILURE[state] ?? 0);
    if (length !== NONE && OVER[state] === 1) {
      seconds[one] = (seconds[one] ?? 0) + length;
      finished[one] = (finished[one] ?? 0) + 1;
    }
    const low = bytesLow[row] ?? 0;
    const high = bytesHigh[row] ?? 0;
    if (high !== NO_HIGH || low !== NONE) bytes[one] = (bytes[one] ?? 0) + high * BYTES_HIGH + low;
  }
}

export function addSums(all: readonly TallySums[]): TallySums {
  const sums = noSums();
  for (const one of all)
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (one[i] ?? 0);
  return sums;
}

/** Returns the tally of all groups, or of one. */
export function getTally(sums: TallySums, only: EntityGroup | null = null): Tally {
  const places =
    only === null ? ENTITY_GROUPS.map((_group, place) => place) : [ENTITY_GROUPS.indexOf(only)];
  const sum = (offset: number): number =>
    places.reduce((all, place) => all + (sums[place * WIDTH + offset] ?? 0), 0);
  const of = (state: (typeof RUN_STATES)[number]): number => sum(RUN_STATES.indexOf(state));
  const parts = {
    success: of('Success'),
    warning: of('Warning'),
    failed: of('Failed') + of('Error'),
    missed: of('Missed'),
    anomaly: of('Anomaly'),
    running: of('Running'),
  };
  return {
    runs:
      parts.success + parts.warning + parts.failed + parts.missed + parts.anomaly + parts.running,
    ...parts,
    bytes: sum(BYTES),
    judged: sum(JUDGED),
    good: sum(GOOD),
  };
}
