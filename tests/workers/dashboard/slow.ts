/** The overview's judge: each number from all runs and problems, one by one. */
import { isAnomaly, statusCode, typeCode } from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { getDay, dayText, startOfDay, worst } from '#contract/time/day.ts';
import type {
  Attention,
  Overview,
  OverviewQuery,
  Ranked,
  Tally,
} from '#contract/dashboard/overview.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { ENTITY_GROUPS, JOB_TYPES, STATUSES } from '#contract/runs/vocabulary.ts';
import { getReview } from '#tests/workers/columns/oracle.ts';
import type { Plain } from '#tests/workers/columns/oracle.ts';

const getState = ({ kind }: LeanRun): RunState => {
  const status = STATUSES[statusCode(kind)] ?? 'Running';
  return status === 'Success' && isAnomaly(kind) ? 'Anomaly' : status;
};
const rank = (state: RunState): number => RUN_STATES.indexOf(state);
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const finished = (own: readonly LeanRun[]): number[] =>
  own
    .filter((run) => !['Running', 'Missed'].includes(getState(run)))
    .map(({ elapsedSec }) => elapsedSec)
    .filter((one) => one !== null);
const getJobs = (all: readonly ProblemRow[]): number => new Set(all.map(({ job }) => job)).size;

/** What protects nothing alone: copies, tests, restores and checks. */
const NO_BACKUPS: readonly string[] = ['BackupCopy', 'SureBackup', 'Copy', 'Other'];
const isBackup = ({ kind }: LeanRun): boolean =>
  !NO_BACKUPS.includes(JOB_TYPES[typeCode(kind)] ?? 'Other');

function tally(runs: readonly LeanRun[]): Tally {
  const of = (...states: RunState[]): number =>
    runs.filter((run) => states.includes(getState(run))).length;
  return {
    runs: runs.length,
    success: of('Success'),
    warning: of('Warning'),
    failed: of('Failed', 'Error'),
    missed: of('Missed'),
    anomaly: of('Anomaly'),
    running: of('Running'),
    bytes: sum(runs.map(({ bytes }) => bytes ?? 0)),
    judged: runs.filter((run) => isBackup(run) && getState(run) !== 'Running').length,
    good: runs.filter(
      (run) => isBackup(run) && ['Success', 'Warning', 'Anomaly'].includes(getState(run)),
    ).length,
  };
}

export function slowOverview(
  plain: Plain,
  stored: ReadonlyMap<string, boolean>,
  ask: OverviewQuery,
  now: number,
): Omit<Overview, 'version'> {
  const day = (ms: number): number => getDay(ms, plain.timeZone, plain.beginsHour);
  const start = (n: number): number => startOfDay(n, plain.timeZone, plain.beginsHour);
  const getGroup = (job: number): EntityGroup => plain.jobs.get(job)?.group ?? 'other';
  const meant = (job: number, company: number): boolean =>
    (ask.companies.length === 0 || ask.companies.includes(company)) &&
    (ask.instructionTypes.length === 0 || ask.instructionTypes.includes(getGroup(job)));
  const runs = [...plain.runs.values()].filter(({ job, company }) => meant(job, company));
  const within = (from: number, to: number): LeanRun[] =>
    runs.filter(({ startSec }) => startSec * 1000 >= from && startSec * 1000 < to);
  const inNow = within(ask.from, ask.to);
  const before = ask.from - (ask.to - ask.from);
  const inBefore = within(before, ask.from);
  const ns: number[] = [];
  if (ask.from < ask.to) for (let n = day(ask.from); n <= day(ask.to - 1); n++) ns.push(n);
  const jobs = [...plain.jobs.values()].filter(({ n, company }) => meant(n, company));
  const ranked = (value: (own: readonly LeanRun[]) => number): Ranked[] =>
    jobs
      .map((job) => ({
        job: job.n,
        jobName: job.name,
        company: job.company,
        companyName: plain.companies.get(job.company)?.name ?? '',
        value: value(inNow.filter((run) => run.job === job.n)),
      }))
      .filter((one) => one.value > 0)
      .sort((a, b) => b.value - a.value || a.job - b.job)
      .slice(0, 5);
  const problems = [...new Map([...plain.problems, ...plain.over]).values()].filter(
    (one) => meant(one.job, one.company) && getReview(one, now) === 'pending',
  );
  const oldest = [...stored.keys()].sort()[0];
  const newest = Math.max(...[...plain.runs.values()].map(({ startSec }) => startSec * 1000));
  return {
    now: tally(inNow),
    before: { ...tally(inBefore), whole: oldest !== undefined && before >= Date.parse(oldest) },
    groups: ENTITY_GROUPS.filter(
      (group) => ask.instructionTypes.length === 0 || ask.instructionTypes.includes(group),
    ).map((group) => ({
      group,
      now: tally(inNow.filter(({ job }) => getGroup(job) === group)),
      before: tally(inBefore.filter(({ job }) => getGroup(job) === group)),
    })),
    days: ns.map((n) => ({
      day: dayText(n),
      from: start(n),
      ...tally(inNow.filter(({ startSec }) => day(startSec * 1000) === n)),
    })),
    jobs: {
      all: jobs.length,
      disabled: jobs.filter(({ enabled }) => !enabled).length,
      companies: new Set(jobs.map(({ company }) => company)).size,
      neverRan: jobs.filter(
        ({ n, enabled }) =>
          enabled &&
          ![...plain.runs.values()].some((run) => run.job === n && getState(run) !== 'Missed'),
      ).length,
    },
    pending: problems.length,
    attention: attention(plain, problems, now),
    mostFailures: ranked((own) => tally(own).failed),
    longest: ranked((own) => Math.round(sum(finished(own)) / Math.max(1, finished(own).length))),
    mostTransferred: ranked((own) => tally(own).bytes),
    newestAt: plain.runs.size === 0 ? null : newest,
    whole:
      oldest !== undefined && ask.from >= Date.parse(oldest) && [...stored.values()].every(Boolean),
  };
}

function attention(plain: Plain, problems: readonly ProblemRow[], now: number): Attention[] {
  const isShared = ({ cause }: ProblemRow): boolean =>
    getJobs(problems.filter((one) => one.cause === cause)) >= 2;
  const names = [
    ...new Set(problems.map((one) => (isShared(one) ? `cause ${one.cause}` : `job ${one.job}`))),
  ];
  const lines = names.map((name) =>
    problems
      .filter((one) => name === (isShared(one) ? `cause ${one.cause}` : `job ${one.job}`))
      .sort((a, b) => b.lastAt - a.lastAt || b.n - a.n),
  );
  const today = getDay(now, plain.timeZone, plain.beginsHour);
  return lines
    .map((own) => {
      const [head] = own;
      if (!head) throw new Error('a line without a problem');
      return {
        own,
        head,
        state: own.map(({ state }) => state).sort((a, b) => rank(a) - rank(b))[0] ?? head.state,
      };
    })
    .sort(
      (a, b) =>
        rank(a.state) - rank(b.state) ||
        getJobs(b.own) - getJobs(a.own) ||
        b.head.lastAt - a.head.lastAt ||
        a.head.n - b.head.n,
    )
    .slice(0, 8)
    .map(({ own, head, state }) => {
      const job = plain.jobs.get(head.job);
      const run = plain.runs.get(head.lastRun);
      const history = [...plain.runs.values()]
        .filter((one) => one.job === head.job)
        .sort((a, b) => a.startSec - b.startSec || a.n - b.n);
      const good = history.findLast((one) =>
        ['Success', 'Warning'].includes(STATUSES[statusCode(one.kind)] ?? ''),
      );
      return {
        state,
        cause: isShared(head) ? head.cause : null,
        template: plain.causes.get(head.cause)?.template ?? null,
        message: run && run.startSec === Math.floor(head.lastAt / 1000) ? run.message : null,
        jobs: getJobs(own),
        companies: new Set(own.map(({ company }) => company)).size,
        run: head.lastRun,
        jobName: job?.name ?? '',
        companyName: plain.companies.get(head.company)?.name ?? '',
        computer: job?.computer ?? '',
        since: Math.min(...own.map(({ openedAt }) => openedAt)),
        lastGoodAt: good ? good.startSec * 1000 : null,
        strip: Array.from({ length: 14 }, (_, i) =>
          worst(
            history
              .filter(
                ({ startSec }) =>
                  Math.min(today, getDay(startSec * 1000, plain.timeZone, plain.beginsHour)) ===
                  today - 13 + i,
              )
              .map(getState),
            'worst',
          ),
        ),
      };
    });
}
