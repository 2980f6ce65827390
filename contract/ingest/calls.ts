import * as v from 'valibot';
import { call } from '../call.ts';
import { renameSchedule, withFormerNames } from '../former-fields.ts';
import { JobScheduleSchema } from '../runs/events.ts';
import { TasksInSchema } from '../runs/task.ts';
import { ENTITY_GROUPS, JOB_TYPES, RUN_LEVELS, SOURCES } from '../runs/vocabulary.ts';
import { nameText } from '../text-schema.ts';

const text = nameText;
const instant = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * One execution in our own format, as a source posts it. Times are ISO 8601 with a zone, sizes in
 * bytes, durations in seconds.
 */
export const ExecutionInSchema = v.strictObject({
  job: text(200),
  /** Id of the job at the source. Defaults to the job's name and computer. */
  jobInstanceUid: v.optional(text(300)),
  externalId: v.optional(text(300)),
  computer: v.optional(text(200)),
  server: v.optional(text(200)),
  source: v.optional(v.picklist(SOURCES)),
  type: v.optional(v.picklist(JOB_TYPES)),
  entityGroup: v.optional(v.picklist(ENTITY_GROUPS)),
  managed: v.optional(v.nullable(v.boolean())),
  enabled: v.optional(v.boolean()),
  schedule: v.optional(v.nullable(withFormerNames(JobScheduleSchema, renameSchedule))),
  graceSec: v.optional(v.nullable(count)),
  status: v.picklist(['Running', 'Success', 'Warning', 'Failed', 'Error']),
  /** Full, incremental or differential, if the tool distinguishes them. */
  level: v.optional(v.nullable(v.picklist(RUN_LEVELS))),
  /** When it was scheduled to start. */
  scheduledFor: v.optional(v.nullable(instant)),
  startTime: instant,
  endTime: v.optional(v.nullable(instant)),
  durationSec: v.optional(v.nullable(count)),
  bytesTransferred: v.optional(v.nullable(count)),
  bytesProcessed: v.optional(v.nullable(count)),
  filesTotal: v.optional(v.nullable(count)),
  filesFailed: v.optional(v.nullable(count)),
  errorCount: v.optional(v.nullable(count)),
  warningCount: v.optional(v.nullable(count)),
  message: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(20_000)))),
  exitCode: v.optional(v.nullable(v.pipe(v.number(), v.integer()))),
  log: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(200_000)))),
  /** The result of each object of the job, in the job's order. */
  tasks: v.optional(v.nullable(TasksInSchema)),
  detail: v.optional(
    v.record(
      text(64),
      v.union([v.pipe(v.string(), v.maxLength(1000)), v.number(), v.boolean(), v.null()]),
    ),
  ),
});
export type ExecutionIn = v.InferOutput<typeof ExecutionInSchema>;

const size = v.optional(v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))));
export const RepositoryInSchema = v.strictObject({
  name: text(200),
  uid: v.optional(text(300)),
  type: v.optional(text(200)),
  hostName: v.optional(text(200)),
  path: v.optional(text(500)),
  capacityBytes: size,
  freeBytes: size,
  usedBytes: size,
  at: v.optional(instant),
});
export type RepositoryIn = v.InferOutput<typeof RepositoryInSchema>;

export const ComputerInSchema = v.strictObject({
  hostName: text(200),
  os: v.optional(v.nullable(text(200))),
  osType: v.optional(v.nullable(text(64))),
  ipAddresses: v.optional(v.pipe(v.array(text(64)), v.maxLength(64))),
});
export type ComputerIn = v.InferOutput<typeof ComputerInSchema>;

/** `rejected` lists the invalid records and why; all others are accepted. */
export const IngestedSchema = v.object({
  accepted: v.number(),
  duplicates: v.number(),
  rejected: v.array(v.object({ index: v.number(), error: v.string() })),
  /** Why valid input was not recorded, such as the output of a dry run. */
  note: v.optional(v.string()),
});
export type Ingested = v.InferOutput<typeof IngestedSchema>;

const post = (path: string, says: string) =>
  call({
    method: 'POST',
    path,
    summary: says,
    input: v.strictObject({}),
    output: IngestedSchema,
    gate: 'ingest-key',
    raw: true,
    failures: ['bad-input', 'signed-out', 'too-large', 'too-many'],
  });

export const ingestCalls = {
  ingestExecutions: {
    ...post('ingest/executions', 'Accepts one execution or an array of up to 1,000.'),
    cachedKeyAllowed: true,
  },
  ingestEvents: post('ingest/events', 'Accepts CloudEvents 1.0: structured, batch or binary.'),
  ingestRepositories: post('ingest/repositories', 'Accepts one repository sample or an array.'),
  ingestComputers: post('ingest/computers', 'Accepts one computer or an array.'),
  ingestRestic: post(
    'ingest/restic',
    'Accepts the output of `restic backup --json`, `restic snapshots --json` or `restic stats --mode raw-data --json`. Query parameters: job, host, exit, every, cron, tz, grace.',
  ),
  ingestBorg: post(
    'ingest/borg',
    'Accepts the output of `borg create --json`, `borg list --json` or `borg info --json`, also as borgmatic prints it. Query parameters: job, host, exit, tz and the others of restic.',
  ),
  ingestRclone: post(
    'ingest/rclone',
    'Accepts the log of `rclone --use-json-log`. Query parameters as for restic.',
  ),
  ingestBacula: post(
    'ingest/bacula',
    'Accepts rows of the catalog table Job as JSON. Query parameters as for restic.',
  ),
  ingestKopia: post(
    'ingest/kopia',
    'Accepts the output of `kopia snapshot create --json`. Query parameters as for restic.',
  ),
  ingestDuplicati: post(
    'ingest/duplicati',
    'Accepts what Duplicati sends with --send-http-json-urls. Query parameters as for restic.',
  ),
} as const;
