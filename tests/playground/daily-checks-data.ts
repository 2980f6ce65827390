import type { ReviewState, RunState, RunView } from '#contract/runs/query.ts';
import { JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { JobType, ProblemKind, Source, Status } from '#contract/runs/vocabulary.ts';
import type { Note, Review, Snooze } from '#contract/runs/rows.ts';

/** What people have done to a problem. */
export interface Dealt {
  readonly review: (Review & { readonly name: string }) | null;
  readonly snooze: (Snooze & { readonly name: string }) | null;
  readonly note: (Note & { readonly name: string }) | null;
}
export const UNDEALT: Dealt = { review: null, snooze: null, note: null };

interface Cause {
  readonly template: string;
  readonly kind: ProblemKind;
  readonly state: RunState;
  readonly say: (host: string, i: number) => string;
}
export const CAUSES: readonly Cause[] = [
  {
    template: 'Unable to connect to host ‹host›: ‹why›',
    kind: 'connection',
    state: 'Failed',
    say: (host, i) => `Unable to connect to host ${host}: ${i % 2 ? 'timed out' : 'refused'}`,
  },
  {
    template: 'VSS writer ‹name› is in state failed: ‹code›',
    kind: 'snapshot',
    state: 'Failed',
    say: () => 'VSS writer SqlServerWriter is in state failed: [8] timed out',
  },
  {
    template: 'Access denied: the account lacks ‹right›',
    kind: 'access',
    state: 'Error',
    say: () => 'Access denied: the account lacks ApplicationImpersonation',
  },
  {
    template: 'Expected ‹time› and 60 min grace, no run since ‹date›',
    kind: 'silent',
    state: 'Missed',
    say: () => 'Expected 01:00 AM and 60 min grace, no run since 11/16/26',
  },
  {
    template: 'Repository ‹name› is low on space: ‹share› free',
    kind: 'space',
    state: 'Warning',
    say: () => 'Repository NWB-REPO-04 is low on space: 3.1 % free',
  },
  {
    template: '‹n› of ‹n› mailboxes skipped: ‹why›',
    kind: 'partial',
    state: 'Warning',
    say: (_, i) => `${1 + (i % 7)} of 214 mailboxes skipped: MailboxNotEnabledForRESTAPI`,
  },
  {
    template: 'Transferred ‹size›, usual ‹size› to ‹size›',
    kind: 'unusual',
    state: 'Anomaly',
    say: () => 'Transferred 96.4 GB, usual 8.1 to 11.6 GB',
  },
];
export const COMPANIES = [
  'Calloway Freight',
  'Drummond & Pike',
  'Eastmoor Trust',
  'Hartwell Accountancy',
  'Ironbridge Tooling',
  'Kestrel Surveying',
  'Larkspur Care Homes',
  'Oakhurst Credit Union',
  'Westerly & North Shore Housing Association of the Lower Great Lakes and its Subsidiaries',
  'Aldergate Vets',
  'Pemberton Estates',
  'Fennimore Foods',
  'Umber & Sons Joinery',
  'Glasshouse Media',
  'Tidewater Marine',
  'Redfern Plumbing',
  'Juniper Lane Schools',
  'Marlowe Dental',
  'Northgate Print',
] as const;
const JOBS = [
  'HV nightly, all VMs',
  'SQL logs, 15 min',
  'File servers, daily',
  'Agent, front desk',
  'DC01 system state',
  'NAS shares',
  'Offsite copy to DC2',
  'Mailboxes, all users',
] as const;
const USED: readonly Source[] = SOURCES.filter((source) =>
  ['vac', 'vcd', 'office365', 'zerto', 'restic', 'borg'].includes(source),
);
const TYPES: readonly JobType[] = JOB_TYPES.filter((type) =>
  ['Backup', 'Agent', 'BackupCopy', 'M365', 'FileShare'].includes(type),
);
const DAY = 86_400_000;

/** A job of the made-up provider: everything about it follows from its number. */
export interface Job {
  readonly n: number;
  readonly company: number;
  readonly name: string;
  readonly computer: string;
  readonly source: Source;
  readonly type: JobType;
  readonly managed: boolean | null;
  /** Its open problem: which cause, and for how many days; null where all is well. */
  readonly cause: number | null;
  readonly days: number;
  readonly hour: number;
}

/** Small and the same each time: chance is not needed, spread is. */
export const spread = (i: number): number => (Math.imul(i + 1, 2_654_435_761) >>> 8) % 1_000;

export function getJob(n: number): Job {
  const s = spread(n);
  const company = n % COMPANIES.length;
  const initials = (COMPANIES[company] ?? '')
    .split(' ')
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
    .replace('&', 'P');
  const cause = s < 340 ? ([0, 0, 0, 1, 2, 3, 4, 4, 5, 6][s % 10] ?? 0) : null;
  return {
    n,
    company,
    name: JOBS[(n * 7 + s) % JOBS.length] ?? '',
    computer: `${initials}-${['HV', 'SQL', 'FS', 'PC', 'DC', 'NAS'][s % 6] ?? ''}0${1 + (n % 8)}`,
    source: USED[s % USED.length] ?? 'api',
    type: TYPES[n % TYPES.length] ?? 'Backup',
    managed: n % 9 === 0 ? null : n % 3 === 0,
    cause,
    days: cause === null ? 0 : 1 + (s % 11 === 0 ? 5 : s % 4 === 0 ? 2 : s % 3 === 0 ? 1 : 0),
    hour: s % 12,
  };
}

/** The state of a job's run, `ago` days back; null where it was not due. */
export function getState(job: Job, ago: number): RunState | null {
  if (job.cause !== null && ago < job.days) return CAUSES[job.cause]?.state ?? 'Failed';
  if (ago === 0 && job.n % 97 === 5) return 'Running';
  const s = spread(job.n * 31 + ago);
  return s < 25 ? 'Warning' : s < 50 && ago > 0 ? null : 'Success';
}

export const getReview = (
  state: RunState,
  ago: number,
  job: Job,
  dealt: Dealt,
  now: number,
): ReviewState => {
  if (state === 'Success' || state === 'Running') return 'none';
  if (ago >= job.days || dealt.review) return 'cleared';
  return dealt.snooze && dealt.snooze.until > now ? 'snoozed' : 'pending';
};

/** A run as the grid shows it. `n` counts days back from the newest: `ago × jobs + job + 1`. */
export function getView(
  n: number,
  job: Job,
  ago: number,
  state: RunState,
  dealt: Dealt,
  now: number,
  waiting: boolean,
): RunView {
  const company = COMPANIES[job.company] ?? '';
  const startedAt = now - ago * DAY - job.hour * 3_600_000 - (job.n % 60) * 60_000;
  const own = job.cause !== null && ago < job.days;
  const cause = own ? CAUSES[job.cause ?? 0] : state === 'Warning' ? CAUSES[4] : undefined;
  const host = `${job.computer.toLowerCase()}.${company.toLowerCase().split(/\W+/)[0] ?? ''}.example`;
  const bad = state === 'Failed' || state === 'Error';
  const low = 1 + (spread(job.n * 3) % 40);
  const none = state === 'Missed';
  const status: Status = state === 'Anomaly' ? 'Success' : state;
  return {
    n,
    job: job.n + 1,
    jobName: job.name,
    company: job.company + 1,
    companyName: company,
    computer: job.type === 'M365' ? 'M365' : job.computer,
    source: job.source,
    type: job.type,
    managed: job.managed,
    scheduleState: 'Daily',
    status,
    state,
    startedAt,
    durationSec: none
      ? null
      : bad
        ? low * 20 + (spread(n) % 300)
        : low * 62 + (spread(n) % (low * 6)),
    usualDuration: [low * 60, low * 72],
    bytes: none
      ? null
      : bad
        ? 0
        : state === 'Anomaly'
          ? 96_400_000_000
          : Math.round((low + (spread(n) % 100) / 400) * 1.05e9),
    usualBytes: job.n % 23 === 0 ? null : [low * 1e9, Math.round(low * 1.3e9)],
    message: cause ? cause.say(host, job.n) : null,
    template: cause?.template ?? null,
    strip: Array.from({ length: 14 }, (_, i) => getState(job, ago + 13 - i)),
    lastGoodAt:
      job.n % 41 === 3
        ? null
        : now - (ago + (own ? job.days - ago : 0)) * DAY - job.hour * 3_600_000,
    review: getReview(state, ago, job, dealt, now),
    waiting,
    problem: !cause
      ? null
      : {
          n: own ? job.n + 1 : 1_000_000 + n,
          cause: (own ? (job.cause ?? 0) : 4) + 1,
          kind: cause.kind,
          day: own ? job.days - ago : 1,
          openedAt: startedAt - (own ? job.days - 1 - ago : 0) * DAY,
          closedAt: own ? null : Math.min(startedAt + DAY, now - DAY / 4),
          ticket: job.n % 13 === 0 ? `#${48_000 + (job.n % 900)}` : null,
          ...(own ? dealt : UNDEALT),
        },
  };
}
