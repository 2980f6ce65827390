/**
 * Made-up data in the shape of a large provider's: the same seed, the same data, on every machine.
 * 20,000 jobs of 3,000 companies over 90 days; 92 % of runs succeed, 1.2 % of those unusual;
 * failures last for a few runs and carry one of 300 causes with changing words.
 */
import type { LeanRun } from '../../contract/runs/columns.ts';
import { encodeColumns, getKind, newestFirst } from '../../contract/runs/columns.ts';
import type { CauseRow, JobRow, ProblemRow } from '../../contract/runs/rows.ts';
import { ENTITY_GROUPS, JOB_TYPES, PROBLEM_KINDS } from '../../contract/runs/vocabulary.ts';
import type { ProblemState, Status } from '../../contract/runs/vocabulary.ts';
import type { CompanyRow } from '../../contract/users/rows.ts';
import { BENCH_NOW } from './now.ts';

const DAY = 86_400_000;
const PAGE = 16_384;

export interface BenchData {
  readonly companies: readonly CompanyRow[];
  readonly jobs: readonly JobRow[];
  readonly causes: readonly CauseRow[];
  readonly problems: readonly ProblemRow[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
  /** Encoded pages (columns.ts), newest first. */
  readonly pages: readonly Uint8Array<ArrayBuffer>[];
  readonly runs: number;
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function getChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const getOne = <T>(list: readonly [T, ...T[]], chance: () => number): T =>
  list[Math.floor(chance() * list.length)] ?? list[0];
const upTo = (max: number, chance: () => number): number => Math.floor(chance() * max);
const twoDigits = (n: number): string => String(n).padStart(2, '0');

const TOWNS = ['nyc', 'fra', 'lon', 'sfo', 'ber', 'syd', 'tok', 'ams'] as const;
const ROLES = [
  'sql-prod',
  'sql-test',
  'mail',
  'files',
  'dc',
  'web',
  'app',
  'nas',
  'vm',
  'erp',
] as const;
const TRADES = [
  'Dental',
  'Logistics',
  'Legal',
  'Bakery',
  'Clinic',
  'Motors',
  'Foods',
  'Media',
  'Energy',
  'Schools',
] as const;
const WEIGHTED_SOURCES = [
  'vbr',
  'vbr',
  'vbr',
  'restic',
  'restic',
  'office365',
  'vcd',
  'borg',
] as const;
const HEADS = [
  'Failed to connect to host',
  'Connection timeout on',
  'Cannot create snapshot of',
  'Not enough space on',
  'Access denied to',
  'File is locked on',
  'Checksum mismatch in',
  'Job was cancelled on',
  'Agent did not answer on',
  'VSS writer failed on',
  'Repository is offline:',
  'Certificate expired on',
  'Disk read error on',
  'Processing finished with warnings on',
  'Some files were skipped on',
  'Transport error with',
  'Authentication failed for',
  'Quota exceeded on',
  'Network path not found:',
  'Task was aborted by',
] as const;
const TAILS = [
  'while reading',
  'after retry',
  'during commit',
  'at the proxy',
  'in the guest',
  'on the target',
  'before upload',
  'by policy',
  'in the catalogue',
  'with timeout',
  'in the lock file',
  'for the tenant',
  'in the index',
  'at the gateway',
  'on close',
] as const;

export function makeJobs(count: number, companies: number, seed: number): JobRow[] {
  const chance = getChance(seed);
  return Array.from({ length: count }, (_, i): JobRow => {
    const town = getOne(TOWNS, chance);
    const role = getOne(ROLES, chance);
    const source = getOne(WEIGHTED_SOURCES, chance);
    return {
      n: i + 1,
      uid: `job-${i + 1}`,
      key: 'key',
      company: 1 + Math.floor(companies * chance() ** 2),
      name: `${role} ${town}${twoDigits(upTo(40, chance))} ${getOne(['daily', 'hourly', 'weekly', 'full'], chance)}`,
      source,
      type: JOB_TYPES[upTo(8, chance)] ?? 'Backup',
      group: ENTITY_GROUPS[0],
      computer: `${town}${twoDigits(upTo(99, chance))}-${role}-${i % 997}`,
      server: `srv-${i % 300}`,
      managed: chance() < 0.7,
      enabled: true,
      schedule: null,
      graceSec: null,
      firstSeenAt: BENCH_NOW - 200 * DAY,
      missedIgnored: null,
      disabledIgnored: null,
      problem: null,
    };
  });
}

export function makeData(runs: number, seed = 1): BenchData {
  const chance = getChance(seed);
  const companies = Array.from({ length: 3_000 }, (_, i): CompanyRow => ({
    n: i + 1,
    id: `company-${i + 1}`,
    name: `${getOne(TRADES, chance)} ${getOne(TOWNS, chance)} ${i + 1}`,
    madeAt: 0,
  }));
  const jobs = makeJobs(20_000, companies.length, seed + 1);
  const causes = makeCauses();
  const problems: ProblemRow[] = [];
  const current = new Int32Array(jobs.length + 1); // number of each job's open problem
  const lean: LeanRun[] = [];
  for (let n = 1; n <= runs; n++) {
    const startSec = Math.floor(
      (BENCH_NOW - 90 * DAY + (n / runs) * 90 * DAY - upTo(600_000, chance)) / 1000,
    );
    lean.push(
      makeRun(n, startSec, jobs[upTo(jobs.length, chance)] ?? jobs[0]!, current, problems, chance),
    );
  }
  lean.sort(newestFirst);
  const pages = Array.from({ length: Math.ceil(runs / PAGE) }, (_, i) =>
    encodeColumns(lean.slice(i * PAGE, (i + 1) * PAGE)),
  );
  const people = [
    { id: 'ann', name: 'Ann Lee' },
    { id: 'ben', name: 'Ben Ode' },
  ];
  return {
    companies,
    jobs,
    causes,
    problems: problems.map((problem) => attend(problem, chance)),
    people,
    pages,
    runs,
  };
}

/**
 * 600 runs that are told anew and 400 new ones, as a day's traffic: most of them recent. `all`
 * gives a run by its place, newest first.
 */
export function makeChanges(
  data: BenchData,
  all: (place: number) => LeanRun,
  round: number,
): { runs: LeanRun[]; problems: ProblemRow[] } {
  const chance = getChance(1_000 + round);
  const problems: ProblemRow[] = [];
  const current = new Int32Array(data.jobs.length + 1);
  const next = (problem: number): number => data.problems.length + round * 2_000 + problem;
  const numbered = (run: LeanRun): LeanRun =>
    run.problem === null ? run : { ...run, problem: next(run.problem) };
  const details = Array.from({ length: 600 }, (_, i) => {
    const before = all(
      i < 480 ? upTo(Math.min(20_000, data.runs), chance) : upTo(data.runs, chance),
    );
    const job = data.jobs[before.job - 1] ?? data.jobs[0]!;
    return numbered(makeRun(before.n, before.startSec, job, current, problems, chance));
  });
  const fresh = Array.from({ length: 400 }, (_, i) => {
    const back = i < 360 ? upTo(300, chance) : upTo(2 * 86_400, chance);
    const job = data.jobs[upTo(data.jobs.length, chance)] ?? data.jobs[0]!;
    return numbered(
      makeRun(
        data.runs + round * 400 + i + 1,
        BENCH_NOW / 1000 + round * 300 - back,
        job,
        current,
        problems,
        chance,
      ),
    );
  });
  return {
    runs: [...details, ...fresh],
    problems: problems.map((problem) => ({ ...problem, n: next(problem.n) })),
  };
}

const makeCauses = (): CauseRow[] => [
  ...HEADS.flatMap((head, h) =>
    TAILS.map((tail, t): CauseRow => ({
      n: 1 + h * TAILS.length + t,
      template: `${head} ‹host› ${tail}`,
      kind: PROBLEM_KINDS[h % PROBLEM_KINDS.length] ?? 'other',
    })),
  ),
  { n: 301, template: 'Transferred more than usual', kind: 'unusual' },
];

function makeRun(
  n: number,
  startSec: number,
  job: JobRow,
  current: Int32Array,
  problems: ProblemRow[],
  chance: () => number,
): LeanRun {
  const open = problems[(current[job.n] ?? 0) - 1];
  const again = open !== undefined && open.state !== 'Anomaly' && chance() < 0.5;
  const roll = chance();
  const status: Status = again
    ? open.state === 'Missed'
      ? 'Failed'
      : open.state
    : roll < 0.92
      ? 'Success'
      : roll < 0.96
        ? 'Warning'
        : roll < 0.985
          ? 'Failed'
          : roll < 0.995
            ? 'Error'
            : 'Running';
  const anomaly = status === 'Success' && chance() < 0.012;
  const base = {
    n,
    job: job.n,
    company: job.company,
    startSec,
    elapsedSec: 60 + (job.n % 50) * 30 + upTo(60, chance),
    bytes: (job.n % 900) * 7_000_000 + upTo(9_000_000, chance),
  };
  const kind = getKind(
    { status, anomaly: anomaly ? [{ measure: 'bytes', value: 1, low: 2, high: 3 }] : [] },
    job,
  );
  if (status === 'Running')
    return { ...base, kind, elapsedSec: null, bytes: null, problem: null, message: null };
  if (status === 'Success' && !anomaly) {
    if (open) close(problems, open, startSec * 1000, 'success');
    current[job.n] = 0;
    return { ...base, kind, problem: null, message: null };
  }
  const state: ProblemState =
    status === 'Success'
      ? 'Anomaly'
      : status === 'Warning' || status === 'Error'
        ? status
        : 'Failed';
  const cause = again ? open.cause : anomaly ? 301 : 1 + upTo(300, chance);
  const message = anomaly ? null : getMessage(cause, chance);
  if (open && again) return { ...base, kind, problem: open.n, message };
  if (open) close(problems, open, startSec * 1000, 'changed');
  const made: ProblemRow = {
    n: problems.length + 1,
    job: job.n,
    company: job.company,
    cause,
    state,
    openedAt: startSec * 1000,
    lastAt: startSec * 1000,
    lastRun: n,
    runs: 1,
    closedAt: null,
    closedBy: null,
    review: null,
    snooze: null,
    note: null,
    ticket: null,
  };
  problems.push(made);
  current[job.n] = made.n;
  return { ...base, kind, problem: made.n, message };
}

const getMessage = (cause: number, chance: () => number): string => {
  const head = HEADS[Math.floor((cause - 1) / TAILS.length)] ?? HEADS[0];
  const tail = TAILS[(cause - 1) % TAILS.length] ?? TAILS[0];
  return `${head} ${getOne(TOWNS, chance)}${twoDigits(upTo(99, chance))}-${upTo(100_000, chance)} ${tail} (code ${upTo(9_999, chance)})`;
};

function close(
  problems: ProblemRow[],
  open: ProblemRow,
  at: number,
  by: 'success' | 'changed',
): void {
  problems[open.n - 1] = { ...open, closedAt: at, closedBy: by };
}

/** What people did: most closed problems were reviewed, some open ones are snoozed. */
function attend(problem: ProblemRow, chance: () => number): ProblemRow {
  if (problem.closedAt !== null)
    return chance() < 0.7
      ? { ...problem, review: { by: 'ann', at: problem.openedAt, comment: null } }
      : problem;
  const roll = chance();
  if (roll < 0.15)
    return {
      ...problem,
      snooze: {
        by: 'ben',
        at: problem.openedAt,
        until: BENCH_NOW + upTo(5 * DAY, chance),
        reason: 'known',
      },
    };
  return roll < 0.35
    ? { ...problem, review: { by: 'ann', at: problem.openedAt, comment: null } }
    : problem;
}
