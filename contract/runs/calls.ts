import type { KeyId, UserId } from '../ids.ts';
import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { changeFields } from './change.ts';
import { renameHistoryAction, withFormerNames } from '../former-fields.ts';
import { runId, runRef } from '../run-ref.ts';
import { SCHEDULE_STATES } from './schedule-state.ts';
import { TaskSchema } from './task.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  RUN_LEVELS,
  SOURCES,
  STATUSES,
} from './vocabulary.ts';
import { storedIdSchema } from '../id-schema.ts';
import { nameText } from '../text-schema.ts';

const runN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const iso = v.string();
const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);

export const RefusedSchema = v.object({ run: v.number(), kind: v.string(), message: v.string() });
export const ChangedSchema = v.object({
  /**
   * The log position that includes this command. A device has its effect when its cursor reaches
   * it.
   */
  seq: v.number(),
  accepted: v.number(),
  refused: v.array(RefusedSchema),
});

/**
 * Entries of a problem's history. `Over`: a success ended it. `Changed`: a different result, good
 * or bad, ended it.
 */
export const HISTORY_ACTIONS = [
  'Reviewed',
  'Review undone',
  'Snoozed',
  'Snooze ended',
  'Note',
  'Note removed',
  'Ticket',
  'Ticket removed',
  'Exception',
  'Exception ended',
  'Rule',
  'Hint helped',
  'Hint did not help',
  'Began',
  'Over',
  'Changed',
] as const;
export type ProblemAction = (typeof HISTORY_ACTIONS)[number];

/** A complete run (a job execution). Times are in the API's format: `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export const ExecutionSchema = v.object({
  _id: v.string(),
  mongo_id: v.string(),
  jobInstanceUid: v.string(),
  jobName: v.string(),
  companyName: v.string(),
  computerName: v.string(),
  serverName: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  entityGroup: v.picklist(ENTITY_GROUPS),
  managed: orNull(v.boolean()),
  /** The schedule of the job. */
  scheduleState: orNull(v.picklist(SCHEDULE_STATES)),
  status: v.picklist(STATUSES),
  startTime: iso,
  endTime: orNull(iso),
  durationSec: orNull(v.number()),
  bytesTransferred: orNull(v.number()),
  bytesProcessed: orNull(v.number()),
  filesTotal: orNull(v.number()),
  filesFailed: orNull(v.number()),
  exitCode: orNull(v.number()),
  message: orNull(v.string()),
  /**
   * When it was scheduled, how much of its source it reads, and how many errors and warnings the
   * tool reported; null if the source doesn't say.
   */
  scheduledFor: orNull(iso),
  level: orNull(v.picklist(RUN_LEVELS)),
  errorCount: orNull(v.number()),
  warningCount: orNull(v.number()),
  anomaly: v.array(
    v.object({ measure: v.string(), value: v.number(), low: v.number(), high: v.number() }),
  ),
  note: orNull(v.object({ content: v.string(), authorId: storedIdSchema<UserId>(), at: iso })),
  ignoredUntil: orNull(iso),
  ignoredReason: orNull(v.string()),
  state: v.picklist(['none', 'pending', 'snoozed', 'cleared']),
  problem: orNull(
    v.object({
      state: v.picklist(PROBLEM_STATES),
      kind: v.picklist(PROBLEM_KINDS),
      cause: v.string(),
      openedAt: iso,
      closedAt: orNull(iso),
      runs: v.number(),
      ticket: orNull(v.string()),
      elsewhere: v.array(v.object({ company: v.string(), jobs: v.number() })),
    }),
  ),
  expectedAt: orNull(iso),
  lastSuccessAt: orNull(iso),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
  log: orNull(v.string()),
  /** Whether `log` is null because it was older than the server stores logs (LOG-14). */
  isLogDeleted: v.boolean(),
  /** The result of each object, worst first. */
  tasks: v.array(TaskSchema),
  /** Who did what to this problem, newest first. `until`: the end of a snooze. */
  history: v.array(
    v.object({
      at: iso,
      who: v.string(),
      what: withFormerNames(v.picklist(HISTORY_ACTIONS), renameHistoryAction),
      comment: orNull(v.string()),
      until: orNull(iso),
    }),
  ),
  /** Until when changes of the problem are archived (ARCH-2); null if `history` begins with it. */
  historyArchivedUntil: orNull(iso),
});
export type Execution = v.InferOutput<typeof ExecutionSchema>;

/** How conflicts between two devices are resolved. */
const CONFLICTS = {
  offline:
    'The first review of a problem wins. Of two notes or two snoozes the last to arrive wins, and the user whose change was replaced is notified.',
} as const;

const keyError = orNull(v.object({ at: v.number(), message: v.string() }));
export const keyOut = v.object({
  id: storedIdSchema<KeyId>(),
  name: v.string(),
  companyN: v.number(),
  tool: v.picklist(SOURCES),
  hint: v.string(),
  madeAt: v.number(),
  rotatedAt: orNull(v.number()),
  revokedAt: orNull(v.number()),
  firstResultAt: orNull(v.number()),
  lastHeardAt: orNull(v.number()),
  lastError: keyError,
  /** The former name of `lastError`, until the next version. */
  lastFault: keyError,
  /**
   * What the key stored today (UTC), its limit, and when a result was last refused because the
   * limit was reached.
   */
  today: v.object({ bytes: v.number(), limitBytes: v.number(), refusedAt: orNull(v.number()) }),
});
/** `secret` is in this response only: the server stores its hash. */
export const keyWithSecret = v.object({ key: keyOut, secret: v.string() });

export const monitoringCalls = {
  getExecution: call({
    method: 'GET',
    path: 'monitoring/backoffice/jobExecutions/{id}',
    summary: 'Returns a run with its log, objects and history.',
    input: v.strictObject({ id: runId }),
    output: ExecutionSchema,
    gate: 'monitoring.daily-checks',
    failures: ['not-found'],
  }),
  changeExecution: call({
    method: 'PUT',
    path: 'monitoring/backoffice/jobExecutions/{id}',
    summary:
      'Reviews, notes or snoozes the problem of a run, by `change` or by the fields `note` and `ignoredUntil` of a run.',
    input: v.pipe(
      v.strictObject({ id: runId, ...changeFields }),
      v.examples([{ id: 1, change: { kind: 'review', comment: null } }]),
    ),
    output: ChangedSchema,
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
    ...CONFLICTS,
  }),
  changeExecutions: call({
    method: 'POST',
    path: 'monitoring/backoffice/jobExecutions/bulk',
    summary:
      'Changes many runs at once, by their IDs as lists return them or as numbers. The response lists refused changes.',
    input: v.pipe(
      v.strictObject({
        ids: v.pipe(v.array(runRef), v.minLength(1), v.maxLength(LIMITS.bulkRuns)),
        ...changeFields,
      }),
      v.examples([{ ids: [1], change: { kind: 'review', comment: null } }]),
    ),
    output: ChangedSchema,
    gate: 'monitoring.job-actions',
    failures: ['bad-input', 'key-reused', 'out-of-order'],
    ...CONFLICTS,
  }),
  listKeys: call({
    method: 'GET',
    path: 'monitoring/sources',
    summary: "Lists the provider's ingest keys, and when each was last used.",
    input: v.strictObject({}),
    output: v.array(keyOut),
    gate: 'monitoring.sources',
    failures: [],
  }),
  createKey: call({
    method: 'POST',
    path: 'monitoring/sources',
    summary: 'Creates an ingest key for a company.',
    input: v.strictObject({
      name: nameText(),
      companyN: runN,
      tool: v.picklist(SOURCES),
      managed: v.optional(v.nullable(v.boolean())),
    }),
    output: keyWithSecret,
    gate: 'monitoring.sources',
    failures: ['not-found'],
  }),
  rotateKey: call({
    method: 'POST',
    path: 'monitoring/sources/{id}/rotate',
    summary: 'Replaces the secret of a key. The old secret stops working immediately.',
    input: v.strictObject({ id: v.pipe(storedIdSchema<KeyId>(), v.maxLength(64)) }),
    output: keyWithSecret,
    gate: 'monitoring.sources',
    failures: ['not-found'],
  }),
  revokeKey: call({
    method: 'DELETE',
    path: 'monitoring/sources/{id}',
    summary: 'Revokes a key. Its jobs and runs stay.',
    input: v.strictObject({ id: v.pipe(storedIdSchema<KeyId>(), v.maxLength(64)) }),
    output: v.object({}),
    gate: 'monitoring.sources',
    failures: ['not-found'],
  }),
} as const;
