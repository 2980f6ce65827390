import type { Bytes, Ms, Seconds } from '#contract/ids.ts';
import type { RunLevel } from '#contract/runs/vocabulary.ts';
import type { DayN } from '#contract/time/day.ts';
import { DAY_MS, MINUTE_MS } from '#contract/time/durations.ts';
import { between, type Rng, makeRng } from './random.ts';
import type { JobPlan, ProviderPlan, RepositoryPlan } from './plan.ts';
import type { Context } from './failure-kinds.ts';
import { troubleAt, type FailureReport, describeFailure } from './failure-scenarios.ts';
import { isOn, getLocalMoment, SATURDAY, getWeekday } from './times.ts';

/** A run as its tool would report it. */
export interface PlannedRun {
  readonly id: string;
  readonly job: number;
  readonly status: 'Success' | 'Warning' | 'Failed' | 'Error';
  readonly startedAt: Ms;
  readonly endedAt: Ms;
  readonly durationSec: Seconds;
  readonly bytes: Bytes | null;
  readonly processed: Bytes | null;
  readonly files: number | null;
  readonly filesFailed: number;
  readonly message: string | null;
  readonly exitCode: number | null;
  readonly level: RunLevel | null;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
  /** Whether the tool sends its log. */
  readonly logged: boolean;
}

/**
 * The maximum duration of a run: a search for runs that end looks this far back for their start.
 */
export const LONGEST: Ms = 14 * 3_600_000;
/** Load by weekday, Sunday first. Monday catches up on the weekend. */
const SHAPE = [0.9, 1.05, 1.02, 1, 1, 0.98, 0.92] as const;

/**
 * Returns the runs of a job that are due on a day of its zone, in order. Pure: the same plan, job
 * and day give the same runs.
 */
export function getRuns(plan: ProviderPlan, job: JobPlan, day: DayN): PlannedRun[] {
  if (!isOn(job.when, day)) return [];
  const runs: PlannedRun[] = [];
  for (const minute of job.when.times) {
    const dueAt = getLocalMoment(day, minute, job.when.tz);
    if (job.habit.kind === 'forgotten' && dueAt >= job.habit.at) continue;
    const random = makeRng(job.seed, day, minute);
    if (isAway(plan, job, dueAt) || random() < 0.0012) continue;
    const often = job.when.times.length > 1;
    // Most runs start at once. Some wait in a queue.
    const startedAt =
      Math.round(
        (dueAt +
          (often
            ? between(random, 2, 30)
            : random() < 0.85
              ? between(random, 2, 70)
              : between(random, 120, 900)) *
            1000) /
          1000,
      ) * 1000;
    const run = runAt(plan, job, day, startedAt, random);
    runs.push(run);
    if (
      run.status === 'Failed' &&
      job.source === 'vbr' &&
      !often &&
      job.habit.kind === 'steady' &&
      random() < 0.25
    ) {
      const again = retried(plan, job, run, random);
      if (again) runs.push(again);
    }
  }
  return runs;
}

function runAt(
  plan: ProviderPlan,
  job: JobPlan,
  day: DayN,
  startedAt: Ms,
  random: Rng,
): PlannedRun {
  const age = (startedAt - plan.bornAt) / DAY_MS;
  const size = job.size * Math.max(0.5, 1 + job.growth * age);
  const full =
    job.moves === 'all' || (job.moves === 'fulls' && ((SATURDAY >> getWeekday(day)) & 1) === 1);
  let moved = full
    ? size * between(random, 0.46, 0.54)
    : size *
      job.change *
      (job.when.times.length > 1 ? 1 : (SHAPE[getWeekday(day)] ?? 1)) *
      between(random, 0.92, 1.08);
  let length = getOverhead(job, size) + moved / (job.bytesPerSec * between(random, 0.95, 1.05));
  let files = job.files * between(random, 0.97, 1.03);
  // A few runs are anomalies without a reported cause.
  const odd = random();
  if (odd < 0.0022) moved *= between(random, 4, 11);
  else if (odd < 0.0034) moved = 0;
  else if (odd < 0.0056) length *= between(random, 3, 6);
  else if (odd < 0.0062) files *= between(random, 0.1, 0.4);
  const trouble = troubleAt(getContext(plan, job, startedAt, random));
  const failure =
    trouble === null ? null : describeFailure(trouble, getContext(plan, job, startedAt, random));
  if (failure !== null && failure.went < 1) {
    moved *= failure.went;
    length = Math.min(length, 20 + length * failure.went + between(random, 5, 90));
  }
  const durationSec = Math.min(LONGEST / 1000, Math.max(4, Math.round(length)));
  return finished(job, {
    startedAt,
    durationSec,
    moved: failure?.went === 0 ? null : Math.round(moved),
    processed:
      failure?.went === 0
        ? null
        : Math.round(failure === null || failure.went === 1 ? size : size * failure.went),
    files: COUNTS_FILES.has(job.source) && failure?.went !== 0 ? Math.round(files) : null,
    report: failure,
    full,
    random,
  });
}

/** Seconds besides the transfer: scanning for changes, and the snapshot of each object. */
const getOverhead = (job: JobPlan, size: Bytes): Seconds =>
  job.when.times.length > 1 ? 40 + size / 4e9 : 50 + 30 * job.objects + size / 6e8;

interface Measures {
  readonly startedAt: Ms;
  readonly durationSec: Seconds;
  readonly moved: Bytes | null;
  readonly processed: Bytes | null;
  readonly files: number | null;
  readonly report: FailureReport | null;
  readonly full: boolean;
  readonly random: Rng;
}

function finished(
  job: JobPlan,
  { startedAt, durationSec, moved, processed, files, report, full, random }: Measures,
): PlannedRun {
  const status = report?.status ?? 'Success';
  return {
    id: `${(startedAt / 1000).toString(36)}-${job.index.toString(36)}`,
    job: job.index,
    status,
    startedAt,
    endedAt: startedAt + durationSec * 1000,
    durationSec,
    bytes: moved,
    processed,
    files,
    filesFailed: report?.filesFailed ?? 0,
    message: report?.message ?? null,
    exitCode: EXITS.has(job.source) ? (report?.exitCode ?? 0) : null,
    level: LEVELLED.has(job.source) ? (full ? 'Full' : 'Incremental') : null,
    detail: getDetail(job, moved, files, startedAt),
    logged: status !== 'Success' || random() < 0.02,
  };
}

/** Tools that report file counts, and tools that report an exit code. */
const COUNTS_FILES = new Set([
  'restic',
  'borg',
  'borgmatic',
  'kopia',
  'rclone',
  'bacula',
  'bareos',
  'duplicati',
  'urbackup',
  'vac',
]);
const EXITS = new Set(['restic', 'borg', 'borgmatic', 'kopia', 'rclone', 'api']);

/** What each tool reports beside the common fields, with the keys of the product's own readers. */
function getDetail(
  job: JobPlan,
  moved: Bytes | null,
  files: number | null,
  at: Ms,
): PlannedRun['detail'] {
  const changed = files === null ? 0 : Math.round(files * job.change);
  switch (job.source) {
    case 'restic':
      return moved === null
        ? {}
        : { filesNew: Math.round(changed / 8), filesChanged: changed, dataAdded: moved };
    case 'borg':
    case 'borgmatic':
      return moved === null
        ? {}
        : {
            archive: `${job.computer.toLowerCase()}-${new Date(at).toISOString().slice(0, 19)}`,
            compressedSize: moved,
          };
    case 'kopia':
      return files === null ? {} : { directories: Math.round(files / 14) };
    default:
      return {};
  }
}

const LEVELLED = new Set(['vac', 'vbr', 'bacula', 'bareos', 'duplicati', 'urbackup']);

/** The same job retries after some minutes, and may succeed. */
function retried(
  plan: ProviderPlan,
  job: JobPlan,
  first: PlannedRun,
  random: Rng,
): PlannedRun | null {
  const startedAt = first.endedAt + Math.round(between(random, 10, 14)) * MINUTE_MS;
  const length = between(random, 180, 900);
  const context = getContext(plan, job, first.startedAt, random);
  const trouble = random() < 0.35 ? null : troubleAt(context);
  const moved = Math.round(job.size * job.change * between(random, 0.75, 1.25));
  return finished(job, {
    startedAt,
    durationSec: Math.round(
      trouble === null ? getOverhead(job, job.size) + moved / job.bytesPerSec : length,
    ),
    moved: trouble === null ? moved : null,
    processed: trouble === null ? Math.round(job.size) : null,
    files: null,
    report: trouble === null ? null : describeFailure(trouble, context),
    full: false,
    random,
  });
}

const getContext = (plan: ProviderPlan, job: JobPlan, at: Ms, random: Rng): Context => {
  const machine = plan.machines[job.machine];
  const repository = plan.repositories[job.repository];
  return {
    job,
    at,
    random,
    bornAt: plan.bornAt,
    habit: machine?.habit ?? 'steady',
    ip: machine?.ip ?? '10.0.0.9',
    repository: repository ?? null,
    full: repository ? usedShare(plan, repository, at) : 0,
  };
};

/** Whether a laptop is offline. It is on some days out of nine. */
function isAway(plan: ProviderPlan, job: JobPlan, at: Ms): boolean {
  if (plan.machines[job.machine]?.habit !== 'away') return false;
  const days = at / DAY_MS - (job.seed % 900) / 100;
  const block = Math.floor(days / 9);
  const random = makeRng(job.seed, 'away', block);
  if (random() > 0.42) return false;
  const from = random() * 4;
  const into = days - block * 9;
  return into >= from && into < from + 1.5 + random() * 3.5;
}

/**
 * Returns how full a repository is, 0 to 1. It fills up, stays full for a while, and is then
 * cleaned up.
 */
export function usedShare(
  plan: Pick<ProviderPlan, 'bornAt'>,
  { used, gain }: RepositoryPlan,
  at: Ms,
): number {
  const raw = used + (gain * (at - plan.bornAt)) / DAY_MS;
  const span = 0.42;
  const top = 1.04;
  const share = raw <= top ? raw : top - span + ((raw - top) % span);
  return Math.min(0.997, Math.max(0.02, share));
}
