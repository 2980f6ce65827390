import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { foldHintRating, getRatingId } from '../hints/fold-ratings.ts';
import type { ProblemN } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { utcDay } from '../time/day.ts';
import { foldRules, getPerson } from './fold-rules.ts';
import type { ComputerRow, JobRow, ProblemRow, RunRow, StatRow } from './rows.ts';

/** Number of finished runs of a job from which typical ranges are derived. */
export const REMEMBERED = 30;

/** Tables that events of results fill. Rules act on problems, so they are folded here too. */
type Monitored =
  | 'job'
  | 'stat'
  | 'run'
  | 'cause'
  | 'problem'
  | 'hintRating'
  | 'key'
  | 'computer'
  | 'repository'
  | 'rule';

export function foldMonitoring(rows: Rows, logged: LoggedAbout<Monitored>): void {
  const { event, at } = logged;
  switch (event.type) {
    case 'job.found@1':
      rows.job?.set(event.data.n, {
        ...event.data,
        firstSeenAt: at,
        missedIgnored: null,
        disabledIgnored: null,
        problem: null,
      });
      rows.stat?.set(event.data.n, emptyStat(event.data.n));
      return;
    case 'job.updated@1': {
      const job = rows.job?.get(event.data.n);
      if (job)
        rows.job?.set(job.n, {
          ...job,
          ...event.data,
          ...(event.data.enabled && { disabledIgnored: null }),
        });
      return;
    }
    case 'job.ignored@1': {
      const ignored = { by: getPerson(logged), at, until: event.data.until };
      return eachJob(
        rows,
        event.data.n,
        event.data.what === 'missed' ? { missedIgnored: ignored } : { disabledIgnored: ignored },
      );
    }
    case 'job.unignored@1':
      return eachJob(
        rows,
        event.data.n,
        event.data.what === 'missed' ? { missedIgnored: null } : { disabledIgnored: null },
      );
    case 'job.calibrated@1':
      return applyCalibration(rows, event);
    case 'run.started@1':
      return startRun(rows, event);
    case 'run.finished@1':
      return finishRun(rows, event);
    case 'run.missed@1':
      return missRun(rows, event);
    case 'cause.found@1':
      rows.cause?.set(event.data.n, event.data);
      return;
    case 'problem.opened@1':
      return openProblem(rows, event);
    case 'problem.closed@1':
      return closeProblem(rows, event, at);
    case 'problem.reviewed@1': {
      const by = getPerson(logged);
      return eachProblem(rows, event.data.problems, (one) => ({
        ...one,
        review: { by, at, comment: event.data.comment },
        snooze: null,
      }));
    }
    case 'problem.reopened@1':
      return eachProblem(rows, event.data.problems, (one) => ({
        ...one,
        review: null,
        ...(one.exception && { exception: null, unexcused: true }),
      }));
    case 'problem.snoozed@1': {
      const { until, reason } = event.data;
      return eachProblem(rows, event.data.problems, (one) => ({
        ...one,
        snooze: { by: getPerson(logged), at, until, reason },
      }));
    }
    case 'problem.unsnoozed@1':
      return eachProblem(rows, event.data.problems, (one) => ({ ...one, snooze: null }));
    case 'problem.noted@1': {
      const { content } = event.data;
      return eachProblem(rows, event.data.problems, (one) => ({
        ...one,
        note: content === null ? null : { by: getPerson(logged), at, content },
      }));
    }
    case 'problem.ticketSet@1': {
      const { ticket } = event.data;
      return eachProblem(rows, event.data.problems, (one) => ({
        ...one,
        ticket,
        ...(one.linkedTicket && { linkedTicket: null }),
      }));
    }
    case 'problem.ticketLinked@1': {
      const { linkedTicket } = event.data;
      return eachProblem(rows, event.data.problems, (one) => ({ ...one, linkedTicket }));
    }
    case 'problem.excepted@1':
    case 'problem.unexcepted@1':
    case 'problem.ruleApplied@1':
    case 'rule.created@1':
    case 'rule.updated@1':
    case 'rule.deleted@1':
    case 'rules.ordered@1':
      return foldRules(rows, logged, event);
    case 'problem.hintRated@1': {
      const { problem, hint, helped } = event.data;
      foldHintRating(rows, at, event);
      return eachProblem(rows, [problem], ({ helpedBy = [], ...one }) => ({
        ...one,
        helpedBy: [...helpedBy.filter((id) => id !== hint), ...(helped ? [hint] : [])],
      }));
    }
    case 'key.created@1':
      rows.key?.set(event.data.id, {
        ...event.data,
        madeAt: at,
        rotatedAt: null,
        revokedAt: null,
        firstResultAt: null,
      });
      return;
    case 'key.rotated@1':
      return eachKey(rows, event.data.id, { rotatedAt: at, hint: event.data.hint });
    case 'key.revoked@1':
      return eachKey(rows, event.data.id, { revokedAt: at });
    case 'key.firstResultReceived@1':
      return eachKey(rows, event.data.id, { firstResultAt: at });
    case 'computer.seen@1': {
      const before = rows.computer?.get(event.data.id);
      rows.computer?.set(event.data.id, {
        ...event.data,
        seenAt: at,
        firstSeenAt: before?.firstSeenAt ?? at,
        note: before?.note ?? null,
        ignored: before?.ignored ?? null,
      });
      return;
    }
    case 'computer.noted@1': {
      const { id, content } = event.data;
      return eachComputer(rows, id, {
        note: content === null ? null : { by: getPerson(logged), at, content },
      });
    }
    case 'computer.ignored@1':
      return eachComputer(rows, event.data.id, {
        ignored: { by: getPerson(logged), at, until: event.data.until },
      });
    case 'computer.unignored@1':
      return eachComputer(rows, event.data.id, { ignored: null });
    case 'repository.sampled@1':
      return sampleRepository(rows, event);
    default:
      event satisfies never;
  }
}

export function touchesMonitoring(event: EventOf<EventsAbout<Monitored>>): Touch[] {
  switch (event.type) {
    case 'job.found@1':
    case 'job.updated@1':
    case 'job.calibrated@1':
    case 'job.ignored@1':
    case 'job.unignored@1':
      return [
        ['job', event.data.n],
        ['stat', event.data.n],
      ];
    case 'run.started@1':
      return [
        ['run', event.data.n],
        ['stat', event.data.job],
      ];
    case 'run.finished@1':
    case 'run.missed@1': {
      const { n, job, problem } = event.data;
      const own: Touch[] = [
        ['run', n],
        ['stat', job],
      ];
      if (problem !== null) own.push(['problem', problem]);
      const left = event.type === 'run.finished@1' ? (event.data.corrects?.problem ?? null) : null;
      if (left !== null && left !== problem) own.push(['problem', left]);
      return own;
    }
    case 'cause.found@1':
      return [['cause', event.data.n]];
    case 'problem.opened@1':
    case 'problem.closed@1':
      return [
        ['problem', event.data.n],
        ['job', event.data.job],
      ];
    case 'problem.reviewed@1':
    case 'problem.reopened@1':
    case 'problem.snoozed@1':
    case 'problem.unsnoozed@1':
    case 'problem.noted@1':
    case 'problem.ticketSet@1':
    case 'problem.ticketLinked@1':
      return event.data.problems.map((n): Touch => ['problem', n]);
    case 'problem.excepted@1':
    case 'problem.unexcepted@1':
    case 'problem.ruleApplied@1':
      return [['problem', event.data.problem]];
    case 'problem.hintRated@1':
      return [
        ['problem', event.data.problem],
        ['hintRating', getRatingId(event.data.hint, event.data.problem)],
      ];
    case 'rule.created@1':
    case 'rule.updated@1':
    case 'rule.deleted@1':
      return [['rule', event.data.id]];
    case 'rules.ordered@1':
      return event.data.ids.map((id): Touch => ['rule', id]);
    case 'key.created@1':
    case 'key.rotated@1':
    case 'key.revoked@1':
    case 'key.firstResultReceived@1':
      return [['key', event.data.id]];
    case 'computer.seen@1':
    case 'computer.noted@1':
    case 'computer.ignored@1':
    case 'computer.unignored@1':
      return [['computer', event.data.id]];
    case 'repository.sampled@1':
      return [['repository', event.data.id]];
    default:
      return event satisfies never;
  }
}

export const emptyStat = (n: number): StatRow => ({
  n,
  starts: [],
  durations: [],
  bytes: [],
  files: [],
  lastStart: null,
  lastSuccess: null,
  running: null,
  missedFor: null,
  calibrated: {},
});

const keep = <T>(list: readonly T[], one: T | null): readonly T[] =>
  one === null ? list : [...list.slice(1 - REMEMBERED), one];

function startRun(rows: Rows, { data }: EventOf<'run.started@1'>): void {
  const before = rows.run?.get(data.n);
  if (!before || before.status === 'Running') rows.run?.set(data.n, { ...UNFINISHED, ...data });
  const stat = rows.stat?.get(data.job);
  if (!stat) return;
  const lastStart = Math.max(stat.lastStart ?? 0, data.startedAt);
  rows.stat?.set(data.job, { ...stat, running: data.n, lastStart, missedFor: null });
}

const UNFINISHED = {
  status: 'Running',
  endedAt: null,
  durationSec: null,
  bytes: null,
  bytesProcessed: null,
  files: null,
  filesFailed: null,
  message: null,
  exitCode: null,
  anomaly: [],
  problem: null,
  hasLog: false,
  detail: {},
} as const satisfies Partial<RunRow>;

function finishRun(rows: Rows, { data }: EventOf<'run.finished@1'>): void {
  const { corrects } = data;
  rows.run?.set(data.n, corrects === undefined ? data : uncorrecting(data));
  const stat = rows.stat?.get(data.job);
  if (stat) {
    const lastStart = Math.max(stat.lastStart ?? 0, data.startedAt);
    const good = data.status === 'Success' || data.status === 'Warning';
    rows.stat?.set(data.job, {
      ...stat,
      lastStart,
      lastSuccess: good ? Math.max(stat.lastSuccess ?? 0, data.endedAt) : stat.lastSuccess,
      running: stat.running === data.n ? null : stat.running,
      missedFor: null,
      ...(corrects !== undefined
        ? {}
        : {
            // a corrected result doesn't count as another run
            starts: keep(stat.starts, data.startedAt),
            durations: keep(stat.durations, good ? data.durationSec : null),
            bytes: keep(stat.bytes, good ? data.bytes : null),
            files: keep(stat.files, good ? data.files : null),
          }),
    });
  }
  if (corrects !== undefined && corrects.problem === data.problem) return;
  if (corrects !== undefined && corrects.problem !== null) leave(rows, corrects.problem);
  if (data.problem !== null) recur(rows, data.problem, data.n, data.startedAt);
}

/** Returns the result in the form of a row. */
function uncorrecting(data: EventOf<'run.finished@1'>['data']): RunRow {
  const row = { ...data };
  delete row.corrects;
  return row;
}

function missRun(rows: Rows, { data }: EventOf<'run.missed@1'>): void {
  const { problem, message, ...named } = data;
  rows.run?.set(data.n, { ...UNFINISHED, ...named, status: 'Missed', problem, message });
  const stat = rows.stat?.get(data.job);
  if (stat) rows.stat?.set(data.job, { ...stat, missedFor: data.startedAt });
  recur(rows, problem, data.n, data.startedAt);
}

/**
 * Adds a run to its problem (RUN-8). It uses only the event and the problem, because a device may
 * not have the run, or may already have its later state.
 */
function recur(rows: Rows, problem: ProblemN, run: number, startedAt: number): void {
  const row = rows.problem?.get(problem);
  if (!row) return;
  const newer = startedAt >= row.lastAt;
  rows.problem?.set(problem, {
    ...row,
    runs: row.runs + 1,
    lastAt: newer ? startedAt : row.lastAt,
    lastRun: newer ? run : row.lastRun,
  });
}

/** Removes a run that now belongs to another problem. */
function leave(rows: Rows, problem: ProblemN): void {
  const row = rows.problem?.get(problem);
  if (row) rows.problem?.set(problem, { ...row, runs: Math.max(0, row.runs - 1) });
}

function openProblem(rows: Rows, { data }: EventOf<'problem.opened@1'>): void {
  const { run, startedAt, ...named } = data;
  rows.problem?.set(data.n, {
    ...named,
    openedAt: startedAt,
    lastAt: startedAt,
    lastRun: run,
    runs: 0,
    closedAt: null,
    closedBy: null,
    review: null,
    snooze: null,
    note: null,
    ticket: null,
  });
  setJobProblem(rows, data.job, data.n);
}

function closeProblem(rows: Rows, { data }: EventOf<'problem.closed@1'>, at: number): void {
  const row = rows.problem?.get(data.n);
  if (row) rows.problem?.set(data.n, { ...row, closedAt: at, closedBy: data.by, snooze: null });
  setJobProblem(rows, data.job, null);
}

function setJobProblem(rows: Rows, n: number, problem: number | null): void {
  const job = rows.job?.get(n);
  if (job) rows.job?.set(n, { ...job, problem });
}

function applyCalibration(rows: Rows, { data }: EventOf<'job.calibrated@1'>): void {
  const stat = rows.stat?.get(data.n);
  if (!stat) return;
  const [low, high] = stat.calibrated[data.measure] ?? [data.value, data.value];
  rows.stat?.set(data.n, {
    ...stat,
    calibrated: {
      ...stat.calibrated,
      [data.measure]: [Math.min(low, data.value), Math.max(high, data.value)],
    },
  });
}

function eachProblem(
  rows: Rows,
  problems: readonly ProblemN[],
  next: (one: ProblemRow) => ProblemRow,
): void {
  for (const n of problems) {
    const row = rows.problem?.get(n);
    if (row) rows.problem?.set(n, next(row));
  }
}

const eachJob = (rows: Rows, n: number, change: Partial<JobRow>): void => {
  const row = rows.job?.get(n);
  if (row) rows.job?.set(n, { ...row, ...change });
};

const eachComputer = (rows: Rows, id: string, change: Partial<ComputerRow>): void => {
  const row = rows.computer?.get(id);
  if (row) rows.computer?.set(id, { ...row, ...change });
};

function sampleRepository(rows: Rows, { data }: EventOf<'repository.sampled@1'>): void {
  const { at: sampledAt, ...rest } = data;
  const before = rows.repository?.get(data.id);
  const day = utcDay(sampledAt);
  const newest = !before || before.sampledAt <= sampledAt;
  const known = before?.days ?? [];
  // an older sample of a day that already has a newer one
  if (!newest && known.some((one) => one.day === day)) return;
  const days = [
    ...known.filter((one) => one.day !== day),
    { day, usedBytes: data.usedBytes, capacityBytes: data.capacityBytes },
  ]
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))
    .slice(-LIMITS.repositoryDays);
  rows.repository?.set(data.id, newest ? { ...rest, sampledAt, days } : { ...before, days });
}

function eachKey(
  rows: Rows,
  id: string,
  change: Partial<NonNullable<ReturnType<NonNullable<Rows['key']>['get']>>>,
): void {
  const row = rows.key?.get(id);
  if (row) rows.key?.set(id, { ...row, ...change });
}
