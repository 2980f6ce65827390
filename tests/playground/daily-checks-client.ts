import { MESSAGES } from '#contract/messages.ts';
import type { Change } from '#contract/runs/change.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { RunsFacets, RunsFilter, RunsView } from '#contract/runs/query.ts';
import { failed, ok } from '#contract/result.ts';
import type { WorkerClient, RunsWatch, SyncStatus } from '#workers/api.ts';
import { getJob, getState, UNDEALT, getView } from './daily-checks-data.ts';
import type { Dealt, Job } from './daily-checks-data.ts';
import { getFacets, getFresh, listed, reviewed } from './daily-checks-filter.ts';
import type { Lean } from './daily-checks-filter.ts';
import { getLines } from './daily-checks-groups.ts';

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
  readonly error: string | null;
  readonly refuse: boolean;
}
const USUAL: Checks = {
  runs: 10_000,
  jobs: 1_000,
  cleared: 'most',
  offline: false,
  loadedDays: 30,
  slowMs: 0,
  error: null,
  refuse: false,
};
const DAY = 86_400_000;
const ME = { by: 'u1', name: 'Dana Reyes' };

/**
 * A client whose runs answer as the worker's do: filters, exact facets, held lists, optimistic
 * changes. Everything else is the given client.
 */
export function makeDailyChecksClient(
  inner: WorkerClient,
  now: number,
  json: string | null,
): { readonly client: WorkerClient; readonly play: { arrive(count: number): void } } {
  const checks: Checks = { ...USUAL, ...(JSON.parse(json ?? '{}') as Partial<Checks>) };
  const jobs = Array.from({ length: checks.jobs }, (_, n) => getJob(n));
  const runs: Lean[] = [];
  for (let ago = 0; runs.length < checks.runs && ago < 400; ago += 1) {
    for (const job of jobs) {
      const state = getState(job, ago);
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
    readonly onChange: (view: RunsView) => void;
  }>();
  const statuses = new Set<{
    readonly onChange: (status: SyncStatus) => void;
    last: SyncStatus | null;
  }>();
  let version = 0;
  const getStatus = (base: SyncStatus): SyncStatus => ({
    ...base,
    ...(checks.offline && {
      kind: 'offline' as const,
      offlineSince: now + 6 * 60_000 - 12 * 60_000,
      syncedAt: now - 12 * 60_000,
    }),
    error: checks.error,
    waiting: base.waiting + waiting.size,
  });
  const everyone = (): void => {
    version += 1;
    for (const one of watching) one.onChange(answer(one));
    for (const one of statuses) if (one.last) one.onChange(getStatus(one.last));
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
    const made = { version, live, problems, progress, facets: getFacets(runs, filter, dealt, now) };
    worked.set(JSON.stringify(filter), made);
    return made;
  };
  const answer = (one: {
    takes: RunsWatch;
    held: { key: string; ids: readonly Lean[] } | null;
  }): RunsView => {
    const { filter, window, isInUse, folded, round } = one.takes;
    const key = JSON.stringify([filter, round]);
    const { live, problems, progress, facets } = known(filter);
    const stored = isInUse && one.held?.key === key ? one.held.ids : live;
    one.held = { key, ids: stored };
    const toView = ({ n, job, ago, state }: Lean) =>
      getView(n, job, ago, state, dealt.get(job.n) ?? UNDEALT, now, waiting.has(n));
    const { lines, heads, rows } = getLines(stored, problems, filter, folded, window, toView);
    return structuredClone({
      total: stored.length,
      lines,
      heads,
      first: window.first,
      rows: rows.map(toView),
      facets,
      progress,
      fresh: stored === live ? 0 : getFresh(stored, live),
      newestAt: runs.length === 0 ? null : now - 60_000,
      loaded: { days: checks.loadedDays, of: 30 },
      version,
      committedAt: version === 0 ? null : now,
    });
  };
  const change = (request: readonly number[], what: Change): void => {
    const byN = new Map(runs.map((run) => [run.n, run]));
    for (const n of request) {
      const run = byN.get(n);
      if (!run || run.job.cause === null) continue;
      const before = dealt.get(run.job.n) ?? UNDEALT;
      dealt.set(run.job.n, changed(before, what, now));
      if (checks.offline) waiting.add(n);
    }
    everyone();
  };

  const client: WorkerClient = {
    ...inner,
    async watch(name, takes, onChange) {
      if (name === 'status') {
        const line = {
          onChange: onChange as (status: SyncStatus) => void,
          last: null as SyncStatus | null,
        };
        statuses.add(line);
        const far = await inner.watch('status', {}, (status) => {
          line.last = status;
          line.onChange(getStatus(status));
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
        onChange: onChange as unknown as (view: RunsView) => void,
      };
      await later(checks.slowMs);
      watching.add(line);
      line.onChange(answer(line));
      return {
        change: (next) => {
          line.takes = next as RunsWatch;
          queueMicrotask(() => {
            if (watching.has(line)) line.onChange(answer(line));
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
      const supplied = input as {
        readonly id?: string;
        readonly ids?: readonly number[];
        readonly change: Change;
      };
      change(supplied.ids ?? [Number(supplied.id)], supplied.change);
      return ok({ id: name, sent: !checks.offline });
    },
    async ask(name, input) {
      if (name !== 'getExecution') return inner.ask(name, input);
      await later(180);
      if (checks.offline) return failed({ kind: 'needs-network', message: MESSAGES.needsNetwork });
      const run = runs.find(({ n }) => n === Number((input as { readonly id: string }).id));
      return run
        ? ok(getExecution(run, dealt, now) as never)
        : failed({ kind: 'not-found', message: MESSAGES.notFound });
    },
    async read(name, input) {
      const said = await client.ask(name, input);
      return said.ok ? ok({ value: said.value, at: now, live: true }) : said;
    },
    matching: (filter) => Promise.resolve(listed(runs, filter, dealt, now).map(({ n }) => n)),
  };
  return {
    client,
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

const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const iso = (at: number): string => new Date(at).toISOString();

function changed(before: Dealt, change: Change, now: number): Dealt {
  switch (change.kind) {
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
    case 'unsnooze':
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

function getExecution(run: Lean, dealt: ReadonlyMap<number, Dealt>, now: number): Execution {
  const row = getView(
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
    isLogDeleted: false,
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
    historyArchivedUntil: null,
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
