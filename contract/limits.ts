import { TEXT_LIMITS } from './text-limits.ts';

/** All limits. Sizes in bytes and times in milliseconds, unless the name says otherwise. */
export const LIMITS = {
  ...TEXT_LIMITS,
  bodyBytes: 1_048_576,
  /** A backup job that names as many items as it may, with the longest ids that sites have. */
  jobBodyBytes: 8_388_608,
  ingestBodyBytes: 1_048_576,
  /** For calls that don't require sign-in: maximum body size, and time to receive it. */
  publicBodyBytes: 16_384,
  publicBodyMs: 10_000,
  /**
   * Memory for request bodies being received at one time: in total, from signed-out clients, from
   * signed-out clients at one address, per provider, per user or key.
   */
  bodyBytesAtOnce: 134_217_728,
  strangerBodyBytesAtOnce: 16_777_216,
  addressBodyBytesAtOnce: 4_194_304,
  providerBodyBytesAtOnce: 50_331_648,
  callerBodyBytesAtOnce: 16_777_216,
  /** 200 people behind one address need 1,400 connections: each browser opens six and a stream. */
  openConnections: 8_192,
  openConnectionsPerAddress: 2_048,
  headersMs: 10_000,
  requestMs: 30_000,
  ingestPerMinute: 60,
  /** For all jobs of a key together. Each job alone is limited to the number above. */
  pingsPerMinute: 3_000,
  ingestRecords: 1_000,
  /**
   * What results, their logs and objects may store in one UTC day, unless the provider sets other
   * limits. 10,000 jobs with 40 kB of logs a day each use 0.4 GB.
   */
  ingestKeyBytesPerDay: 1_000_000_000,
  ingestProviderBytesPerDay: 4_000_000_000,
  bulkRuns: 10_000,
  eventsPage: 5_000,
  pageRows: 16_384,
  noteChars: 2_000,
  /** Of an organization, not released. */
  legalHolds: 200,
  /** Of an organization, not ended; as many that ended stay listed. */
  exclusions: 200,
  reasonChars: 200,
  ticketChars: 64,
  subjectChars: 100,
  descriptionChars: 4_000,
  ticketProblems: 500,
  supportPerHour: 5,
  supportPartChars: 1_000,
  supportKeepMs: 366 * 86_400_000,
  preferenceChars: 8_000,
  viewChars: 2_000,
  viewsPerUser: 100,
  rules: 200,
  hints: 300,
  slaAlarms: 500,
  pushDevices: 10,
  webhooks: 20,
  webhookCompanies: 1_000,
  webhookWaiting: 200,
  webhookFacts: 50,
  webhookHistory: 200,
  webhookKeepMs: 30 * 86_400_000,
  webhookFailMs: 5 * 86_400_000,
  digestLines: 20,
  digestLateMs: 4 * 3_600_000,
  repositoryDays: 90,
  reports: 200,
  reportRecipients: 20,
  invoiceRows: 200_000,
  reportRows: 10_000,
  reportShownRows: 1_000,
  reportFileBytes: 15_000_000,
  reportKeepMs: 90 * 86_400_000,
  reportHistoryMs: 366 * 86_400_000,
  reportSendsPerDay: 200,
  messageChars: 500,
  logBytes: 100_000,
  tasks: 500,
  addressChars: 300,
  secretChars: 4_000,
  certificateChars: 20_000,
  connections: 50,
  organizations: 500,
  backupRepositories: 500,
  backupJobs: 2_000,
  backupJobItems: 10_000,
  /** Earlier versions of a file that a job backs up, unless it backs up all. */
  fileVersions: 500,
  backupJobRecipients: 50,
  /** Roles of restore operators of a provider, and what one of them names. */
  restoreRoles: 500,
  restoreRoleOperators: 200,
  restoreRoleItems: 5_000,
  /** Items that one restore names. A folder is named as a whole. */
  restoreNodes: 5_000,
  /** A row of a list that is shown. */
  previewRowBytes: 1_048_576,
  /** A restore of more items needs a recent sign-in and a reason (G71). */
  restorePlainItems: 1_000,
  /** In this time, by one person in one organization. */
  restorePlainMs: 86_400_000,
  /** How long a restore waits for the approval of a second person. */
  restoreApprovalMs: 3 * 86_400_000,
  /** Files of a download that is sent at once, and the size from which one needs a recent sign-in. */
  downloadItems: 1_000_000,
  downloadPlainBytes: 5_000_000_000,
  /** Items of a download in the background. Their names are in memory while they are listed. */
  exportItems: 5_000_000,
  /** A part of a download in the background, and how long it is stored. */
  exportPartBytes: 10_000_000_000,
  exportKeepMs: 7 * 86_400_000,
  /** What a provider's downloads in the background may have on the disk together. */
  exportBytes: 500_000_000_000,
  /** Of one user, those that run. */
  exportsRunning: 5,
  /** Largest archive that is imported, and how much of it one request brings. */
  importBytes: 50_000_000_000,
  importPartBytes: 2_097_152,
  /** Imports that wait or run at a time, of one provider. */
  importsRunning: 20,
  /** An archive of which nothing more arrives for this long is deleted. */
  importIdleMs: 2 * 86_400_000,
  apiKeys: 20,
  apiKeyDays: 365,
  apiKeyPerMinute: 300,
  apiKeyAtOnce: 6,
  apiAddressPerMinute: 1_200,
  snoozeMaxMs: 366 * 86_400_000,
  undoMs: 10_000,
  accessMs: 10 * 60_000,
  idleMs: 30 * 60_000,
  absoluteMs: 12 * 3_600_000,
  freshMs: 5 * 60_000,
  attemptMs: 10 * 60_000,
  codeMs: 5 * 60_000,
  codeTries: 5,
  codeSends: 3,
  rememberMs: 30 * 86_400_000,
  impersonationMs: 60 * 60_000,
  loginTokenMs: 60_000,
  passwordLinkMs: 15 * 60_000,
  invitationMs: 7 * 86_400_000,
  emailLinkMs: 24 * 3_600_000,
  emailLinksPerHour: 3,
  minPasswordChars: 15,
  minPasswordCharsWithFactor: 8,
  refreshGraceMs: 10_000,
  offlineDays: 7,
  windowDays: 30,
  streamsPerUser: 20,
  backoffFirstMs: 30,
  maxBackoffMs: 60_000,
  /** How long calls wait for a server that has just become unreachable, such as one that restarts. */
  graceMs: 5_000,
  pollMs: 15_000,
  /** The shortest time between a pull and the next one that a poke causes. */
  pullGapMs: 300,
} as const;

/** Version of the sync protocol. The server supports this version and the previous one. */
export const PROTOCOL = 2;
