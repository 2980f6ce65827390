import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import type { Bytes, CauseN, CompanyN, JobN, KeyId, Ms, ProblemN, RunN, UserId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import { SCHEDULE_KINDS } from './schedule-state.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  MEASURES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  RUN_LEVELS,
  SOURCES,
  STATUSES,
} from './vocabulary.ts';

const companyN: v.GenericSchema<CompanyN> = v.number();
const jobN: v.GenericSchema<JobN> = v.number();
const runN: v.GenericSchema<RunN> = v.number();
const problemN: v.GenericSchema<ProblemN> = v.number();
const causeN: v.GenericSchema<CauseN> = v.number();
const userId = storedIdSchema<UserId>();
const keyId = storedIdSchema<KeyId>();
const ms: v.GenericSchema<Ms> = v.number();
const bytes: v.GenericSchema<Bytes | null> = v.nullable(v.number());
const amount = v.nullable(v.number());

const scheduleKind = v.optional(v.picklist(SCHEDULE_KINDS));
/**
 * When a job is due: at an interval in seconds, or by a cron expression in a zone. A schedule with
 * only `kind` comes from a source that doesn't report times. Next to times, `kind` is the source's
 * name for a schedule that the times alone don't identify.
 */
const StoredScheduleSchema = v.variant('type', [
  v.object({ type: v.literal('every'), everySec: v.number(), kind: scheduleKind }),
  v.object({ type: v.literal('cron'), cron: v.string(), tz: v.string(), kind: scheduleKind }),
  v.object({ type: v.literal('kind'), kind: scheduleKind.wrapped }),
]);
export type JobSchedule = RowOf<typeof StoredScheduleSchema>;

/** A person marked the condition as intended. `until` null: until it changes. */
const IgnoredSchema = v.object({ by: userId, at: ms, until: v.nullable(ms) });
export type Ignored = RowOf<typeof IgnoredSchema>;

export const JobRowSchema = v.object({
  n: jobN,
  /** The job's id at its source (`jobInstanceUid`), unique within its connection. */
  uid: v.string(),
  key: keyId,
  company: companyN,
  name: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  group: v.picklist(ENTITY_GROUPS),
  computer: v.string(),
  server: v.string(),
  managed: v.nullable(v.boolean()),
  enabled: v.boolean(),
  schedule: v.nullable(StoredScheduleSchema),
  graceSec: amount,
  firstSeenAt: ms,
  /**
   * No result is expected until then. `until` is null only for `disabledIgnored`: until the job is
   * enabled.
   */
  missedIgnored: v.nullable(IgnoredSchema),
  disabledIgnored: v.nullable(IgnoredSchema),
  /** The open problem, if any. */
  problem: v.nullable(problemN),
});
export type JobRow = RowOf<typeof JobRowSchema>;

const range = v.tuple([v.number(), v.number()]);
/**
 * Statistics of a job, stored on the server only. Lists contain values of the last 30 finished
 * runs, oldest first.
 */
export const StatRowSchema = v.object({
  n: jobN,
  starts: v.array(ms),
  durations: v.array(v.number()),
  bytes: v.array(v.number()),
  files: v.array(v.number()),
  lastStart: v.nullable(ms),
  lastSuccess: v.nullable(ms),
  running: v.nullable(runN),
  /** The expected start that is already marked as missed, so that it is marked only once. */
  missedFor: v.nullable(ms),
  /** Values that a person marked as normal ("not an anomaly"); they widen the typical range. */
  calibrated: v.object({
    duration: v.exactOptional(range),
    bytes: v.exactOptional(range),
    files: v.exactOptional(range),
  }),
});
export type StatRow = RowOf<typeof StatRowSchema>;

/** One measure outside its typical range: seconds, bytes or a number of files. */
const StoredAnomalySchema = v.object({
  measure: v.picklist(MEASURES),
  value: v.number(),
  low: v.number(),
  high: v.number(),
});
export type Anomaly = RowOf<typeof StoredAnomalySchema>;

/** One run of one job (a job execution). `startedAt` of a `Missed` run is its expected start. */
export const RunRowSchema = v.object({
  n: runN,
  job: jobN,
  company: companyN,
  key: keyId,
  /** Identifies the run at its source; unique together with `key`. */
  uid: v.string(),
  status: v.picklist(STATUSES),
  startedAt: ms,
  endedAt: v.nullable(ms),
  durationSec: amount,
  /** Bytes sent to the target. */
  bytes,
  /** Bytes of the examined source data. */
  bytesProcessed: bytes,
  files: amount,
  filesFailed: amount,
  /** First line of what went wrong, or what is unusual; null if there is nothing to report. */
  message: v.nullable(v.string()),
  exitCode: amount,
  /** Absent if the source didn't report it. */
  level: v.optional(v.picklist(RUN_LEVELS)),
  scheduledFor: v.optional(ms),
  errorCount: v.optional(v.number()),
  warningCount: v.optional(v.number()),
  anomaly: v.array(StoredAnomalySchema),
  problem: v.nullable(problemN),
  hasLog: v.boolean(),
  /** Fields of the source that have no column; the panel shows them. */
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
});
export type RunRow = RowOf<typeof RunRowSchema>;

export const CauseRowSchema = v.object({
  n: causeN,
  template: v.string(),
  kind: v.picklist(PROBLEM_KINDS),
});
export type CauseRow = RowOf<typeof CauseRowSchema>;

const ReviewSchema = v.object({ by: userId, at: ms, comment: v.nullable(v.string()) });
const SnoozeSchema = v.object({ by: userId, at: ms, until: ms, reason: v.string() });
const NoteSchema = v.object({ by: userId, at: ms, content: v.string() });
const StoredLinkedTicketSchema = v.object({
  id: v.string(),
  open: v.boolean(),
  url: v.nullable(v.string()),
});
const exception = { rule: v.string(), name: v.string(), at: ms };
export type Review = RowOf<typeof ReviewSchema>;
export type Snooze = RowOf<typeof SnoozeSchema>;
export type Note = RowOf<typeof NoteSchema>;
export type LinkedTicket = RowOf<typeof StoredLinkedTicketSchema>;

/**
 * A problem is job + cause + state, from its first run until a success or another problem ends it.
 */
export const ProblemRowSchema = v.object({
  n: problemN,
  job: jobN,
  company: companyN,
  cause: causeN,
  state: v.picklist(PROBLEM_STATES),
  openedAt: ms,
  lastAt: ms,
  lastRun: runN,
  runs: v.number(),
  closedAt: v.nullable(ms),
  closedBy: v.nullable(v.picklist(['success', 'changed'])),
  review: v.nullable(ReviewSchema),
  snooze: v.nullable(SnoozeSchema),
  note: v.nullable(NoteSchema),
  ticket: v.nullable(v.string()),
  /** The linked ticket in this portal with that number, if there is one, and whether it is open. */
  linkedTicket: v.exactOptional(v.nullable(StoredLinkedTicketSchema)),
  /** Known, counts as OK: the rule, by its name at that time, and since when. */
  exception: v.exactOptional(v.nullable(v.object(exception))),
  /** A person ended the exception, so no rule applies one again. */
  unexcused: v.exactOptional(v.literal(true)),
  /** Rules that acted on it, each once. */
  ruled: v.exactOptional(v.array(v.object({ ...exception, hint: v.nullable(v.string()) }))),
  /** Hints that helped with it. */
  helpedBy: v.exactOptional(v.array(v.string())),
});
export type ProblemRow = RowOf<typeof ProblemRowSchema>;

export const KeyRowSchema = v.object({
  id: keyId,
  name: v.string(),
  company: companyN,
  /** The tool whose command the page showed; any tool may use the key. */
  tool: v.picklist(SOURCES),
  managed: v.nullable(v.boolean()),
  /** Last four characters, to tell keys apart. */
  hint: v.string(),
  madeAt: ms,
  rotatedAt: v.nullable(ms),
  revokedAt: v.nullable(ms),
  firstResultAt: v.nullable(ms),
  /**
   * The connection that collects this company's results with this key. Nobody has a secret for such
   * a key.
   */
  connection: v.optional(v.string()),
  /** The organization whose backup sessions are recorded with this key; it has no secret either. */
  organization: v.optional(v.string()),
});
export type IngestKeyRow = RowOf<typeof KeyRowSchema>;

export const ComputerRowSchema = v.object({
  id: v.string(),
  key: keyId,
  company: companyN,
  hostName: v.string(),
  os: v.nullable(v.string()),
  osType: v.nullable(v.string()),
  ipAddresses: v.array(v.string()),
  seenAt: ms,
  firstSeenAt: ms,
  note: v.nullable(NoteSchema),
  ignored: v.nullable(IgnoredSchema),
});
export type ComputerRow = RowOf<typeof ComputerRowSchema>;

const RepositoryDaySchema = v.object({
  day: v.string(),
  usedBytes: bytes,
  capacityBytes: bytes,
});

export const RepositoryRowSchema = v.object({
  id: v.string(),
  key: keyId,
  company: companyN,
  uid: v.string(),
  name: v.string(),
  type: v.nullable(v.string()),
  hostName: v.nullable(v.string()),
  path: v.nullable(v.string()),
  capacityBytes: bytes,
  freeBytes: bytes,
  usedBytes: bytes,
  sampledAt: ms,
  /** The last sample of each UTC day, oldest first, at most 90: for the trend. */
  days: v.array(RepositoryDaySchema),
});
export type RepositoryRow = RowOf<typeof RepositoryRowSchema>;
