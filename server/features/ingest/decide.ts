import type { Tables } from '#contract/tables.ts';
import type { JobN, KeyId, Ms, ProblemN, RunN } from '#contract/ids.ts';
import {
  getAnomalies,
  anomalyText,
  type ResultFacts,
  type Next,
  getProblem,
  step,
} from '#contract/problems/judge.ts';
import type { JobRow, IngestKeyRow, RunRow } from '#contract/runs/rows.ts';
import type { Task } from '#contract/runs/task.ts';
import type { EventMeta } from '../../platform/db/store.ts';
import {
  type DecidedResults,
  type Deciding,
  type DecisionState,
  makeDeciding,
} from './decision-state.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';
import { jobChange, newJob } from './job-changes.ts';
import type { Normal } from './normalize.ts';
import { isKnown, getPlannedRun, mergeResult } from './run-result.ts';

/** What posted results become, besides events. */
export interface PostedResults {
  readonly logs: readonly RunLog[];
  readonly tasks: readonly TasksOf[];
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly error: string }[];
}
export interface Decision extends DecidedResults, PostedResults {}

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
export const getUid = (job: JobN, startedAt: Ms): string =>
  `job:${job}@${new Date(startedAt).toISOString()}`;
export const causeName = (kind: string, template: string): string => `${kind} ${template}`;

/**
 * RUN-2 and RUN-6: turns posted results into events, and the state before them into the state
 * after. Results are processed in order of their start, so the same results in any order and any
 * number of requests identify the same runs. Pure: it changes nothing that it is given.
 */
export function decide(
  before: DecisionState,
  key: IngestKeyRow,
  executions: readonly Normal[],
  by: EventMeta,
): Decision {
  const deciding = makeDeciding(before, by);
  const results = decideResults(deciding, key, executions, by.at);
  return { ...deciding.decided(), ...results };
}

/** The same as a part of a decision. */
export function decideResults(
  deciding: Deciding,
  key: IngestKeyRow,
  executions: readonly Normal[],
  at: Ms,
): PostedResults {
  const logs: RunLog[] = [];
  const tasks: TasksOf[] = [];
  const rejected: { index: number; error: string }[] = [];
  let duplicates = 0;
  for (const one of inOrder(executions, at)) {
    if (one.listed && runNamed(deciding, one) !== undefined) {
      duplicates += 1;
      continue;
    }
    const job = jobFor(deciding, key, one);
    const match = findMatch(deciding, job, one, at);
    if (one.listed && match.kind === 'run') {
      duplicates += 1;
      continue;
    }
    if (match.kind === 'foreign') {
      rejected.push({ index: one.index, error: `externalId: ${t.otherJob}` });
      continue;
    }
    const ended = match.kind === 'run' && match.run.status !== 'Running';
    const answer =
      one.status === 'Running'
        ? start(deciding, key, job, one, match, at)
        : finish(deciding, key, job, one, match, at);
    if (answer === null) duplicates += 1;
    if (answer !== null && one.log !== null) {
      const before = deciding.logged.get(answer);
      logs.push({
        run: answer,
        body: before === undefined ? one.log : `${before}\n${one.log}`,
        ...(ended && { longest: true }),
      });
    }
    if (answer !== null && one.tasks.length > 0) tasks.push({ run: answer, tasks: one.tasks });
    if (answer !== null && deciding.key.get(key.id)?.firstResultAt === null)
      deciding.emit(key.company, `key:${key.id}`, {
        type: 'key.firstResultReceived@1',
        data: { id: key.id },
      });
  }
  const accepted = executions.length - duplicates - rejected.length;
  return { logs, tasks, accepted, duplicates, rejected };
}

/**
 * Advances the problem of a job (RUN-6) and returns the problem that the run belongs to. It first
 * emits what a new problem needs: its cause and the end of the previous one.
 */
export function stepProblem(
  deciding: Deciding,
  job: JobRow,
  run: RunN,
  startedAt: Ms,
  next: (Exclude<Next, 'started'> & object) | null,
  kind: Tables['cause']['kind'],
): ProblemN | null {
  const current = job.problem === null ? null : (deciding.problem.get(job.problem) ?? null);
  const move = step(
    current,
    current === null ? null : (deciding.cause.get(current.cause)?.template ?? null),
    next,
  );
  if (move === 'same') return current?.n ?? null;
  if (current !== null && (move === 'close' || move === 'open')) {
    deciding.emit(job.company, `problem:${current.n}`, {
      type: 'problem.closed@1',
      data: { n: current.n, job: job.n, by: move === 'close' ? 'success' : 'changed' },
    });
  }
  if (move !== 'open' || next === null) return null;
  const name = causeName(kind, next.template);
  let cause = deciding.causeByName.get(name);
  if (cause === undefined) {
    cause = deciding.next.cause++;
    deciding.causeByName.set(name, cause);
    deciding.emit(null, `cause:${cause}`, {
      type: 'cause.found@1',
      data: { n: cause, template: next.template, kind },
    });
  }
  const n = deciding.next.problem++;
  deciding.emit(job.company, `problem:${n}`, {
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

function jobFor(deciding: Deciding, key: IngestKeyRow, one: Normal): JobRow {
  const n = deciding.jobByUid.get(one.job.uid);
  const known = n === undefined ? undefined : deciding.job.get(n);
  if (known === undefined) {
    const fresh = deciding.next.job++;
    deciding.jobByUid.set(one.job.uid, fresh);
    deciding.emit(key.company, `job:${fresh}`, {
      type: 'job.found@1',
      data: newJob(fresh, key, one.job),
    });
    return deciding.job.get(fresh) as JobRow;
  }
  const changed = jobChange(known, one.job);
  if (changed !== null)
    deciding.emit(known.company, `job:${known.n}`, { type: 'job.updated@1', data: changed });
  return deciding.job.get(known.n) as JobRow;
}

type Match =
  | { readonly kind: 'none'; readonly startedAt: Ms }
  | { readonly kind: 'run'; readonly run: RunRow }
  | { readonly kind: 'foreign' };

/**
 * RUN-2: returns the run that a result is about, identified by the id from its source or by its job
 * and start.
 */
function findMatch(deciding: Deciding, job: JobRow, one: Normal, at: Ms): Match {
  const repeated = one.bodyId == null ? undefined : repeatedRun(deciding, job, one.bodyId, at);
  if (repeated) return { kind: 'run', run: repeated };
  const byName = runNamed(deciding, one);
  if (byName) return byName.job === job.n ? { kind: 'run', run: byName } : { kind: 'foreign' };
  if (one.startedAt === null) {
    const running =
      one.externalId === null && one.status !== 'Running'
        ? runAt(deciding, deciding.stat.get(job.n)?.running ?? undefined)
        : undefined;
    return running?.status === 'Running'
      ? { kind: 'run', run: running }
      : { kind: 'none', startedAt: at };
  }
  const byStart = runAt(deciding, deciding.runByStart.get(startName(job.n, one.startedAt)));
  // Two runs with different ids from their source are different, even with the same start.
  if (byStart && (one.externalId === null || byStart.uid === getUid(job.n, one.startedAt)))
    return { kind: 'run', run: byStart };
  return { kind: 'none', startedAt: one.startedAt };
}

/**
 * Returns the run stored under the id of a result. A short id is unique only among runs of about
 * the same time.
 */
function runNamed(
  deciding: Deciding,
  { externalId, shortId, startedAt }: Normal,
): RunRow | undefined {
  const run = externalId === null ? undefined : runAt(deciding, deciding.runByUid.get(externalId));
  if (run || shortId === undefined || startedAt === null) return run;
  const short = runAt(deciding, deciding.runByUid.get(shortId));
  return short && Math.abs(short.startedAt - startedAt) <= SHORT_ID_WINDOW_MS ? short : undefined;
}

const SHORT_ID_WINDOW_MS: Ms = 24 * 3_600_000;

const runAt = (deciding: Deciding, n: RunN | undefined): RunRow | undefined =>
  n === undefined ? undefined : deciding.run.get(n);

/**
 * A listed run is stored under its short id, so that the run's own result finds it in either
 * spelling.
 */
const freeShortId = (deciding: Deciding, { listed, shortId }: Normal): string | undefined =>
  listed && shortId !== undefined && deciding.runByUid.get(shortId) === undefined
    ? shortId
    : undefined;

/** Returns a recent run with the same text. Its end is the time when that text arrived. */
function repeatedRun(deciding: Deciding, job: JobRow, bodyId: string, at: Ms): RunRow | undefined {
  return bodyUids(bodyId, at)
    .map((uid) => runAt(deciding, deciding.runByUid.get(uid)))
    .find((run) => run?.job === job.n && at - (run.endedAt ?? run.startedAt) < REPEATED);
}

interface Named {
  readonly n: RunN;
  readonly job: JobN;
  readonly company: number;
  readonly key: KeyId;
  readonly uid: string;
  readonly startedAt: Ms;
}

function name(
  deciding: Deciding,
  key: IngestKeyRow,
  job: JobRow,
  one: Normal,
  startedAt: Ms,
  at: Ms,
): Named {
  const n = deciding.next.run++;
  const byBody = one.bodyId == null ? null : bodyUids(one.bodyId, at)[0];
  const named =
    one.externalId ??
    (byBody !== null && deciding.runByUid.get(byBody) !== undefined ? `${byBody}#${n}` : byBody);
  // An arrival time does not identify a run, because two results can arrive in one millisecond.
  const uid =
    freeShortId(deciding, one) ??
    named ??
    (one.startedAt === null ? `${getUid(job.n, startedAt)}#${n}` : getUid(job.n, startedAt));
  deciding.runByUid.set(uid, n);
  deciding.runByStart.set(startName(job.n, startedAt), n);
  return { n, job: job.n, company: job.company, key: key.id, uid, startedAt };
}

function start(
  deciding: Deciding,
  key: IngestKeyRow,
  job: JobRow,
  one: Normal,
  match: Exclude<Match, { kind: 'foreign' }>,
  at: Ms,
): RunN | null {
  if (match.kind === 'run') return null;
  if (one.startedAt === null && one.externalId === null) {
    const running = runAt(deciding, deciding.stat.get(job.n)?.running ?? undefined);
    if (running?.status === 'Running' && running.uid.startsWith(getUid(job.n, running.startedAt))) {
      if (match.startedAt - running.startedAt < AGAIN) return null;
      // The earlier start can no longer be paired, because a finish without an id belongs to the
      // latest start.
      finish(
        deciding,
        key,
        job,
        { ...one, status: 'Failed', message: ABANDONED, log: null, tasks: [] },
        { kind: 'run', run: running },
        at,
      );
      return start(deciding, key, deciding.job.get(job.n) ?? job, one, match, at);
    }
  }
  const current = job.problem === null ? null : (deciding.problem.get(job.problem) ?? null);
  if (
    current?.state === 'Missed' &&
    !isLate(deciding, job, match.startedAt) &&
    step(current, null, 'started') === 'close'
  ) {
    deciding.emit(job.company, `problem:${current.n}`, {
      type: 'problem.closed@1',
      data: { n: current.n, job: job.n, by: 'changed' },
    });
  }
  const data = { ...name(deciding, key, job, one, match.startedAt, at), ...getPlannedRun(one) };
  deciding.emit(job.company, `run:${data.n}`, { type: 'run.started@1', data });
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
function isLate(deciding: Deciding, job: JobRow, startedAt: Ms): boolean {
  const current = job.problem === null ? undefined : deciding.problem.get(job.problem);
  if (current?.state === 'Missed' && startedAt < current.lastAt - EARLY) return true;
  return (deciding.stat.get(job.n)?.starts ?? []).some((other) => other > startedAt);
}

function finish(
  deciding: Deciding,
  key: IngestKeyRow,
  job: JobRow,
  one: Normal,
  match: Exclude<Match, { kind: 'foreign' }>,
  at: Ms,
): RunN | null {
  const again = match.kind === 'run' ? match.run : null;
  const startedAt = match.kind === 'run' ? match.run.startedAt : match.startedAt;
  const result = mergeResult(one, again, startedAt, at);
  if (again !== null && again.status !== 'Running' && isKnown(again, result, one)) return null;
  const named =
    again === null
      ? name(deciding, key, job, one, startedAt, at)
      : { n: again.n, job: job.n, company: job.company, key: key.id, uid: again.uid, startedAt };
  const facts: ResultFacts = { ...result, names: [job.computer, job.server] };
  const stat = deciding.stat.get(job.n);
  const anomaly = stat ? getAnomalies(facts, stat) : [];
  const trouble = getProblem(facts, anomaly);
  const problem = isLate(deciding, job, startedAt)
    ? trouble === null
      ? null
      : (job.problem ?? openAndShut(deciding, job, named.n, startedAt, trouble))
    : stepProblem(deciding, job, named.n, startedAt, trouble, trouble?.kind ?? 'other');
  const well = result.status === 'Success';
  deciding.emit(job.company, `run:${named.n}`, {
    type: 'run.finished@1',
    data: {
      ...named,
      ...result,
      message: well ? anomalyText(anomaly) : result.message,
      anomaly,
      problem,
      hasLog:
        one.log !== null || (again?.hasLog ?? false) || deciding.logged.get(named.n) !== undefined,
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
  deciding: Deciding,
  job: JobRow,
  run: RunN,
  startedAt: Ms,
  trouble: NonNullable<ReturnType<typeof getProblem>>,
): ProblemN | null {
  const n = stepProblem(deciding, job, run, startedAt, trouble, trouble.kind);
  if (n !== null)
    deciding.emit(job.company, `problem:${n}`, {
      type: 'problem.closed@1',
      data: { n, job: job.n, by: 'success' },
    });
  return n;
}
