import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { Bytes, CauseN, CompanyN, JobN, KeyId, Ms, ProblemN, RunN } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { SCHEDULE_KINDS } from './schedule-state.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  MEASURES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  RUN_LEVELS,
  SOURCES,
} from './vocabulary.ts';

const n = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const ms: v.GenericSchema<Ms> = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const uuid = v.pipe(v.string(), v.uuid());
const bytes: v.GenericSchema<Bytes | null> = v.nullable(count);
const companyN: v.GenericSchema<CompanyN> = n;
const jobN: v.GenericSchema<JobN> = n;
const runN: v.GenericSchema<RunN> = n;
const problemN: v.GenericSchema<ProblemN> = n;
const causeN: v.GenericSchema<CauseN> = n;
const keyId = uuidSchema<KeyId>();
const name = v.pipe(v.string(), v.maxLength(LIMITS.nameChars));
const named = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));

const kind = v.picklist(SCHEDULE_KINDS);
export const JobScheduleSchema = v.variant('type', [
  v.strictObject({ type: v.literal('every'), everySec: n, kind: v.optional(kind) }),
  v.strictObject({
    type: v.literal('cron'),
    cron: v.pipe(v.string(), v.maxLength(100)),
    tz: v.pipe(v.string(), v.maxLength(64)),
    kind: v.optional(kind),
  }),
  v.strictObject({ type: v.literal('kind'), kind }),
]);

const jobFields = {
  name: named,
  source: v.picklist(SOURCES),
  type: v.picklist(JOB_TYPES),
  group: v.picklist(ENTITY_GROUPS),
  computer: name,
  server: name,
  managed: v.nullable(v.boolean()),
  enabled: v.boolean(),
  schedule: v.nullable(JobScheduleSchema),
  graceSec: v.nullable(count),
};

/**
 * Every event below carries `company` in its envelope, so a device only receives events of
 * companies that its user may see.
 */
export const jobFound = v.strictObject({
  type: v.literal('job.found@1'),
  data: v.strictObject({
    n: jobN,
    uid: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
    key: keyId,
    company: companyN,
    ...jobFields,
  }),
});
export const jobUpdated = v.strictObject({
  type: v.literal('job.updated@1'),
  data: v.strictObject({ n: jobN, ...jobFields }),
});

/** "Not an anomaly": the typical range includes the value from now on. */
export const jobCalibrated = v.strictObject({
  type: v.literal('job.calibrated@1'),
  data: v.strictObject({ n: jobN, measure: v.picklist(MEASURES), value: v.number() }),
});

/**
 * `missed`: no result is expected of the job until then. `disabled`: the job is intentionally
 * disabled, until it is enabled again (`until` null).
 */
export const jobIgnored = v.strictObject({
  type: v.literal('job.ignored@1'),
  data: v.strictObject({
    n: jobN,
    what: v.picklist(['missed', 'disabled']),
    until: v.nullable(ms),
  }),
});
export const jobUnignored = v.strictObject({
  type: v.literal('job.unignored@1'),
  data: v.strictObject({ n: jobN, what: v.picklist(['missed', 'disabled']) }),
});

export const AnomalySchema = v.strictObject({
  measure: v.picklist(MEASURES),
  value: v.number(),
  low: v.number(),
  high: v.number(),
});

const runFields = {
  n: runN,
  job: jobN,
  company: companyN,
  key: keyId,
  uid: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
  startedAt: ms,
};
const detail = v.record(
  v.pipe(v.string(), v.maxLength(64)),
  v.union([v.pipe(v.string(), v.maxLength(1000)), v.number(), v.boolean(), v.null()]),
);

/** Absent in events that were written before sources could report these fields. */
const planned = { level: v.optional(v.picklist(RUN_LEVELS)), scheduledFor: v.optional(ms) };

export const runStarted = v.strictObject({
  type: v.literal('run.started@1'),
  data: v.strictObject({ ...runFields, ...planned }),
});

/**
 * `corrects`: the run had already finished, and its previous result belonged to this problem, or to
 * none. The server sets it because it knows all runs. A device may have a day that is newer than
 * the events it has folded, so it can't tell a correction from data that is ahead of them.
 */
export const runFinished = v.strictObject({
  type: v.literal('run.finished@1'),
  data: v.strictObject({
    ...runFields,
    status: v.picklist(['Success', 'Warning', 'Failed', 'Error']),
    endedAt: ms,
    durationSec: v.nullable(count),
    bytes,
    bytesProcessed: bytes,
    files: v.nullable(count),
    filesFailed: v.nullable(count),
    message: v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.messageChars))),
    exitCode: v.nullable(v.pipe(v.number(), v.safeInteger())),
    anomaly: v.array(AnomalySchema),
    problem: v.nullable(problemN),
    hasLog: v.boolean(),
    detail,
    ...planned,
    errorCount: v.optional(count),
    warningCount: v.optional(count),
    corrects: v.optional(v.strictObject({ problem: v.nullable(problemN) })),
  }),
});

/**
 * The clock found that a job is past its expected time and grace. `startedAt` is the expected time.
 */
export const runMissed = v.strictObject({
  type: v.literal('run.missed@1'),
  data: v.strictObject({
    ...runFields,
    problem: problemN,
    message: v.pipe(v.string(), v.maxLength(LIMITS.messageChars)),
  }),
});

export const causeFound = v.strictObject({
  type: v.literal('cause.found@1'),
  data: v.strictObject({
    n: causeN,
    template: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.messageChars)),
    kind: v.picklist(PROBLEM_KINDS),
  }),
});

/** Precedes the run that refers to it, in the same transaction. */
export const problemOpened = v.strictObject({
  type: v.literal('problem.opened@1'),
  data: v.strictObject({
    n: problemN,
    job: jobN,
    company: companyN,
    cause: causeN,
    state: v.picklist(PROBLEM_STATES),
    run: runN,
    startedAt: ms,
  }),
});
export const problemClosed = v.strictObject({
  type: v.literal('problem.closed@1'),
  data: v.strictObject({ n: problemN, job: jobN, by: v.picklist(['success', 'changed']) }),
});

const problems = v.pipe(v.array(problemN), v.minLength(1), v.maxLength(LIMITS.bulkRuns));
const comment = v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.noteChars)));
export const problemReviewed = v.strictObject({
  type: v.literal('problem.reviewed@1'),
  data: v.strictObject({ problems, comment }),
});
export const problemReopened = v.strictObject({
  type: v.literal('problem.reopened@1'),
  data: v.strictObject({ problems }),
});
export const problemSnoozed = v.strictObject({
  type: v.literal('problem.snoozed@1'),
  data: v.strictObject({
    problems,
    until: ms,
    reason: v.pipe(v.string(), v.maxLength(LIMITS.reasonChars)),
  }),
});
export const problemUnsnoozed = v.strictObject({
  type: v.literal('problem.unsnoozed@1'),
  data: v.strictObject({ problems }),
});
/** `ticket` is the ticket's number in the provider's ticketing; null removes it. */
export const problemTicketSet = v.strictObject({
  type: v.literal('problem.ticketSet@1'),
  data: v.strictObject({
    problems,
    ticket: v.nullable(
      v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.ticketChars)),
    ),
  }),
});
/**
 * The linked ticket of a problem and its state, as a device shows it. `url`: its page in the
 * ticketing system. Null: the problem has no ticket, or one known by number only.
 */
export const LinkedTicketSchema = v.strictObject({
  id: uuid,
  open: v.boolean(),
  url: v.nullable(v.pipe(v.string(), v.maxLength(2_000), v.regex(/^https?:\/\//))),
});
export const problemTicketLinked = v.strictObject({
  type: v.literal('problem.ticketLinked@1'),
  data: v.strictObject({ problems, linkedTicket: v.nullable(LinkedTicketSchema) }),
});
/** `content` null deletes the note. */
export const problemNoted = v.strictObject({
  type: v.literal('problem.noted@1'),
  data: v.strictObject({ problems, content: comment }),
});

export const keyCreated = v.strictObject({
  type: v.literal('key.created@1'),
  data: v.strictObject({
    id: keyId,
    name: named,
    company: companyN,
    tool: v.picklist(SOURCES),
    managed: v.nullable(v.boolean()),
    hint: v.pipe(v.string(), v.length(4)),
    connection: v.optional(uuid),
    organization: v.optional(uuid),
  }),
});
export const keyRotated = v.strictObject({
  type: v.literal('key.rotated@1'),
  data: v.strictObject({ id: keyId, hint: v.pipe(v.string(), v.length(4)) }),
});
export const keyRevoked = v.strictObject({
  type: v.literal('key.revoked@1'),
  data: v.strictObject({ id: keyId }),
});
export const keyFirstResultReceived = v.strictObject({
  type: v.literal('key.firstResultReceived@1'),
  data: v.strictObject({ id: keyId }),
});

export const computerSeen = v.strictObject({
  type: v.literal('computer.seen@1'),
  data: v.strictObject({
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
    key: keyId,
    company: companyN,
    hostName: named,
    os: v.nullable(name),
    osType: v.nullable(name),
    ipAddresses: v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(64)),
  }),
});
const computerId = v.pipe(v.string(), v.minLength(1), v.maxLength(300));
export const computerNoted = v.strictObject({
  type: v.literal('computer.noted@1'),
  data: v.strictObject({
    id: computerId,
    content: v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.noteChars))),
  }),
});
/** The computer intentionally has no job. `until` null: forever. */
export const computerIgnored = v.strictObject({
  type: v.literal('computer.ignored@1'),
  data: v.strictObject({ id: computerId, until: v.nullable(ms) }),
});
export const computerUnignored = v.strictObject({
  type: v.literal('computer.unignored@1'),
  data: v.strictObject({ id: computerId }),
});
export const repositorySampled = v.strictObject({
  type: v.literal('repository.sampled@1'),
  data: v.strictObject({
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(400)),
    key: keyId,
    company: companyN,
    uid: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
    name: named,
    type: v.nullable(name),
    hostName: v.nullable(name),
    path: v.nullable(v.pipe(v.string(), v.maxLength(500))),
    capacityBytes: v.nullable(count),
    freeBytes: v.nullable(count),
    usedBytes: v.nullable(count),
    at: ms,
  }),
});
