/** Limits, written once. Sizes in bytes, times in milliseconds unless the name says otherwise. */
export const LIMITS = {
  bodyBytes: 1_048_576,
  ingestBodyBytes: 1_048_576,
  ingestPerMinute: 60,
  ingestRecords: 1_000,
  bulkRuns: 10_000,
  eventsPage: 5_000,
  pageRows: 16_384,
  noteChars: 2_000,
  reasonChars: 200,
  ticketChars: 64,
  preferenceChars: 8_000,
  viewChars: 2_000,
  viewsPerUser: 100,
  repositoryDays: 90,
  messageChars: 500,
  logBytes: 100_000,
  tasks: 500,
  nameChars: 200,
  passwordChars: 128,
  snoozeMaxMs: 366 * 86_400_000,
  undoMs: 10_000,
  accessMs: 10 * 60_000,
  idleMs: 30 * 60_000,
  absoluteMs: 12 * 3_600_000,
  refreshGraceMs: 10_000,
  offlineDays: 7,
  windowDays: 30,
  streamsPerUser: 20,
  backoffFirstMs: 30,
  backoffMostMs: 60_000,
  pollMs: 15_000,
} as const;

/** The protocol of sync. The server answers the present one and the one before. */
export const PROTOCOL = 1;
export const APP_VERSION = '2.2.14';
