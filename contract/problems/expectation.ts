import type { Ms } from '../ids.ts';
import { usualOf } from './judge.ts';
import type { JobRow, StatRow } from '../runs/rows.ts';

/** When a job is due next. It did not run where nothing has started by `dueAt`. */
export interface Expectation {
  /** The time at which it is expected to start. */
  readonly at: Ms;
  readonly graceMs: Ms;
  /** `at` and the grace; later where the server was down at `at`, which is not the job's fault. */
  readonly dueAt: Ms;
  readonly from: 'schedule' | 'cadence';
}

/**
 * The next moment of a cron line after `after`, null where there is none. Given from outside: a
 * calendar of zones is no matter of rules.
 */
export type CronNext = (cron: string, timeZone: string, after: Ms) => Ms | null;

type Job = Pick<JobRow, 'enabled' | 'schedule' | 'graceSec' | 'firstSeenAt' | 'missedIgnored'>;
type Stat = Pick<
  StatRow,
  'starts' | 'durations' | 'lastStart' | 'lastSuccess' | 'running' | 'missedFor'
>;

/**
 * RUN-3: what a job is expected to do next, from its declared schedule or from its own learned
 * cadence. Null for a job that is disabled, that runs now (a run that never ends is another matter:
 * `abandonedAt`), or of which nothing is known.
 *
 * last start ──── one period ────▶ at ── grace ──▶ dueAt: did not run
 *
 * After a miss the next is expected a period later, a day later at the least: a job of every five
 * minutes that is dead is one line a day. While the job is ignored nothing is: the next is the
 * first of its times that comes after (DESK-4).
 */
export function expectationOf(
  job: Job,
  stat: Stat,
  bootedAt: Ms,
  cronNext: CronNext,
): Expectation | null {
  if (!job.enabled || stat.running !== null) return null;
  // A schedule of which only the kind is known names no time: the job is held to its own cadence.
  const due =
    job.schedule?.is === 'cron'
      ? byCron(job.schedule, job, stat, bootedAt, cronNext)
      : job.schedule?.is === 'every'
        ? byPeriod(job.schedule.everySec * 1000, job, stat, bootedAt)
        : byCadence(job, stat, bootedAt);
  if (due === null) return null;
  const { at, period, from } = due;
  const graceMs =
    job.graceSec !== null
      ? job.graceSec * 1000
      : from === 'schedule'
        ? between(period / 4, MINUTE, HOUR)
        : between(period / 4, 10 * MINUTE, 6 * HOUR);
  return { at, graceMs, dueAt: (at < bootedAt ? bootedAt : at) + graceMs, from };
}

/**
 * DESK-4: until when nothing is expected of a job, because somebody said so and it has had no
 * success since; null where nobody did.
 */
export const quietUntil = (
  { missedIgnored }: Pick<JobRow, 'missedIgnored'>,
  { lastSuccess }: Pick<StatRow, 'lastSuccess'>,
): Ms | null =>
  missedIgnored === null || (lastSuccess !== null && lastSuccess > missedIgnored.at)
    ? null
    : missedIgnored.until;

/**
 * When a run that started and never reported an end counts as failed: its grace after the time it
 * usually takes at most. Where no grace is declared and nothing is known of its length: a day.
 */
export function abandonedAt(
  startedAt: Ms,
  job: Pick<JobRow, 'graceSec'>,
  stat: Pick<StatRow, 'durations'>,
  bootedAt: Ms,
): Ms {
  const longest = (usualOf(stat.durations)?.[1] ?? Math.max(0, ...stat.durations)) * 1000;
  const patience =
    job.graceSec !== null
      ? longest + job.graceSec * 1000
      : stat.durations.length === 0
        ? DAY
        : longest + between(longest / 4, HOUR, 6 * HOUR);
  // While the server was down the end could not be reported: it may still be on its way.
  const at = startedAt + patience;
  return at < bootedAt ? bootedAt + Math.min(patience, HOUR) : at;
}

/**
 * Gaps between starts, and how long a job usually lets pass at most; null where it has no cadence
 * that one could hold it to.
 */
export function cadenceOf(
  starts: readonly Ms[],
): { readonly median: Ms; readonly longest: Ms } | null {
  if (starts.length < LEAST_STARTS) return null;
  const sorted = [...starts].sort((a, b) => a - b);
  const gaps = sorted
    .slice(1)
    .map((start, i) => start - (sorted[i] ?? start))
    .sort((a, b) => a - b);
  const median = gaps[gaps.length >> 1] ?? 0;
  // Nine gaps of ten: one odd gap is forgiven, the weekend of a job that runs on workdays is
  // learned.
  const longest = gaps[Math.ceil(gaps.length * 0.9) - 1] ?? 0;
  return median < MINUTE || longest > STEADY * median ? null : { median, longest };
}

/** A cadence is not guessed from fewer. */
export const LEAST_STARTS = 4;

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** A gap of Friday to Monday is three days. */
const STEADY = 4;
/** A run this little before its time is the one that was expected. */
const EARLY = 10 * MINUTE;

interface Due {
  readonly at: Ms;
  readonly period: Ms;
  readonly from: Expectation['from'];
}

const between = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value));

/**
 * The last thing that is known to have happened, and from when on something is expected after it:
 * after a quiet time a miss before it counts no more.
 */
function baseOf(
  job: Job,
  stat: Stat,
): { readonly base: Ms; readonly missed: boolean; readonly from: Ms } {
  const last = stat.lastStart ?? job.firstSeenAt;
  const missedFor = stat.missedFor !== null && stat.missedFor >= last ? stat.missedFor : null;
  const base = missedFor ?? last;
  const from = quietUntil(job, stat) ?? base;
  return { base, missed: missedFor !== null && base >= from, from };
}

function byPeriod(period: Ms, job: Job, stat: Stat, bootedAt: Ms): Due | null {
  if (period <= 0) return null;
  const { base, missed, from } = baseOf(job, stat);
  const pace = missed ? Math.max(period, Math.ceil(DAY / period) * period) : period;
  return {
    at: latestBefore(firstFrom(base + pace, pace, from), pace, bootedAt),
    period,
    from: 'schedule',
  };
}

function byCadence(job: Job, stat: Stat, bootedAt: Ms): Due | null {
  const cadence = cadenceOf(stat.starts);
  if (cadence === null) return null;
  const { base, missed, from } = baseOf(job, stat);
  const pace = missed ? Math.max(cadence.longest, DAY) : cadence.longest;
  return {
    at: latestBefore(firstFrom(base + pace, pace, from), pace, bootedAt),
    period: cadence.median,
    from: 'cadence',
  };
}

const firstFrom = (at: Ms, pace: Ms, from: Ms): Ms =>
  at >= from ? at : at + Math.ceil((from - at) / pace) * pace;

/** Of several that fell into the server's own downtime only the last counts. */
const latestBefore = (at: Ms, pace: Ms, bootedAt: Ms): Ms =>
  at >= bootedAt ? at : at + Math.floor((bootedAt - at) / pace) * pace;

function byCron(
  schedule: { readonly cron: string; readonly tz: string },
  job: Job,
  stat: Stat,
  bootedAt: Ms,
  cronNext: CronNext,
): Due | null {
  const next = (after: Ms): Ms | null => cronNext(schedule.cron, schedule.tz, after);
  const { base, missed, from } = baseOf(job, stat);
  let at = next(from > base ? from - 1 : missed ? base + DAY - EARLY : base);
  if (at === null) return null;
  let period = (next(at) ?? at + DAY) - at;
  if (!missed && at - base <= Math.min(EARLY, period / 4)) at += period;
  if (at < bootedAt) {
    let later = next(Math.max(at, bootedAt - 2 * period));
    for (let tries = 0; later !== null && later < bootedAt && tries < MOST_TRIES; tries += 1)
      [at, later] = [later, next(later)];
  }
  period = Math.max(period, MINUTE);
  return { at, period, from: 'schedule' };
}

const MOST_TRIES = 50;
