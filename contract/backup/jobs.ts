import * as v from 'valibot';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { SessionResult, StartReason } from '../engine/sessions.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  CompanyN,
  Ms,
  OrganizationId,
  PointId,
  UserId,
} from '../ids.ts';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';
import { nameText } from '../text-schema.ts';
import { nextOpen, nextRetry, nextRun, SchedulePolicySchema } from './schedule.ts';

export const BACKUP_TYPES = ['EntireOrganization', 'SelectedItems'] as const;
/** `PersonalSites`: the drives of all people. */
export const JOB_ITEM_TYPES = [
  'User',
  'Group',
  'Site',
  'Team',
  'PartialOrganization',
  'PersonalSites',
] as const;
/**
 * What a job backs up of an item. `oneDrive`: the OneDrive of a person. `personalSite`: what else is in
 * a person's site, which only a Veeam server backs up. `members`: the members of a group. `sites`: of a
 * group or team its site, of the tenant all sites. A site is backed up itself; `subsites`: those below it, too.
 */
export const JOB_ITEM_PARTS = [
  'mailbox',
  'archiveMailbox',
  'oneDrive',
  'sites',
  'personalSite',
  'subsites',
  'teams',
  'teamsChats',
  'members',
] as const;
export type JobItemPart = (typeof JOB_ITEM_PARTS)[number];
export const SESSION_RESULTS = [
  'success',
  'warning',
  'failed',
  'cancelled',
] as const satisfies readonly SessionResult[];
const START_REASONS = [
  'manual',
  'schedule',
  'retry',
  'chained',
] as const satisfies readonly StartReason[];

const id = v.pipe(v.string(), v.uuid());
const jobId = uuidSchema<BackupJobId>();
const sessionId = uuidSchema<BackupSessionId>();
const organizationId = uuidSchema<OrganizationId>();
const repositoryId = uuidSchema<BackupRepositoryId>();
const pointId = uuidSchema<PointId>();
const userId = uuidSchema<UserId>();
const companyN: v.GenericSchema<CompanyN> = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * An object of the tenant's directory by its id there, without its name. `id` null: the tenant as a
 * whole.
 */
const jobItem = v.strictObject({
  type: v.picklist(JOB_ITEM_TYPES),
  id: v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars))),
  parts: v.array(v.picklist(JOB_ITEM_PARTS)),
});
export type JobItem = v.InferOutput<typeof jobItem>;
const jobItems = v.pipe(v.array(jobItem), v.maxLength(LIMITS.backupJobItems));

/** The maximum number of earlier versions of each file. */
export const FileVersionsSchema = v.union([
  v.picklist(['none', 'all']),
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.fileVersions)),
]);
export type FileVersions = v.InferOutput<typeof FileVersionsSchema>;

const FIELDS = {
  name: nameText(),
  description: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)),
  /** The posts of channels, too. */
  isTeamsChatsEnabled: v.boolean(),
  /** The words of contents are stored for searches. */
  isFullTextEnabled: v.exactOptional(v.boolean()),
  /** How many earlier versions of each file are backed up. Absent: none. */
  fileVersions: v.exactOptional(FileVersionsSchema),
  backupType: v.picklist(BACKUP_TYPES),
  selectedItems: jobItems,
  excludedItems: jobItems,
  repository: repositoryId,
  /** Null: a proxy of the repository. */
  proxy: v.nullable(id),
  schedulePolicy: SchedulePolicySchema,
};

export const backupJobCreated = v.strictObject({
  type: v.literal('backupjob.created@1'),
  data: v.strictObject({
    id: jobId,
    company: companyN,
    organization: organizationId,
    enabled: v.boolean(),
    ...FIELDS,
  }),
});

/** All settings of a job, valid from this event on. */
export const backupJobUpdated = v.strictObject({
  type: v.literal('backupjob.updated@1'),
  data: v.strictObject({ id: jobId, ...FIELDS }),
});

export const backupJobEnabled = v.strictObject({
  type: v.literal('backupjob.enabled@1'),
  data: v.strictObject({ id: jobId }),
});

export const backupJobDisabled = v.strictObject({
  type: v.literal('backupjob.disabled@1'),
  data: v.strictObject({ id: jobId }),
});

/**
 * Who is notified of a job's sessions. The log has the number of external addresses; the addresses
 * themselves are stored outside of it.
 */
const notifications = v.strictObject({
  enabled: v.boolean(),
  notifyOnFailure: v.boolean(),
  userIds: v.pipe(v.array(userId), v.maxLength(LIMITS.backupJobRecipients)),
  externalCount: count,
});
export const backupJobNotificationsUpdated = v.strictObject({
  type: v.literal('backupjob.notificationsUpdated@1'),
  data: v.strictObject({ id: jobId, notifications }),
});

export const backupJobDeleted = v.strictObject({
  type: v.literal('backupjob.deleted@1'),
  data: v.strictObject({ id: jobId }),
});

export const backupSessionStarted = v.strictObject({
  type: v.literal('backupsession.started@1'),
  data: v.strictObject({ id: sessionId, job: jobId, reason: v.picklist(START_REASONS) }),
});

/** Objects of the tenant that the session worked on, and how each ended. */
const counts = v.strictObject({ objects: count, succeeded: count, warned: count, failed: count });

/**
 * `bytesRead` from the tenant, `bytesStored` in the repository. `point`: the restore point; null if
 * the session made none. `message`: without names of items.
 */
export const backupSessionEnded = v.strictObject({
  type: v.literal('backupsession.ended@1'),
  data: v.strictObject({
    id: sessionId,
    job: jobId,
    result: v.picklist(SESSION_RESULTS),
    counts,
    bytesRead: count,
    bytesStored: count,
    point: v.nullable(pointId),
    message: v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.messageChars))),
  }),
});

const storedJobId = storedIdSchema<BackupJobId>();
const storedSessionId = storedIdSchema<BackupSessionId>();
const storedPointId = storedIdSchema<PointId>();
const storedOrganizationId = storedIdSchema<OrganizationId>();
const storedCompanyN: v.GenericSchema<CompanyN> = v.number();

const endedSession = v.object({
  id: storedSessionId,
  startedAt: v.number(),
  endedAt: v.number(),
  result: v.picklist(SESSION_RESULTS),
  counts,
  bytesRead: v.number(),
  bytesStored: v.number(),
  point: v.nullable(storedPointId),
  message: v.nullable(v.string()),
});

/** How many ended sessions a job's row has. */
export const RECENT_SESSIONS = 14;

/**
 * `running`: the session in progress. `recent`: the last ended sessions, newest first. `attempt`: how
 * often the last session has been repeated. `scheduledAt`: since when the schedule applies.
 */
export const BackupJobRowSchema = v.object({
  id: storedJobId,
  company: storedCompanyN,
  organization: storedOrganizationId,
  enabled: v.boolean(),
  ...FIELDS,
  notifications,
  running: v.nullable(v.object({ id: storedSessionId, startedAt: v.number() })),
  recent: v.array(endedSession),
  /** When the last restore point was made. */
  lastPointAt: v.nullable(v.number()),
  attempt: v.number(),
  scheduledAt: v.number(),
  createdAt: v.number(),
  updatedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type BackupJobRow = RowOf<typeof BackupJobRowSchema>;

/** A job as far as its schedule needs it. */
export type ScheduledJob = Pick<
  BackupJobRow,
  'enabled' | 'running' | 'recent' | 'attempt' | 'scheduledAt' | 'schedulePolicy'
>;

/**
 * Returns when a job is due next; null if nothing but a person starts it. A moment that has passed
 * means now: however many starts were missed, they are one run. Sessions of a job don't overlap: it
 * isn't due while one is running. `chainedAfter`: the job that a chained one follows, if it exists.
 */
export function dueAt(
  job: ScheduledJob,
  timeZone: string,
  chainedAfter: ScheduledJob | null = null,
): Ms | null {
  const { schedule, backupWindow } = job.schedulePolicy;
  if (!job.enabled || job.running !== null || schedule.type === 'Disabled') return null;
  const [last] = job.recent;
  const after = Math.max(job.scheduledAt, last?.startedAt ?? 0);
  const ended = chainedAfter?.recent[0]?.endedAt ?? 0;
  const start =
    schedule.type === 'Chained'
      ? ended > after
        ? nextOpen(backupWindow, ended, timeZone)
        : null
      : nextRun(job.schedulePolicy, after, timeZone, last?.endedAt ?? null);
  const retry =
    last?.result === 'failed' || last?.result === 'warning'
      ? nextRetry(job.schedulePolicy, last.endedAt, job.attempt)
      : null;
  const repeated = retry === null ? null : nextOpen(backupWindow, retry, timeZone);
  return start === null || repeated === null ? (start ?? repeated) : Math.min(start, repeated);
}
