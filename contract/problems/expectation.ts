import type { Ms } from '../ids.ts';
import { getUsualRange } from './judge.ts';
import type { JobRow, StatRow } from '../runs/rows.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';

/** When a job is due next. If nothing has started by `dueAt`, the job did not run. */
export interface Expectation {
  /** The expected start time. */
  readonly at: Ms;
  readonly graceMs: Ms;
  /**
   * `at` plus the grace. Later if the server was down at `at`, because that isn't the job's fault.
   */
  readonly dueAt: Ms;
  readonly from: 'schedule' | 'cadence';
}

/**
 * Returns the next moment of a cron expression after `after`, or null if there is none. The caller
 * passes it in, so that this file needs no time zone calendar.
 */
export type CronNext = (cron: string, timeZone: string, after: Ms) => Ms | null;

type Job = Pick<JobRow, 'enabled' | 'schedule' | 'graceSec' | 'firstSeenAt' | 'missedIgnored'>;
type Stat = Pick<
  StatRow,
  'starts' | 'durations' | 'lastStart' | 'lastSuccess' | 'running' | 'missedFor'
>;

/**
 * Returns what a job is expected to do next (RUN-3), from its declared schedule or from its own
 * learned cadence. Returns null if the job is disabled, is running (`abandonedAt` handles a run
 * that never ends), or has no known schedule or cadence.
 *
 * last start ──── one period ────▶ at ── grace ──▶ dueAt: did not run
 *
 * After a miss the next run is expected one period later, but at least a day later, so that a dead
 * job with a period of five minutes yields one line a day. While the job is ignored nothing is
 * expected; the next expected run is its first one after that time (DESK-4).
 */
export function getExpectation(
  job: Job,
  stat: Stat,
  bootedAt: Ms,
  cronNext: CronNext,
): Expectation | null {
  if (!job.enabled || stat.running !== null) return null;
  // A schedule without times says nothing about when to run, so the job's own cadence applies.
  const due =
    job.schedule?.type === 'cron'
      ? byCron(job.schedule, job, stat, bootedAt, cronNext)
      : job.schedule?.type === 'every'
        ? byPeriod(job.schedule.everySec * 1000, job, stat, bootedAt)
        : byCadence(job, stat, bootedAt);
  if (due === null) return null;
  const { at, period, from } = due;
  const graceMs =
    job.graceSec !== null
      ? job.graceSec * 1000
      : from === 'schedule'
        ? between(period / 4, MINUTE_MS, HOUR_MS)
        : between(period / 4, 10 * MINUTE_MS, 6 * HOUR_MS);
  return { at, graceMs, dueAt: (at < bootedAt ? bootedAt : at) + graceMs, from };
}

/**
 * Returns until when a person ignores missed runs of the job, or null if nobody does (DESK-4). A
 * success since then ends it.
 */
export const missedIgnoredUntil = (
  { missedIgnored }: Pick<JobRow, 'missedIgnored'>,
  { lastSuccess }: Pick<StatRow, 'lastSuccess'>,
): Ms | null =>
  missedIgnored === null || (lastSuccess !== null && lastSuccess > missedIgnored.at)
    ? null
    : missedIgnored.until;

/**
 * Returns when a run that started but never reported an end counts as failed: its grace after its
 * usual maximum duration. If it has no declared grace and its duration is unknown, after a day.
 */
export function abandonedAt(
  startedAt: Ms,
  job: Pick<JobRow, 'graceSec'>,
  stat: Pick<StatRow, 'durations'>,
  bootedAt: Ms,
): Ms {
  const longest = (getUsualRange(stat.durations)?.[1] ?? Math.max(0, ...stat.durations)) * 1000;
  const patience =
    job.graceSec !== null
      ? longest + job.graceSec * 1000
      : stat.durations.length === 0
        ? DAY_MS
        : longest + between(longest / 4, HOUR_MS, 6 * HOUR_MS);
  // While the server was down, the source could not report the end, so it may still arrive.
  const at = startedAt + patience;
  return at < bootedAt ? bootedAt + Math.min(patience, HOUR_MS) : at;
}

/**
 * Returns the median gap between starts and the longest usual gap, or null if the starts are too
 * few or too irregular.
 */
export function getCadence(
  starts: readonly Ms[],
): { readonly median: Ms; readonly longest: Ms } | null {
  if (starts.length < MIN_STARTS) return null;
  const sorted = [...starts].sort((a, b) => a - b);
  const gaps = sorted
    .slice(1)
    .map((start, i) => start - (sorted[i] ?? start))
    .sort((a, b) => a - b);
  const median = gaps[gaps.length >> 1] ?? 0;
  // The 90th percentile: it ignores one odd gap, but includes the weekend of a job that runs on
  // workdays.
  const longest = gaps[Math.ceil(gaps.length * 0.9) - 1] ?? 0;
  return median < MINUTE_MS || longest > STEADY * median ? null : { median, longest };
}

/** Minimum number of starts from which a cadence is derived. */
export const MIN_STARTS = 4;

/** A gap from Friday to Monday is three days. */
const STEADY = 4;
/** A run that starts at most this early still counts as the expected one. */
const EARLY = 10 * MINUTE_MS;

interface Due {
  readonly at: Ms;
  readonly period: Ms;
  readonly from: Expectation['from'];
}

const between = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, value));

/**
 * Returns the last known start or miss, and from when on a run is expected after it. A miss before
 * the end of an ignored time no longer counts.
 */
function getBase(
  job: Job,
  stat: Stat,
): { readonly base: Ms; readonly missed: boolean; readonly from: Ms } {
  const last = stat.lastStart ?? job.firstSeenAt;
  const missedFor = stat.missedFor !== null && stat.missedFor >= last ? stat.missedFor : null;
  const base = missedFor ?? last;
  const from = missedIgnoredUntil(job, stat) ?? base;
  return { base, missed: missedFor !== null && base >= from, from };
}

function byPeriod(period: Ms, job: Job, stat: Stat, bootedAt: Ms): Due | null {
  if (period <= 0) return null;
  const { base, missed, from } = getBase(job, stat);
  const step = missed ? Math.max(period, Math.ceil(DAY_MS / period) * period) : period;
  return {
    at: latestBefore(firstFrom(base + step, step, from), step, bootedAt),
    period,
    from: 'schedule',
  };
}

function byCadence(job: Job, stat: Stat, bootedAt: Ms): Due | null {
  const cadence = getCadence(stat.starts);
  if (cadence === null) return null;
  const { base, missed, from } = getBase(job, stat);
  const step = missed ? Math.max(cadence.longest, DAY_MS) : cadence.longest;
  return {
    at: latestBefore(firstFrom(base + step, step, from), step, bootedAt),
    period: cadence.median,
    from: 'cadence',
  };
}

const firstFrom = (at: Ms, step: Ms, from: Ms): Ms =>
  at >= from ? at : at + Math.ceil((from - at) / step) * step;

/** If several expected runs fell into the server's own downtime, only the last one counts. */
const latestBefore = (at: Ms, step: Ms, bootedAt: Ms): Ms =>
  at >= bootedAt ? at : at + Math.floor((bootedAt - at) / step) * step;

function byCron(
  schedule: { readonly cron: string; readonly tz: string },
  job: Job,
  stat: Stat,
  bootedAt: Ms,
  cronNext: CronNext,
): Due | null {
  const next = (after: Ms): Ms | null => cronNext(schedule.cron, schedule.tz, after);
  const { base, missed, from } = getBase(job, stat);
  let at = next(from > base ? from - 1 : missed ? base + DAY_MS - EARLY : base);
  if (at === null) return null;
  let period = (next(at) ?? at + DAY_MS) - at;
  if (!missed && at - base <= Math.min(EARLY, period / 4)) at += period;
  if (at < bootedAt) {
    let later = next(Math.max(at, bootedAt - 2 * period));
    for (let tries = 0; later !== null && later < bootedAt && tries < MAX_TRIES; tries += 1)
      [at, later] = [later, next(later)];
  }
  period = Math.max(period, MINUTE_MS);
  return { at, period, from: 'schedule' };
}

const MAX_TRIES = 50;
