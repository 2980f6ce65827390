import { withoutBidi } from '#contract/bidi.ts';
import type { Bytes, Ms, Seconds } from '#contract/ids.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { firstLine } from '#contract/runs/first-line.ts';
import type { JobRow, RunRow, JobSchedule } from '#contract/runs/rows.ts';
import type { RunLevel } from '#contract/runs/vocabulary.ts';
import type { Task, TaskIn } from '#contract/runs/task.ts';
import { maskSecrets } from '#server/platform/mask-secrets.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';
import { boundedId } from './bounded-id.ts';
import { findScheduleError } from './schedule-error.ts';
import { lineOfText, storable } from '#contract/stored-text.ts';

/**
 * What a source reports about a run's job. A missing field keeps its value, or gets the default for
 * a new job.
 */
export interface ReportedJob {
  readonly uid: string;
  readonly name: string;
  readonly source?: JobRow['source'] | undefined;
  readonly type?: JobRow['type'] | undefined;
  readonly group?: JobRow['group'] | undefined;
  readonly computer?: string | undefined;
  readonly server?: string | undefined;
  readonly managed?: boolean | null | undefined;
  readonly enabled?: boolean | undefined;
  readonly schedule?: JobSchedule | null | undefined;
  readonly graceSec?: Seconds | null | undefined;
}

/** One execution in internal form, from any kind of sender and with secrets masked. */
export interface Normal {
  /** The position in the request. */
  readonly index: number;
  readonly job: ReportedJob;
  readonly externalId: string | null;
  /** A shorter id of the same source under which the run can also be stored. */
  readonly shortId?: string | undefined;
  /** From a list of restore points: a known run does not change. */
  readonly listed?: true | undefined;
  readonly status: 'Running' | 'Success' | 'Warning' | 'Failed' | 'Error';
  /** Null: the start of the running run, or the time of arrival if none is running. */
  readonly startedAt: Ms | null;
  /** Null if the source did not report it. */
  readonly endedAt: Ms | null;
  /**
   * The times are those of arrival, so a repeated result has different times but is still the same.
   */
  readonly byArrival: boolean;
  readonly durationSec: Seconds | null;
  readonly bytes: Bytes | null;
  readonly bytesProcessed: Bytes | null;
  readonly files: number | null;
  readonly filesFailed: number | null;
  readonly message: string | null;
  readonly exitCode: number | null;
  readonly log: string | null;
  /** The results of each object, in the order of the source; empty if it reported none. */
  readonly tasks: readonly Task[];
  readonly detail: RunRow['detail'];
  readonly level?: RunLevel | null;
  readonly scheduledFor?: Ms | null;
  readonly errorCount?: number | null;
  readonly warningCount?: number | null;
  /**
   * A hash of the posted text if it has neither an id nor a time: the same text within minutes is a
   * repetition (RUN-9).
   */
  readonly bodyId?: string | null;
}

/** How far a source's clock can be ahead. */
const AHEAD: Ms = 24 * 3_600_000;
/** The maximum duration in seconds that a column can store. */
const LONGEST: Seconds = 0xffff_fffe;

/**
 * Returns the execution in internal form, or the error message. `byArrival` means that the sender
 * provided no times of its own.
 */
export function normalizeExecution(
  execution: ExecutionIn,
  index: number,
  at: Ms,
  byArrival = false,
  bodyId: string | null = null,
): Normal | { readonly index: number; readonly error: string } {
  const startedAt = Date.parse(execution.startTime);
  const endedAt =
    execution.endTime === undefined || execution.endTime === null
      ? null
      : Date.parse(execution.endTime);
  const error = findRunError(execution, startedAt, endedAt, at);
  if (error !== null) return { index, error };
  const {
    job: name,
    computer,
    entityGroup: group,
    source,
    type,
    server,
    managed,
    enabled,
    schedule,
    graceSec,
  } = execution;
  return {
    index,
    job: {
      uid: execution.jobInstanceUid ?? boundedId(`${name}@${computer ?? ''}`),
      name,
      source,
      type,
      group,
      computer,
      server,
      managed,
      enabled,
      schedule,
      graceSec,
    },
    externalId: execution.externalId ?? null,
    status: execution.status,
    startedAt,
    endedAt,
    byArrival,
    durationSec: execution.durationSec ?? null,
    bytes: execution.bytesTransferred ?? null,
    bytesProcessed: execution.bytesProcessed ?? null,
    files: execution.filesTotal ?? null,
    filesFailed: execution.filesFailed ?? null,
    message: toSingleLine(execution.message),
    exitCode: execution.exitCode ?? null,
    log: cleanLog(execution.log),
    tasks: (execution.tasks ?? []).map(getTask),
    detail: plain(execution.detail ?? {}),
    level: execution.level ?? null,
    scheduledFor: execution.scheduledFor == null ? null : Date.parse(execution.scheduledFor),
    errorCount: execution.errorCount ?? null,
    warningCount: execution.warningCount ?? null,
    bodyId: byArrival && execution.externalId === undefined ? bodyId : null,
  };
}

export const toSingleLine = (text: string | null | undefined): string | null =>
  text === undefined || text === null ? null : firstLine(maskSecrets(withoutBidi(text))) || null;

export const cleanLog = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : maskSecrets(withoutBidi(text));

const getTask = ({
  name,
  status,
  startTime,
  durationSec = null,
  bytesTransferred = null,
  bytesProcessed = null,
  message,
}: TaskIn): Task => ({
  name: lineOfText(maskSecrets(withoutBidi(name) || '?')),
  status,
  startTime: startTime == null ? null : new Date(startTime).toISOString(),
  durationSec,
  bytesTransferred,
  bytesProcessed,
  message: storable(maskSecrets(withoutBidi(message ?? '')).trim()) || null,
});

const plain = (detail: RunRow['detail']): RunRow['detail'] =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? maskSecrets(withoutBidi(value)) : value,
    ]),
  );

function findRunError(
  execution: ExecutionIn,
  startedAt: Ms,
  endedAt: Ms | null,
  at: Ms,
): string | null {
  if (!Number.isFinite(startedAt) || startedAt < 0) return `startTime: ${t.invalidTime}`;
  if (startedAt > at + AHEAD) return `startTime: ${t.inFuture}`;
  if (endedAt !== null && !Number.isFinite(endedAt)) return `endTime: ${t.invalidTime}`;
  if (endedAt !== null && endedAt < startedAt) return `endTime: ${t.beforeStart}`;
  if (endedAt !== null && endedAt > at + AHEAD) return `endTime: ${t.inFuture}`;
  if ((execution.durationSec ?? 0) > LONGEST) return `durationSec: ${t.tooLarge}`;
  if (execution.scheduledFor != null && !(Date.parse(execution.scheduledFor) >= 0))
    return `scheduledFor: ${t.invalidTime}`;
  for (const name of [
    'bytesTransferred',
    'bytesProcessed',
    'filesTotal',
    'filesFailed',
    'errorCount',
    'warningCount',
    'exitCode',
    'graceSec',
  ] as const) {
    if (!Number.isSafeInteger(execution[name] ?? 0)) return `${name}: ${t.tooLarge}`;
  }
  const error = execution.schedule ? findScheduleError(execution.schedule) : null;
  if (error !== null) return `schedule: ${error}`;
  for (const [place, task] of (execution.tasks ?? []).entries()) {
    const wrong = findTaskError(task, at);
    if (wrong !== null) return `tasks.${place}.${wrong}`;
  }
  return null;
}

function findTaskError(task: TaskIn, at: Ms): string | null {
  const startedAt = task.startTime == null ? null : Date.parse(task.startTime);
  if (startedAt !== null && !(startedAt >= 0)) return `startTime: ${t.invalidTime}`;
  if (startedAt !== null && startedAt > at + AHEAD) return `startTime: ${t.inFuture}`;
  if ((task.durationSec ?? 0) > LONGEST) return `durationSec: ${t.tooLarge}`;
  const large = (['bytesTransferred', 'bytesProcessed'] as const).find(
    (name) => !Number.isSafeInteger(task[name] ?? 0),
  );
  return large === undefined ? null : `${large}: ${t.tooLarge}`;
}
