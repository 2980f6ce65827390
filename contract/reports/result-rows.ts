import * as v from 'valibot';
import { ExecutionSchema } from '../runs/calls.ts';
import { CALENDAR_MODES } from '../calendar/calendar.ts';
import { RUN_STATES } from '../runs/query.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  SOURCES,
} from '../runs/vocabulary.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const iso = v.string();
const { _id, ...full } = ExecutionSchema.entries;

/** One result in a list: a job execution without its log, objects and history. */
export const runResultOut = v.object({
  _id,
  mongo_id: full.mongo_id,
  jobInstanceUid: full.jobInstanceUid,
  jobName: full.jobName,
  company: v.number(),
  companyName: full.companyName,
  computerName: full.computerName,
  serverName: full.serverName,
  source: full.source,
  type: full.type,
  entityGroup: full.entityGroup,
  managed: full.managed,
  scheduleState: full.scheduleState,
  status: full.status,
  startTime: full.startTime,
  endTime: full.endTime,
  durationSec: full.durationSec,
  bytesTransferred: full.bytesTransferred,
  bytesProcessed: full.bytesProcessed,
  filesTotal: full.filesTotal,
  filesFailed: full.filesFailed,
  exitCode: full.exitCode,
  message: full.message,
  scheduledFor: full.scheduledFor,
  level: full.level,
  errorCount: full.errorCount,
  warningCount: full.warningCount,
  anomaly: full.anomaly,
  note: full.note,
  ignoredUntil: full.ignoredUntil,
  ignoredReason: full.ignoredReason,
  state: full.state,
  problem: orNull(
    v.object({
      state: v.picklist(PROBLEM_STATES),
      kind: v.picklist(PROBLEM_KINDS),
      cause: v.string(),
      openedAt: iso,
      closedAt: orNull(iso),
      runs: v.number(),
      ticket: orNull(v.string()),
      reviewedBy: orNull(v.string()),
      reviewedAt: orNull(iso),
      comment: orNull(v.string()),
    }),
  ),
});
export type ResultOut = v.InferOutput<typeof runResultOut>;

export const jobNameOut = v.object({
  jobInstanceUid: v.string(),
  jobName: v.string(),
  company: v.number(),
  companyName: v.string(),
  computerName: v.string(),
  serverName: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  entityGroup: v.picklist(ENTITY_GROUPS),
  managed: orNull(v.boolean()),
  enabled: v.boolean(),
  scheduleState: full.scheduleState,
});
export type JobNameOut = v.InferOutput<typeof jobNameOut>;

/**
 * A job that did not run (`expectedAt`: when it was last due), or a disabled one. `_id` and
 * `mongo_id`: the result that says so. `nextRun`: when it is due next; null if nothing is expected.
 * If `ignored` is set and `ignoredUntil` is null, it is ignored until it changes.
 */
export const didNotRunOut = v.object({
  ...jobNameOut.entries,
  _id: orNull(v.string()),
  mongo_id: orNull(v.string()),
  since: orNull(iso),
  expectedAt: orNull(iso),
  nextRun: orNull(iso),
  lastRunAt: orNull(iso),
  lastSuccessAt: orNull(iso),
  runs: v.number(),
  ignored: v.boolean(),
  ignoredUntil: orNull(iso),
  note: full.note,
});
export type DidNotRunOut = v.InferOutput<typeof didNotRunOut>;

/**
 * Results by outcome. `anomaly`: a success outside the typical range; `failed` includes errors.
 * `judged`: the base of `share`, which is results of jobs that make backups, or of other jobs if
 * only such types are requested. `good`: those of them that ended well. `share`: `good` of
 * `judged`, 0 to 1.
 */
export const tallyOut = v.object({
  runs: v.number(),
  success: v.number(),
  warning: v.number(),
  failed: v.number(),
  missed: v.number(),
  anomaly: v.number(),
  running: v.number(),
  bytes: v.number(),
  judged: v.number(),
  good: v.number(),
  share: orNull(v.number()),
});
export type TallyOut = v.InferOutput<typeof tallyOut>;

const time = { from: iso, to: iso };
export const statsOut = v.object({
  ...time,
  now: tallyOut,
  /** The previous period of equal length. */
  before: tallyOut,
  groups: v.array(
    v.object({ entityGroup: v.picklist(ENTITY_GROUPS), now: tallyOut, before: tallyOut }),
  ),
  /** `neverRan`: enabled jobs that have only missed results or none. */
  jobs: v.object({
    all: v.number(),
    disabled: v.number(),
    neverRan: v.number(),
    companies: v.number(),
  }),
  /** Open problems to check, regardless of the period. */
  pending: v.number(),
  /** Jobs whose last result says that they did not run. */
  didntRun: v.number(),
});
/** A column of a chart: one operational day, or one hour. */
export const columnOut = v.object({ date: v.string(), from: iso, ...tallyOut.entries });
export const chartOut = v.object({
  ...time,
  every: v.picklist(['day', 'hour']),
  columns: v.array(columnOut),
});

export const rankedOut = v.object({
  jobInstanceUid: v.string(),
  jobName: v.string(),
  company: v.number(),
  companyName: v.string(),
  computerName: v.string(),
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  /** Number of failures, mean seconds of a finished run, or total bytes. */
  value: v.number(),
  executions: v.number(),
});
export type RankedOut = v.InferOutput<typeof rankedOut>;

const cell = orNull(v.picklist([...RUN_STATES, 'off']));
const line = {
  company: v.number(),
  companyName: v.string(),
  /**
   * Share (0 to 1) of days that succeeded among those on which something ended or should have run.
   */
  share: orNull(v.number()),
};
/**
 * `state`: according to the requested mode. `runs`: results of the day. `bad`: number of jobs whose
 * day failed or did not run.
 */
export const spreadsheetOut = v.object({
  ...time,
  mode: v.picklist(CALENDAR_MODES),
  by: v.picklist(['job', 'company']),
  days: v.array(v.object({ date: v.string(), from: iso })),
  rows: v.array(
    v.object({
      ...line,
      jobInstanceUid: orNull(v.string()),
      jobName: orNull(v.string()),
      computerName: orNull(v.string()),
      jobs: v.number(),
      cells: v.array(v.object({ state: cell, runs: v.number(), bad: v.number() })),
    }),
  ),
  count: v.number(),
  page: v.number(),
  pageSize: v.number(),
});
export type SpreadsheetOut = v.InferOutput<typeof spreadsheetOut>;
/** Number of job days by the state of their cell. */
export const spreadsheetStatsOut = v.object({
  ...time,
  mode: v.picklist(CALENDAR_MODES),
  days: v.number(),
  jobs: v.number(),
  companies: v.number(),
  results: v.number(),
  share: orNull(v.number()),
  cells: v.object(
    Object.fromEntries(RUN_STATES.map((state) => [state, v.number()])) as {
      readonly [S in (typeof RUN_STATES)[number]]: v.NumberSchema<undefined>;
    },
  ),
  /** Days on which nothing ran and nothing was due. */
  empty: v.number(),
});

export const ANALYTICS_BY = ['company', 'type', 'source'] as const;
export type AnalyticsBy = (typeof ANALYTICS_BY)[number];
const part = v.object({ key: v.string(), name: v.string(), now: tallyOut, before: tallyOut });
/** Most failures and warnings first. */
export const analyticsOut = v.object({
  ...time,
  before: v.object(time),
  all: v.object({ now: tallyOut, before: tallyOut }),
  companies: v.array(part),
  types: v.array(part),
  sources: v.array(part),
});
/**
 * Shares (0 to 1) of what ended or should have run; null if nothing did. `failures` includes
 * errors.
 */
const point = v.object({
  date: v.string(),
  from: iso,
  runs: v.number(),
  failures: v.number(),
  warnings: v.number(),
  missed: v.number(),
  failureRate: orNull(v.number()),
  warningRate: orNull(v.number()),
});
export const failuresOut = v.object({
  ...time,
  days: v.array(point),
  before: v.array(point),
  series: v.array(
    v.object({
      key: v.string(),
      name: v.string(),
      failures: v.array(v.number()),
      warnings: v.array(v.number()),
    }),
  ),
});
export type PointOut = v.InferOutput<typeof point>;

const repository = {
  _id: v.string(),
  company: v.number(),
  companyName: v.string(),
  name: v.string(),
  type: orNull(v.string()),
  hostName: orNull(v.string()),
};
const bytes = {
  usedBytes: orNull(v.number()),
  freeBytes: orNull(v.number()),
  capacityBytes: orNull(v.number()),
};
/**
 * `fullAt`: when the repository will be full if it keeps growing at its current rate; null if it
 * doesn't grow or too little is known. Sorted by `fullAt`, earliest first.
 */
export const trendOut = v.object({
  ...repository,
  path: orNull(v.string()),
  ...bytes,
  sampledAt: iso,
  fullAt: orNull(iso),
  daysLeft: orNull(v.number()),
  days: v.array(
    v.object({
      date: v.string(),
      usedBytes: orNull(v.number()),
      capacityBytes: orNull(v.number()),
    }),
  ),
});
/** The last sample of each operational day. */
export const historyOut = v.object({
  ...repository,
  days: v.array(v.object({ date: v.string(), at: iso, ...bytes })),
});
