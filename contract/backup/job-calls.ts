import * as v from 'valibot';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  OrganizationId,
  UserId,
} from '../ids.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import {
  anyBackupSessionId,
  anyId,
  anyJobId,
  anyOrganizationId,
  anyRepositoryId,
  words,
} from '../paging.ts';
import { nameText } from '../text-schema.ts';
import {
  BackupJobRowSchema,
  FileVersionsSchema,
  BACKUP_TYPES,
  JOB_ITEM_PARTS,
  JOB_ITEM_TYPES,
  type JobItem,
  type JobItemPart,
} from './jobs.ts';
import { START_OBSTACLES } from './chains.ts';
import { obstacleMessages } from './obstacle.messages.en.ts';
import { BackupWindowSchema, SchedulePolicySchema } from './schedule.ts';
import { CURSOR, idOut, listPageSchema, OFFSET } from './suite-schema.ts';

type PartFlags = { readonly [P in JobItemPart]?: boolean | undefined };

/** What a flag means that an item doesn't have. */
interface PartDefaults {
  /** Naming one of these leaves out those that aren't named. */
  readonly alternatives: (type: JobItem['type']) => readonly JobItemPart[];
  readonly ifAbsent: Readonly<Record<JobItemPart, boolean>>;
}
const ALTERNATIVES = ['mailbox', 'archiveMailbox', 'oneDrive', 'teams'] as const;
/** The specification: without `sites`, with `personalSite`. A team has no mailboxes to choose from. */
const SELECTED: PartDefaults = {
  alternatives: (type) => (type === 'Team' ? [] : ALTERNATIVES),
  ifAbsent: {
    mailbox: true,
    archiveMailbox: true,
    oneDrive: true,
    sites: false,
    personalSite: true,
    subsites: true,
    teams: true,
    teamsChats: false,
    members: true,
  },
};
/** An item that names parts excludes these, and one that names none excludes all of it. */
const EXCLUDED: PartDefaults = {
  alternatives: () => [...ALTERNATIVES, 'sites', 'personalSite'],
  ifAbsent: { ...SELECTED.ifAbsent, sites: true },
};
const partFlags = Object.fromEntries(
  JOB_ITEM_PARTS.map((part) => [part, v.optional(v.boolean())]),
) as {
  readonly [P in JobItemPart]: v.OptionalSchema<v.BooleanSchema<undefined>, undefined>;
};
function hasPart(
  type: JobItem['type'],
  flags: PartFlags,
  part: JobItemPart,
  { alternatives, ifAbsent }: PartDefaults,
): boolean {
  const named = alternatives(type);
  const isLeftOut = named.includes(part) && named.some((one) => flags[one] === true);
  return flags[part] ?? (isLeftOut ? false : ifAbsent[part]);
}

/** `namesArchive`: the archive mailbox is asked for, not only not left out. */
export interface NamedItem extends JobItem {
  readonly namesArchive?: boolean;
}

/**
 * An object of the tenant. `id` null: the tenant as a whole for `PartialOrganization`, all sites for
 * `Site`.
 */
const itemFields = v.strictObject({
  type: v.picklist(JOB_ITEM_TYPES),
  id: v.optional(
    v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars))),
    null,
  ),
  ...partFlags,
});
function items(defaults: PartDefaults) {
  const item = v.pipe(
    itemFields,
    v.transform(({ type, id, ...flags }): NamedItem => ({
      type,
      id,
      parts: JOB_ITEM_PARTS.filter((part) => hasPart(type, flags, part, defaults)),
      namesArchive: flags.archiveMailbox === true,
    })),
  );
  return v.optional(v.pipe(v.array(item), v.maxLength(LIMITS.backupJobItems)), []);
}

const backupType = v.pipe(
  v.string(),
  v.transform(
    (text) => BACKUP_TYPES.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text,
  ),
  v.picklist(BACKUP_TYPES),
);

const email = v.pipe(v.string(), v.trim(), v.email(), v.maxLength(LIMITS.addressChars));
const notification = v.strictObject({
  enabled: v.boolean(),
  notifyOnFailure: v.boolean(),
  userIds: v.pipe(v.array(uuidSchema<UserId>()), v.maxLength(LIMITS.backupJobRecipients)),
  externalAddresses: v.pipe(v.array(email), v.maxLength(LIMITS.backupJobRecipients)),
});

/** Logs of former versions have jobs with a window without hours, which never run. */
const openPolicy = v.strictObject({
  ...SchedulePolicySchema.entries,
  backupWindow: v.nullable(
    v.pipe(
      BackupWindowSchema,
      v.check(
        (hours) => hours.includes('1'),
        () => obstacleMessages.windowClosed,
      ),
    ),
  ),
});

const fields = {
  name: nameText(),
  description: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars)), ''),
  isTeamsChatsEnabled: v.optional(v.boolean(), false),
  /** Stores the words of contents outside of the repository, for searches. */
  isFullTextEnabled: v.optional(v.boolean(), false),
  /** The earlier versions of each file in Microsoft 365: a maximum number, or all. */
  fileVersions: v.optional(FileVersionsSchema, 'none'),
  backupType,
  selectedItems: items(SELECTED),
  excludedItems: items(EXCLUDED),
  repositoryId: anyRepositoryId,
  proxyId: v.optional(v.nullable(anyId), null),
  schedulePolicy: openPolicy,
  /** Starts the job at once. */
  runNow: v.optional(v.boolean(), false),
  notification: v.optional(notification),
};
const itemOut = v.object({
  type: v.picklist(JOB_ITEM_TYPES),
  id: v.nullable(v.string()),
  /** Empty if the directory doesn't have it any more. */
  name: v.string(),
  address: v.string(),
  ...(Object.fromEntries(JOB_ITEM_PARTS.map((part) => [part, v.boolean()])) as {
    readonly [P in JobItemPart]: v.BooleanSchema<undefined>;
  }),
});

/**
 * A job without its items. `lastStatus`: of the session in progress, or of the last one; null before
 * the first. `nextRun`: a moment that has passed means now. `obstacle`: why its schedule never starts
 * an enabled job; `jobName`: the job that it follows, if it is about that one.
 */
export const jobOut = v.object({
  _id: v.string(),
  ...v.pick(BackupJobRowSchema, [
    'id',
    'name',
    'description',
    'isTeamsChatsEnabled',
    'backupType',
    'schedulePolicy',
    'running',
    'recent',
  ]).entries,
  isFullTextEnabled: v.boolean(),
  fileVersions: FileVersionsSchema,
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
  companyN: v.number(),
  repositoryId: storedIdSchema<BackupRepositoryId>(),
  repositoryName: v.string(),
  proxyId: v.nullable(v.string()),
  selected: v.number(),
  excluded: v.number(),
  isEnabled: v.boolean(),
  lastStatus: v.nullable(v.picklist(['Running', 'Success', 'Warning', 'Failed', 'Error'])),
  lastRun: v.nullable(v.number()),
  lastBackup: v.nullable(v.number()),
  nextRun: v.nullable(v.number()),
  obstacle: v.nullable(
    v.object({ kind: v.picklist(START_OBSTACLES), jobName: v.nullable(v.string()) }),
  ),
});

const SCHEDULE_STATES = ['Enabled', 'Disabled'] as const;
/** Which jobs a list has. */
export const jobFilters = {
  scheduleState: v.optional(v.picklist(SCHEDULE_STATES)),
  search: words,
  ...CURSOR,
};

const progress = v.object({ done: v.number(), total: v.nullable(v.number()) });
const sessionOut = v.object({
  id: v.string(),
  jobId: storedIdSchema<BackupJobId>(),
  state: v.picklist(['queued', 'running', 'stopping', 'done']),
  status: v.picklist(['Running', 'Success', 'Warning', 'Failed', 'Error']),
  reason: v.picklist(['manual', 'schedule', 'retry', 'chained']),
  creationTime: v.number(),
  endTime: v.nullable(v.number()),
  details: v.nullable(v.string()),
  progress: v.object({
    objects: progress,
    items: progress,
    bytes: progress,
    storedBytes: v.number(),
    waiting: v.nullable(v.object({ until: v.nullable(v.number()), reason: v.string() })),
  }),
  objects: v.array(
    v.object({
      name: v.string(),
      kind: v.string(),
      state: v.string(),
      items: v.number(),
      bytes: v.number(),
      message: v.nullable(v.string()),
    }),
  ),
});
const logOut = v.object({
  n: v.number(),
  at: v.number(),
  level: v.picklist(['info', 'warning', 'error']),
  message: v.string(),
});
/** Whether lines were deleted because of their age (LOG-14). */
const isLogDeleted = v.boolean();

const gate = 'o365.jobs';
const jobId = anyJobId;
const COMMAND = ['not-found', 'conflict', 'key-reused', 'out-of-order'] as const;
/** The organization of the job, if the caller wants it checked. Its name is ignored. */
const OF_ORGANIZATION = {
  organizationId: v.optional(anyOrganizationId),
  organizationName: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))),
};
const done = v.object({ success: v.literal(true) });

export const backupJobCalls = {
  createBackupJob: call({
    method: 'POST',
    path: 'o365/jobs',
    summary: 'Creates a backup job.',
    input: v.strictObject({ organizationId: anyOrganizationId, ...fields }),
    output: idOut,
    gate,
    failures: ['bad-input', ...COMMAND, 'busy', 'forbidden'],
    isSlow: true,
    bodyBytes: LIMITS.jobBodyBytes,
  }),
  listBackupJobs: call({
    method: 'GET',
    path: 'o365/jobs',
    summary: 'Lists the backup jobs by name.',
    input: v.strictObject({
      organizationId: v.optional(anyOrganizationId),
      ...jobFilters,
    }),
    output: listPageSchema(jobOut),
    gate,
    failures: [],
  }),
  getBackupJob: call({
    method: 'GET',
    path: 'o365/jobs/{jobId}',
    summary: 'Returns a backup job with its items.',
    input: v.strictObject({ jobId }),
    output: v.object({
      ...jobOut.entries,
      /** Changes with the settings. */
      version: v.string(),
      selectedItems: v.array(itemOut),
      excludedItems: v.array(itemOut),
    }),
    gate,
    failures: ['not-found'],
  }),
  updateBackupJob: call({
    method: 'PUT',
    path: 'o365/jobs/{jobId}',
    summary: 'Changes a backup job. A session in progress ends with the settings it began with.',
    input: v.strictObject({
      jobId,
      ...fields,
      /** The version that the changes are about: another one is refused. */
      version: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.nameChars))),
    }),
    output: v.object({}),
    gate,
    failures: ['bad-input', ...COMMAND, 'busy', 'forbidden'],
    isSlow: true,
    bodyBytes: LIMITS.jobBodyBytes,
  }),
  deleteBackupJob: call({
    method: 'DELETE',
    path: 'o365/jobs/{jobId}',
    summary:
      'Deletes a backup job that no other job starts after. Its restore points stay as long as their repository keeps them.',
    input: v.strictObject({ jobId }),
    output: v.object({}),
    gate,
    failures: [...COMMAND, 'busy', 'forbidden'],
    isSlow: true,
  }),
  startBackupJob: call({
    method: 'POST',
    path: 'o365/jobs/{jobId}/start',
    summary: 'Starts a session of a job, unless one is running.',
    input: v.strictObject({ jobId, ...OF_ORGANIZATION }),
    output: v.object({ ...done.entries, sessionId: storedIdSchema<BackupSessionId>() }),
    gate,
    failures: [...COMMAND, 'busy'],
  }),
  stopBackupJob: call({
    method: 'POST',
    path: 'o365/jobs/{jobId}/stop',
    summary: 'Stops the running session of a job. What it has backed up stays.',
    input: v.strictObject({ jobId, ...OF_ORGANIZATION }),
    output: done,
    gate,
    failures: [...COMMAND, 'busy'],
  }),
  enableBackupJob: call({
    method: 'POST',
    path: 'o365/jobs/{jobId}/enable',
    summary: 'Lets a job start on its schedule.',
    input: v.strictObject({ jobId, ...OF_ORGANIZATION }),
    output: done,
    gate,
    failures: [...COMMAND, 'busy'],
    offline: 'The last change to arrive wins.',
  }),
  disableBackupJob: call({
    method: 'POST',
    path: 'o365/jobs/{jobId}/disable',
    summary: 'Keeps a job from starting on its schedule. A running session continues.',
    input: v.strictObject({ jobId, ...OF_ORGANIZATION }),
    output: done,
    gate,
    failures: [...COMMAND, 'busy'],
    offline: 'The last change to arrive wins.',
  }),
  getLatestSession: call({
    method: 'GET',
    path: 'o365/jobs/{jobId}/detail/latest',
    summary: 'Returns the running or last session of a job, and its newest log lines.',
    input: v.strictObject({ jobId, organizationId: v.optional(anyOrganizationId) }),
    output: v.object({
      session: v.nullable(sessionOut),
      logs: v.array(logOut),
      isLogDeleted,
    }),
    gate,
    failures: ['not-found', 'busy', 'conflict'],
  }),
  getSessionLog: call({
    method: 'GET',
    path: 'o365/jobs/{jobId}/detail/{sessionId}/logs',
    summary: 'Lists the log of a session, oldest line first.',
    input: v.strictObject({
      jobId,
      sessionId: anyBackupSessionId,
      organizationId: v.optional(anyOrganizationId),
      ...OFFSET,
    }),
    output: v.object({ ...listPageSchema(logOut).entries, isLogDeleted }),
    gate,
    failures: ['not-found', 'busy', 'conflict'],
  }),
  getJobNotifications: call({
    method: 'GET',
    path: 'o365/jobs/{jobId}/notifications',
    summary: 'Returns who is notified of the sessions of a job.',
    input: v.strictObject({ jobId }),
    output: v.object({
      ...notification.entries,
      /** Of `userIds`, without deleted ones. */
      users: v.array(v.object({ _id: v.string(), name: v.string(), username: v.string() })),
    }),
    gate,
    failures: ['not-found'],
  }),
  setJobNotifications: call({
    method: 'POST',
    path: 'o365/jobs/{jobId}/notifications',
    summary: 'Sets who is notified of the sessions of a job.',
    input: v.strictObject({
      jobId,
      organizationId: v.optional(anyOrganizationId),
      ...notification.entries,
    }),
    output: v.object({}),
    gate,
    failures: ['bad-input', ...COMMAND],
  }),
} as const;
