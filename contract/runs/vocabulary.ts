/**
 * The terms of the field, in the order in which columns encode them. Append only: the position is
 * the code on disk and on the wire. There is room for 8 statuses, 32 sources and 16 types
 * (columns.ts).
 */
export const STATUSES = ['Running', 'Success', 'Warning', 'Failed', 'Error', 'Missed'] as const;
export type Status = (typeof STATUSES)[number];

export const SOURCES = [
  'api',
  'ping',
  'restic',
  'borg',
  'borgmatic',
  'kopia',
  'rclone',
  'bacula',
  'bareos',
  'duplicati',
  'pbs',
  'urbackup',
  'vac',
  'vbr',
  'vcd',
  'zerto',
  'office365',
] as const;
export type Source = (typeof SOURCES)[number];

/** The tools' own names. They are the same in every language, and lists sort by them. */
export const SOURCE_NAMES: Readonly<Record<Source, string>> = {
  api: 'API',
  ping: 'Ping',
  restic: 'restic',
  borg: 'borg',
  borgmatic: 'borgmatic',
  kopia: 'Kopia',
  rclone: 'rclone',
  bacula: 'Bacula',
  bareos: 'Bareos',
  duplicati: 'Duplicati',
  pbs: 'Proxmox Backup',
  urbackup: 'UrBackup',
  vac: 'Veeam SPC',
  vbr: 'Veeam B&R',
  vcd: 'Cloud Director',
  zerto: 'Zerto',
  office365: 'Microsoft 365',
};

export const JOB_TYPES = [
  'Backup',
  'BackupCopy',
  'Replication',
  'Tape',
  'FileShare',
  'ObjectStorage',
  'Agent',
  'M365',
  'Snapshot',
  'SureBackup',
  'LogBackup',
  'Copy',
  'Archive',
  'Sync',
  'Other',
] as const;
export type JobType = (typeof JOB_TYPES)[number];

/**
 * Types that don't create a backup, such as copies and tests of existing ones: their success alone
 * protects nothing. Restores and checks are `Other`.
 */
const NO_BACKUP: ReadonlySet<JobType> = new Set<JobType>([
  'BackupCopy',
  'SureBackup',
  'Copy',
  'Other',
]);
export const isBackupType = (type: JobType): boolean => !NO_BACKUP.has(type);

/**
 * Returns a function that tells whether results of a job type count where several jobs are judged
 * together (CAL-6, OVER-7). Copies, restores and checks count only if the query is about such types
 * alone.
 */
export const countsAsBackup = (request: readonly JobType[]): ((type: JobType) => boolean) =>
  request.length > 0 && !request.some(isBackupType) ? () => true : isBackupType;

export const ENTITY_GROUPS = [
  'managed-servers',
  'monitored-agents',
  'managed-agents',
  'office365',
  'public-cloud-vms',
  'file-share-jobs',
  'other',
] as const;
export type EntityGroup = (typeof ENTITY_GROUPS)[number];

/** The states of a problem, worst first. `Missed` is shown as "Did not run". */
export const PROBLEM_STATES = ['Failed', 'Error', 'Missed', 'Anomaly', 'Warning'] as const;
export type ProblemState = (typeof PROBLEM_STATES)[number];
/** A higher number is worse. */
export const SEVERITY: Record<ProblemState, number> = {
  Failed: 5,
  Error: 5,
  Missed: 4,
  Warning: 3,
  Anomaly: 2,
};

/** A rough category of a cause, for the facet "Kind of problem". */
export const PROBLEM_KINDS = [
  'connection',
  'snapshot',
  'silent',
  'space',
  'partial',
  'unusual',
  'access',
  'locked',
  'integrity',
  'cancelled',
  'other',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

export const MEASURES = ['duration', 'bytes', 'files'] as const;
export type Measure = (typeof MEASURES)[number];

/** How much of its source a backup reads. */
export const RUN_LEVELS = ['Full', 'Incremental', 'Differential', 'VirtualFull', 'Base'] as const;
export type RunLevel = (typeof RUN_LEVELS)[number];
