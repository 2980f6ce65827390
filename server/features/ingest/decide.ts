import type { NewEvent, Event, Logged } from '#contract/events.ts';
import { fold, type Id } from '#contract/fold.ts';
import type { Tables } from '#contract/tables.ts';
import type { CauseN, JobN, Ms, ProblemN, RunN } from '#contract/ids.ts';
import {
  anomaliesOf,
  anomalyText,
  type Facts,
  type Next,
  problemOf,
  step,
} from '#contract/problems/judge.ts';
import type { JobRow, KeyRow, RunRow } from '#contract/runs/rows.ts';
import type { Task } from '#contract/runs/task.ts';
import { jobChange, newJob } from './job-changes.ts';
import type { Normal } from './normalize.ts';
import { isKnown, plannedOf, resultOf } from './run-result.ts';

/** The state before a decision, and the next free numbers. Decisions update the maps of rows. */
export interface DecisionState {
  readonly job: Map<Id, Tables['job']>;
  readonly stat: Map<Id, Tables['stat']>;
  readonly run: Map<Id, Tables['run']>;
  readonly problem: Map<Id, Tables['problem']>;
  readonly cause: Map<Id, Tables['cause']>;
  readonly jobByUid: Map<string, JobN>;
  readonly runByUid: Map<string, RunN>;
  /** `<job> <start>` of posted runs; missed runs are never included. */
  readonly runByStart: Map<string, RunN>;
  readonly causeByName: Map<string, CauseN>;
  /** The logs of running runs. */
  readonly logged: ReadonlyMap<RunN, string>;
  readonly next: { job: JobN; run: RunN; problem: ProblemN; cause: CauseN };
}

export interface Decision {
  readonly drafts: readonly NewEvent[];
  readonly logs: readonly RunLog[];
  readonly tasks: readonly TasksOf[];
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}

/** The log of a run. With `longest`, it replaces the stored log only if it is longer. */
export interface RunLog {
  readonly run: RunN;
  readonly body: string;
  readonly longest?: boolean;
}

/** The results of a run's objects. */
export interface TasksOf {
  readonly run: RunN;
  readonly tasks: readonly Task[];
}

export const startName = (job: JobN, startedAt: Ms): string => `${job} ${startedAt}`;
/**
 * Returns the ids of a run that are derived from its text (RUN-9): the id of the current ten-minute
 * window first. The second one finds the same text of the previous window.
 */
export function bodyUids(bodyId: string, at: Ms): readonly [now: string, before: string] {
  const turn = Math.floor(at / REPEATED);
  return [`body:${bodyId}@${turn}`, `body:${bodyId}@${turn - 1}`];
}
/**
 * Within this time, the same text without an id or time is a repetition, for example by `curl
 * --retry`.
 */
export const REPEATED: Ms = 10 * 60_000;

/** Returns the id of a run whose source gave it none. */
export const uidOf = (job: JobN, startedAt: Ms): string =>
  `job:${job}@${new Date(startedAt).toISOString()}`;
export const causeName = (kind: string, template: string): string => `${kind} ${template}`;

/**
 * RUN-2 and RUN-6: turns posted results into events. Results are processed in order of their start,
 * so the same results in any order and any number of requests identify the same runs. Pure except
 * for updating `ground`.
 */
export function decide(
  ground: DecisionState,
  key: KeyRow,
  executions: readonly Normal[],
  at: Ms,
): Decision {
  const drafts: NewEvent[] = [];
  const logs: RunLog[] = [];
  const tasks: TasksOf[] = [];
  const rejected: { index: number; error: string }[] = [];
  let duplicates = 0;
  const say: Say = (company, entity, event) => {
    const draft: NewEvent = { event, company, entity };
    drafts.push(draft);
    fold(ground, {
      ...draft,
      seq: 0,
      at,
      actor: { is: 'source', id: key.id },
      subject: null,
      commandId: null,
    } satisfies Logged);
  };
  for (const one of inOrder(executions, at)) {
    if (one.listed && runNamed(ground, one) !== undefined) {
      duplicates += 1;
      continue;
    }
    const job = jobFor(ground, key, one, say);
    const match = matchOf(ground, job, one, at);
    if (one.listed && match.is === 'run') {
      duplicates += 1;
      continue;
    }
    if (match.is === 'foreign') {
      rejected.push({ index: one.index, error: 'externalId: names a run of another job' });
      continue;
    }
    const ended = match.is === 'run' && match.run.status !== 'Running';
    const answer =
      one.status === 'Running'
        ? start(ground, key, job, one, match, at, say)
        : finish(ground, key, job, one, match, at, say);
    if (answer === null) duplicates += 1;
    if (answer !== null && one.log !== null) {
      const before = ground.logged.get(answer);
      logs.push({
        run: answer,
        body: before === undefined ? one.log : `${before}\n${one.log}`,
        ...(ended && { longest: true }),
      });
    }
    if (answer !== null && one.tasks.length > 0) tasks.push({ run: answer, tasks: one.tasks });
  }
  const accepted = executions.length - duplicates - rejected.length;
  return { drafts, logs, tasks, accepted, duplicates, rejected };
}

/** Emits an event: adds it to the drafts and updates the state for the following decisions. */
export type Say = (company: number | null, entity: string, event: Event) => void;

/**
 * Advances the problem of a job (RUN-6) and returns the problem that the run belongs to. It first
 * emits what a new problem needs: its cause and the end of the previous one.
 */
export function stepProblem(
  ground: DecisionState,
  job: JobRow,
  run: RunN,
  startedAt: Ms,
  next: (Exclude<Next, 'started'> & object) | null,
  kind: Tables['cause']['kind'],
  say: Say,
): ProblemN | null {
  const current = job.problem === null ? null : (ground.problem.get(job.problem) ?? null);
  const move = step(
    current,
    current === null ? null : (ground.cause.get(current.cause)?.template ?? null),
    next,
  );
  if (move === 'same') return current?.n ?? null;
  if (current !== null && (move === 'close' || move === 'open')) {
    say(job.company, `problem:${current.n}`, {
      type: 'problem.closed@1',
      data: { n: current.n, job: job.n, by: move === 'close' ? 'success' : 'changed' },
    });
  }
  if (move !== 'open' || next === null) return null;
  const name = causeName(kind, next.template);
  let cause = ground.causeByName.get(name);
  if (cause === undefined) {
    cause = ground.next.cause++;
    ground.causeByName.set(name, cause);
    say(null, `cause:${cause}`, {
      type: 'cause.found@1',
      data: { n: cause, template: next.template, kind },
    });
  } else if (!ground.cause.has(cause)) {
    // The cause existed before this request, and the next result of the same job must find it by
    // its number.
    ground.cause.set(cause, { n: cause, template: next.template, kind });
  }
  const n = ground.next.problem++;
  say(job.company, `problem:${n}`, {
    type: 'problem.opened@1',
    data: { n, job: job.n, company: job.company, cause, state: next.state, run, startedAt },
  });
  return n;
}

const inOrder = (executions: readonly Normal[], at: Ms): Normal[] =>
  [...executions].sort(
    (a, b) =>
      (a.startedAt ?? at) - (b.startedAt ?? at) ||
      Number(a.status !== 'Running') - Number(b.status !== 'Running') ||
      a.index - b.index,
  );

function jobFor(ground: DecisionState, key: KeyRow, one: Normal, say: Say): JobRow {
  const n = ground.jobByUid.get(one.job.uid);
  const known = n === undefined ? undefined : ground.job.get(n);
  if (known === undefined) {
    const fresh = ground.next.job++;
    ground.jobByUid.set(one.job.uid, fresh);
    say(key.company, `job:${fresh}`, { type: 'job.found@1', data: newJob(fresh, key, one.job) });
    return ground.job.get(fresh) as JobRow;
  }
  const changed = jobChange(known, one.job);
  if (changed !== null)
    say(known.company, `job:${known.n}`, { type: 'job.changed@1', data: changed });
  return ground.job.get(known.n) as JobRow;
}

type Match =
  | { readonly is: 'none'; readonly startedAt: Ms }
  | { readonly is: 'run'; readonly run: RunRow }
  | { readonly is: 'foreign' };

/**
 * RUN-2: returns the run that a result is about, identified by the id from its source or by its job
 * and start.
 */
function matchOf(ground: DecisionState, job: JobRow, one: Normal, at: Ms): Match {
  const repeated = one.bodyId == null ? undefined : repeatedRun(ground, job, one.bodyId, at);
  if (repeated) return { is: 'run', run: repeated };
  const byName = runNamed(ground, one);
  if (byName) return byName.job === job.n ? { is: 'run', run: byName } : { is: 'foreign' };
  if (one.startedAt === null) {
    const running =
      one.externalId === null && one.status !== 'Running'
        ? runAt(ground, ground.stat.get(job.n)?.running ?? undefined)
        : undefined;
    return running?.status === 'Running'
      ? { is: 'run', run: running }
      : { is: 'none', startedAt: at };
  }
  const byStart = runAt(ground, ground.runByStart.get(startName(job.n, one.startedAt)));
  // Two runs with different ids from their source are different, even with the same start.
  if (byStart && (one.externalId === null || byStart.uid === uidOf(job.n, one.startedAt)))
    return { is: 'run', run: byStart };
  return { is: 'none', startedAt: one.startedAt };
}

/**
 * Returns the run stored under the id of a result. A short id is unique only among runs of about
 * the same time.
 */
function runNamed(
  ground: DecisionState,
  { externalId, shortId, startedAt }: Normal,
): RunRow | undefined {
  const run = externalId === null ? undefined : runAt(ground, ground.runByUid.get(externalId));
  if (run || shortId === undefined || startedAt === null) return run;
  const short = runAt(ground, ground.runByUid.get(shortId));
  return short && Math.abs(short.startedAt - startedAt) <= SHORT_ID_WINDOW_MS ? short : undefined;
}

const SHORT_ID_WINDOW_MS: Ms = 24 * 3_600_000;

const runAt = (ground: DecisionState, n: RunN | undefined): RunRow | undefined =>
  n === undefined ? undefined : ground.run.get(n);

/**
 * A listed run is stored under its short id, so that the run's own result finds it in either
 * spelling.
 */
const freeShortId = (ground: DecisionState, { listed, shortId }: Normal): string | undefined =>
  listed && shortId !== undefined && !ground.runByUid.has(shortId) ? shortId : undefined;

/** Returns a recent run with the same text. Its end is the time when that text arrived. */
function repeatedRun(
  ground: DecisionState,
  job: JobRow,
  bodyId: string,
  at: Ms,
): RunRow | undefined {
  return bodyUids(bodyId, at)
    .map((uid) => runAt(ground, ground.runByUid.get(uid)))
    .find((run) => run?.job === job.n && at - (run.endedAt ?? run.startedAt) < REPEATED);
}

interface Named {
  readonly n: RunN;
  readonly job: JobN;
  readonly company: number;
  readonly key: string;
  readonly uid: string;
  readonly startedAt: Ms;
}

function name(
  ground: DecisionState,
  key: KeyRow,
  job: JobRow,
  one: Normal,
  startedAt: Ms,
  at: Ms,
): Named {
  const n = ground.next.run++;
  const byBody = one.bodyId == null ? null : bodyUids(one.bodyId, at)[0];
  const named =
    one.externalId ?? (byBody !== null && ground.runByUid.has(byBody) ? `${byBody}#${n}` : byBody);
  // An arrival time does not identify a run, because two results can arrive in one millisecond.
  const uid =
    freeShortId(ground, one) ??
    named ??
    (one.startedAt === null ? `${uidOf(job.n, startedAt)}#${n}` : uidOf(job.n, startedAt));
  ground.runByUid.set(uid, n);
  ground.runByStart.set(startName(job.n, startedAt), n);
  return { n, job: job.n, company: job.company, key: key.id, uid, startedAt };
}

function start(
  ground: DecisionState,
  key: KeyRow,
  job: JobRow,
  one: Normal,
  match: Exclude<Match, { is: 'foreign' }>,
  at: Ms,
  say: Say,
): RunN | null {
  if (match.is === 'run') return null;
  if (one.startedAt === null && one.externalId === null) {
    const running = runAt(ground, ground.stat.get(job.n)?.running ?? undefined);
    if (running?.status === 'Running' && running.uid.startsWith(uidOf(job.n, running.startedAt))) {
      if (match.startedAt - running.startedAt < AGAIN) return null;
      // The earlier start can no longer be paired, because a finish without an id belongs to the
      // latest start.
      finish(
        ground,
        key,
        job,
        { ...one, status: 'Failed', message: ABANDONED, log: null, tasks: [] },
        { is: 'run', run: running },
        at,
        say,
      );
      return start(ground, key, ground.job.get(job.n) ?? job, one, match, at, say);
    }
  }
  const current = job.problem === null ? null : (ground.problem.get(job.problem) ?? null);
  if (
    current?.state === 'Missed' &&
    !isLate(ground, job, match.startedAt) &&
    step(current, null, 'started') === 'close'
  ) {
    say(job.company, `problem:${current.n}`, {
      type: 'problem.closed@1',
      data: { n: current.n, job: job.n, by: 'changed' },
    });
  }
  const data = { ...name(ground, key, job, one, match.startedAt, at), ...plannedOf(one) };
  say(job.company, `run:${data.n}`, { type: 'run.started@1', data });
  return data.n;
}

/** A repeated start within this time is the same run. */
const AGAIN: Ms = 60_000;
export const ABANDONED = 'No result since the start';

/** A run that begins at most this long before its expected time is not missed. */
const EARLY: Ms = 10 * 60_000;

/**
 * Returns whether a newer run of the job is known. A late result is stored, but does not change the
 * current state of the job.
 */
function isLate(ground: DecisionState, job: JobRow, startedAt: Ms): boolean {
  const current = job.problem === null ? undefined : ground.problem.get(job.problem);
  if (current?.state === 'Missed' && startedAt < current.lastAt - EARLY) return true;
  return (ground.stat.get(job.n)?.starts ?? []).some((other) => other > startedAt);
}

function finish(
  ground: DecisionState,
  key: KeyRow,
  job: JobRow,
  one: Normal,
  match: Exclude<Match, { is: 'foreign' }>,
  at: Ms,
  say: Say,
): RunN | null {
  const again = match.is === 'run' ? match.run : null;
  const startedAt = match.is === 'run' ? match.run.startedAt : match.startedAt;
  const result = resultOf(one, again, startedAt, at);
  if (again !== null && again.status !== 'Running' && isKnown(again, result, one)) return null;
  const named =
    again === null
      ? name(ground, key, job, one, startedAt, at)
      : { n: again.n, job: job.n, company: job.company, key: key.id, uid: again.uid, startedAt };
  const facts: Facts = { ...result, names: [job.computer, job.server] };
  const stat = ground.stat.get(job.n);
  const anomaly = stat ? anomaliesOf(facts, stat) : [];
  const trouble = problemOf(facts, anomaly);
  const problem = isLate(ground, job, startedAt)
    ? trouble === null
      ? null
      : (job.problem ?? openAndShut(ground, job, named.n, startedAt, trouble, say))
    : stepProblem(ground, job, named.n, startedAt, trouble, trouble?.kind ?? 'other', say);
  const well = result.status === 'Success';
  say(job.company, `run:${named.n}`, {
    type: 'run.finished@1',
    data: {
      ...named,
      ...result,
      message: well ? anomalyText(anomaly) : result.message,
      anomaly,
      problem,
      hasLog: one.log !== null || (again?.hasLog ?? false) || ground.logged.has(named.n),
      detail:
        well && result.message !== null
          ? { ...result.detail, message: result.message }
          : result.detail,
      ...(again !== null && again.status !== 'Running' && { corrects: { problem: again.problem } }),
    },
  });
  return named.n;
}

/** Opens and closes a problem, for a failure that was reported after a later success. */
function openAndShut(
  ground: DecisionState,
  job: JobRow,
  run: RunN,
  startedAt: Ms,
  trouble: NonNullable<ReturnType<typeof problemOf>>,
  say: Say,
): ProblemN | null {
  const n = stepProblem(ground, job, run, startedAt, trouble, trouble.kind, say);
  if (n !== null)
    say(job.company, `problem:${n}`, {
      type: 'problem.closed@1',
      data: { n, job: job.n, by: 'success' },
    });
  return n;
}
