import { MESSAGES } from '#contract/messages.ts';
import type { Change } from '#contract/monitoring/change.ts';
import type { Execution } from '#contract/monitoring/calls.ts';
import { REVIEW_STATES, RUN_STATES } from '#contract/monitoring/query.ts';
import type { RunsFacets, RunsFilter, RunState, RunsView } from '#contract/monitoring/query.ts';
import { JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/monitoring/words.ts';
import { failed, ok } from '#contract/result.ts';
import type { Door, RunsWatch, SyncStatus } from '#workers/api.ts';
import {
  CAUSES,
  COMPANIES,
  jobOf,
  reviewOf,
  stateOf,
  UNDEALT,
  viewOf,
} from './daily-checks-data.ts';
import type { Dealt, Job } from './daily-checks-data.ts';
import { arranged, linesOf } from './daily-checks-groups.ts';

/**
 * `localStorage.checks`: how many runs and jobs there are, how much of it is dealt with, and what
 * stands in the way.
 */
export interface Checks {
  readonly runs: number;
  readonly jobs: number;
  readonly cleared: 'most' | 'all' | 'none';
  readonly offline: boolean;
  readonly loadedDays: number;
  readonly slowMs: number;
  readonly fault: string | null;
  readonly refuse: boolean;
}
const USUAL: Checks = {
  runs: 10_000,
  jobs: 1_000,
  cleared: 'most',
  offline: false,
  loadedDays: 30,
  slowMs: 0,
  fault: null,
  refuse: false,
};
const DAY = 86_400_000;
const ME = { by: 'u1', name: 'Dana Reyes' };

interface Lean {
  readonly n: number;
  readonly job: Job;
  readonly ago: number;
  readonly state: RunState;
}

/**
 * A door whose runs answer as the worker's do: filters, exact facets, held lists, optimistic
 * changes. Everything else is the door given.
 */
export function dailyChecksDoor(
  inner: Door,
  now: number,
  json: string | null,
): { readonly door: Door; readonly play: { arrive(count: number): void } } {
  const checks: Checks = { ...USUAL, ...(JSON.parse(json ?? '{}') as Partial<Checks>) };
  const jobs = Array.from({ length: checks.jobs }, (_, n) => jobOf(n));
  const runs: Lean[] = [];
  for (let ago = 0; runs.length < checks.runs && ago < 400; ago += 1) {
    for (const job of jobs) {
      const state = stateOf(job, ago);
      if (state !== null && runs.length < checks.runs)
        runs.push({ n: ago * checks.jobs + job.n + 1, job, ago, state });
    }
  }
  const dealt = new Map<number, Dealt>();
  const waiting = new Set<number>();
  for (const job of jobs) {
    if (
      job.cause === null ||
      checks.cleared === 'none' ||
      (checks.cleared === 'most' && job.n % 12 === 5)
    )
      continue;
    const at = now - (2 + (job.n % 25)) * 60_000;
    if (job.n % 37 === 4)
      dealt.set(job.n, {
        ...UNDEALT,
        snooze: { ...ME, at, until: now + 3 * DAY, reason: 'Host is being moved' },
      });
    else
      dealt.set(job.n, {
        ...UNDEALT,
        review: { ...(job.n % 3 ? ME : { by: 'u2', name: 'J. Lindqvist' }), at, comment: null },
      });
  }
  for (const job of jobs)
    if (checks.cleared !== 'all' && job.n % 12 === 5 && job.n % 5 === 0)
      dealt.set(job.n, {
        ...UNDEALT,
        note: {
          by: 'u2',
          name: 'J. Lindqvist',
          at: now - DAY,
          content: 'Host is being moved to the new rack, client back Monday.',
        },
      });

  const watching = new Set<{
    takes: RunsWatch;
    held: { key: string; ids: readonly Lean[] } | null;
    readonly tell: (view: RunsView) => void;
  }>();
  const statuses = new Set<{
    readonly tell: (status: SyncStatus) => void;
    last: SyncStatus | null;
  }>();
  let version = 0;
  const statusOf = (base: SyncStatus): SyncStatus => ({
    ...base,
    ...(checks.offline && {
      is: 'offline' as const,
      offlineSince: now + 6 * 60_000 - 12 * 60_000,
      syncedAt: now - 12 * 60_000,
    }),
    fault: checks.fault,
    waiting: base.waiting + waiting.size,
  });
  const everyone = (): void => {
    version += 1;
    for (const one of watching) one.tell(answer(one));
    for (const one of statuses) if (one.last) one.tell(statusOf(one.last));
  };
  /**
   * The answer to a filter is worked out once a change: what is measured on the page shall be the
   * page.
   */
  const worked = new Map<
    string,
    {
      readonly version: number;
      readonly live: readonly Lean[];
      readonly problems: readonly Lean[];
      readonly progress: RunsView['progress'];
      readonly facets: RunsFacets;
    }
  >();
  const known = (filter: RunsFilter) => {
    const had = worked.get(JSON.stringify(filter));
    if (had?.version === version) return had;
    const live = listed(runs, filter, dealt, now);
    const problems = listed(runs, { ...filter, review: null, order: 'newest' }, dealt, now).filter(
      (run) => reviewed(run, dealt, now) !== 'none',
    );
    const progress = {
      cleared: problems.reduce(
        (sum, run) => sum + (reviewed(run, dealt, now) === 'pending' ? 0 : 1),
        0,
      ),
      of: problems.length,
    };
    const made = { version, live, problems, progress, facets: facetsOf(runs, filter, dealt, now) };
    worked.set(JSON.stringify(filter), made);
    return made;
  };
  const answer = (one: {
    takes: RunsWatch;
    held: { key: string; ids: readonly Lean[] } | null;
  }): RunsView => {
    const { filter, window, held, folded, round } = one.takes;
    const key = JSON.stringify([filter, round]);
    const { live, problems, progress, facets } = known(filter);
    const kept = held && one.held?.key === key ? one.held.ids : live;
    one.held = { key, ids: kept };
    const told = ({ n, job, ago, state }: Lean) =>
      viewOf(n, job, ago, state, dealt.get(job.n) ?? UNDEALT, now, waiting.has(n));
    const { lines, heads, rows } = linesOf(kept, problems, filter, folded, window, told);
    return structuredClone({
      total: kept.length,
      lines,
      heads,
      first: window.first,
      rows: rows.map(told),
      facets,
      progress,
      fresh: kept === live ? 0 : freshOf(kept, live),
      newestAt: runs.length === 0 ? null : now - 60_000,
      loaded: { days: checks.loadedDays, of: 30 },
      version,
      committedAt: version === 0 ? null : now,
    });
  };
  const change = (asked: readonly number[], what: Change): void => {
    const byN = new Map(runs.map((run) => [run.n, run]));
    for (const n of asked) {
      const run = byN.get(n);
      if (!run || run.job.cause === null) continue;
      const before = dealt.get(run.job.n) ?? UNDEALT;
      dealt.set(run.job.n, changed(before, what, now));
      if (checks.offline) waiting.add(n);
    }
    everyone();
  };

  const door: Door = {
    ...inner,
    async watch(name, takes, onChange) {
      if (name === 'status') {
        const line = {
          tell: onChange as (status: SyncStatus) => void,
          last: null as SyncStatus | null,
        };
        statuses.add(line);
        const far = await inner.watch('status', {}, (status) => {
          line.last = status;
          line.tell(statusOf(status));
        });
        return {
          change: () => {},
          close: () => {
            statuses.delete(line);
            far.close();
          },
        };
      }
      if (name !== 'runs') return inner.watch(name, takes, onChange);
      const line = {
        takes: takes as RunsWatch,
        held: null,
        tell: onChange as unknown as (view: RunsView) => void,
      };
      await later(checks.slowMs);
      watching.add(line);
      line.tell(answer(line));
      return {
        change: (next) => {
          line.takes = next as RunsWatch;
          queueMicrotask(() => {
            if (watching.has(line)) line.tell(answer(line));
          });
        },
        close: () => {
          watching.delete(line);
        },
      };
    },
    async send(name, input) {
      await later(15);
      if (checks.refuse) return failed({ kind: 'storage', message: MESSAGES.storage });
      const given = input as {
        readonly id?: string;
        readonly ids?: readonly number[];
        readonly change: Change;
      };
      change(given.ids ?? [Number(given.id)], given.change);
      return ok({ id: name, sent: !checks.offline });
    },
    async ask(name, input) {
      if (name !== 'getExecution') return inner.ask(name, input);
      await later(180);
      if (checks.offline) return failed({ kind: 'needs-network', message: MESSAGES.needsNetwork });
      const run = runs.find(({ n }) => n === Number((input as { readonly id: string }).id));
      return run
        ? ok(executionOf(run, dealt, now) as never)
        : failed({ kind: 'not-found', message: MESSAGES.notFound });
    },
    async read(name, input) {
      const said = await door.ask(name, input);
      return said.ok ? ok({ value: said.value, at: now, live: true }) : said;
    },
    matching: (filter) => Promise.resolve(listed(runs, filter, dealt, now).map(({ n }) => n)),
  };
  return {
    door,
    play: {
      arrive(count) {
        for (let i = 0; i < count; i += 1) {
          const job = jobs.find(
            (one) =>
              one.cause === null && !runs.some((run) => run.job.n === one.n && run.n > 5_000_000),
          );
          if (!job) return;
          const failing: Job = { ...job, cause: 0, days: 1, hour: 0 };
          jobs[job.n] = failing;
          runs.unshift({ n: 5_000_001 + job.n, job: failing, ago: 0, state: 'Failed' });
        }
        everyone();
      },
    },
  };
}

function freshOf(kept: readonly Lean[], live: readonly Lean[]): number {
  const had = new Set(kept.map(({ n }) => n));
  return live.filter(({ n }) => !had.has(n)).length;
}

const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const any = <T>(list: readonly T[], value: T): boolean => list.length === 0 || list.includes(value);
const iso = (at: number): string => new Date(at).toISOString();
const reviewed = (run: Lean, dealt: ReadonlyMap<number, Dealt>, now: number) =>
  reviewOf(run.state, run.ago, run.job, dealt.get(run.job.n) ?? UNDEALT, now);

function listed(
  runs: readonly Lean[],
  filter: RunsFilter,
  dealt: ReadonlyMap<number, Dealt>,
  now: number,
): readonly Lean[] {
  const seen = new Set<number>();
  const text = filter.text.toLowerCase();
  const found = runs.filter((run) => {
    const { job } = run;
    const startedAt = now - run.ago * DAY - job.hour * 3_600_000 - (job.n % 60) * 60_000;
    if (
      (filter.from !== null && startedAt < filter.from) ||
      (filter.to !== null && startedAt >= filter.to)
    )
      return false;
    if (filter.rows === 'jobs') {
      if (seen.has(job.n)) return false;
      seen.add(job.n);
    }
    const cause =
      job.cause !== null && run.ago < job.days ? job.cause : run.state === 'Warning' ? 4 : -1;
    return (
      (filter.review === null || reviewed(run, dealt, now) === filter.review) &&
      any(filter.states, run.state) &&
      any(filter.companies, job.company + 1) &&
      any(filter.sources, job.source) &&
      any(filter.types, job.type) &&
      any(filter.instructionTypes, 'other') &&
      any(filter.servers, job.type === 'M365' ? 'M365' : job.computer) &&
      any(filter.causes, cause + 1) &&
      any(filter.jobs, job.n + 1) &&
      (filter.kinds.length === 0 ||
        (cause >= 0 && filter.kinds.includes(CAUSES[cause]?.kind ?? 'other'))) &&
      (filter.managed === null || job.managed === filter.managed) &&
      (text === '' ||
        `${job.name} ${job.computer} ${COMPANIES[job.company] ?? ''} ${cause >= 0 ? (CAUSES[cause]?.say('', job.n) ?? '') : ''}`
          .toLowerCase()
          .includes(text))
    );
  });
  const at = (run: Lean): number =>
    run.ago * DAY + run.job.hour * 3_600_000 + (run.job.n % 60) * 60_000;
  return arranged(
    found.sort((a, b) => at(a) - at(b) || b.n - a.n),
    filter,
    ({ state }) => state,
    ({ n, job, ago, state }) => viewOf(n, job, ago, state, dealt.get(job.n) ?? UNDEALT, now, false),
  );
}

function facetsOf(
  runs: readonly Lean[],
  filter: RunsFilter,
  dealt: ReadonlyMap<number, Dealt>,
  now: number,
): RunsFacets {
  const count = <T>(without: Partial<RunsFilter>, values: readonly T[], of: (run: Lean) => T) => {
    const counts = new Map<T, number>();
    for (const run of listed(
      runs,
      { ...filter, ...without, order: 'newest', reverse: false, group: null },
      dealt,
      now,
    ))
      counts.set(of(run), (counts.get(of(run)) ?? 0) + 1);
    return values.map((value) => ({ value, count: counts.get(value) ?? 0 }));
  };
  const causeOf = (run: Lean): number =>
    run.job.cause !== null && run.ago < run.job.days
      ? run.job.cause
      : run.state === 'Warning'
        ? 4
        : -1;
  return {
    review: count({ review: null }, REVIEW_STATES, (run) => reviewed(run, dealt, now)),
    states: count({ states: [] }, RUN_STATES, (run) => run.state),
    kinds: count(
      { kinds: [] },
      PROBLEM_KINDS,
      (run) => CAUSES[causeOf(run)]?.kind ?? ('none' as never),
    ),
    companies: count(
      { companies: [] },
      COMPANIES.map((_, i) => i + 1),
      (run) => run.job.company + 1,
    )
      .filter((one) => one.count > 0)
      .sort((a, b) => b.count - a.count)
      .map((one) => ({ ...one, name: COMPANIES[one.value - 1] ?? '' })),
    sources: count({ sources: [] }, SOURCES, (run) => run.job.source),
    types: count({ types: [] }, JOB_TYPES, (run) => run.job.type),
    managed: count({ managed: null }, [true, false, null], (run) => run.job.managed),
    anomaly: count({}, [true, false], (run) => run.state === 'Anomaly'),
    causes: count(
      { causes: [] },
      CAUSES.map((_, i) => i + 1),
      (run) => causeOf(run) + 1,
    )
      .filter((one) => one.count > 0)
      .map((one) => ({ ...one, template: CAUSES[one.value - 1]?.template ?? '' })),
  };
}

function changed(before: Dealt, change: Change, now: number): Dealt {
  switch (change.is) {
    case 'review':
      return { ...before, review: { ...ME, at: now, comment: change.comment }, snooze: null };
    case 'not-anomaly':
      return { ...before, review: { ...ME, at: now, comment: null }, snooze: null };
    case 'reopen':
      return { ...before, review: null };
    case 'note':
      return {
        ...before,
        note: change.content === null ? null : { ...ME, at: now, content: change.content },
      };
    case 'snooze':
      return { ...before, snooze: { ...ME, at: now, until: change.until, reason: change.reason } };
    case 'wake':
      return { ...before, snooze: null };
    case 'ticket':
      return before;
  }
}

const OBJECTS: Execution['tasks'] = Array.from({ length: 12 }, (_, i) => ({
  name: `VM-${i + 1}`,
  status: i === 0 ? 'Failed' : 'Success',
  startTime: null,
  durationSec: 60 + i,
  bytesTransferred: i * 1e8,
  bytesProcessed: null,
  message: i === 0 ? 'No route to host' : null,
}));

function executionOf(run: Lean, dealt: ReadonlyMap<number, Dealt>, now: number): Execution {
  const row = viewOf(
    run.n,
    run.job,
    run.ago,
    run.state,
    dealt.get(run.job.n) ?? UNDEALT,
    now,
    false,
  );
  const time = (s: number): string => iso(row.startedAt + s * 1000).slice(11, 19);
  const more = Array.from(
    { length: run.n % 3 ? 0 : 200 },
    (_, i) => `${time(60 + i)} Object ${i} of 200 done`,
  );
  return {
    _id: String(run.n),
    mongo_id: String(run.n),
    jobInstanceUid: `job-${run.job.n}`,
    jobName: row.jobName,
    companyName: row.companyName,
    computerName: row.computer,
    serverName: '',
    source: row.source,
    type: row.type,
    entityGroup: 'other',
    managed: row.managed,
    scheduleState: row.scheduleState,
    status: row.status,
    startTime: iso(row.startedAt),
    endTime: null,
    durationSec: row.durationSec,
    bytesTransferred: row.bytes,
    bytesProcessed: row.bytes,
    filesTotal: 12_403,
    filesFailed: 0,
    exitCode: 1,
    message: row.message,
    scheduledFor: row.status === 'Failed' ? iso(row.startedAt - 12 * 60_000) : null,
    level: row.status === 'Failed' ? 'Incremental' : null,
    errorCount: row.status === 'Failed' ? 3 : null,
    warningCount: row.status === 'Failed' ? 1204 : null,
    anomaly: [],
    note: null,
    ignoredUntil: null,
    ignoredReason: null,
    state: row.review,
    problem: null,
    expectedAt: iso(row.startedAt + DAY),
    lastSuccessAt: null,
    detail: {},
    log:
      row.status === 'Missed'
        ? null
        : [
            `${time(4)} Job started, 4 objects`,
            ...more,
            `${time(78)} Connecting to host on port 6160`,
            `${time(980)} Retry 1 of 3 in 300 s`,
            `${time(1882)} ${row.message ?? 'Job finished'}`,
          ].join('\n'),
    tasks: row.status === 'Failed' ? OBJECTS : [],
    history: [
      ...(row.problem?.review
        ? [
            {
              at: iso(row.problem.review.at),
              who: row.problem.review.name,
              what: 'Reviewed' as const,
              comment: row.problem.review.comment,
              until: null,
            },
          ]
        : []),
      {
        at: iso(now - 2 * DAY),
        who: 'J. Lindqvist',
        what: 'Note',
        comment: 'Host is being moved to the new rack, client back Monday.',
        until: null,
      },
    ],
  };
}
