/** The engines' background jobs. */

export { repositoryAttachment } from '../embedded/attach/attach-job.ts';
export { deleteExpiredDownloads } from '../embedded/downloads/prepare.ts';
export { endAbandonedImports } from '../embedded/imports/imports.ts';
export { runImport } from '../embedded/imports/run-import.ts';
export { cleanUp, scheduleCleanUps } from '../embedded/repositories/clean-up-job.ts';
export {
  repositoryDeletion,
  scheduleDeletions,
} from '../embedded/repositories/delete-repository.ts';
export {
  findRepositoryAccess,
  findStoredRepository,
} from '../embedded/repositories/repositories.ts';
export {
  repositoryVerification,
  scheduleVerifications,
} from '../embedded/repositories/verify-job.ts';
export { restoreTask } from '../embedded/restore/restore-engine.ts';
export { endRights } from '../embedded/restore/rights/end-rights.ts';
export { backupSession } from '../embedded/sessions/run-session.ts';
export { backupSchedule } from '../embedded/sessions/schedule-job.ts';
export { forgetLongRemoved } from '../vb365/removed-repositories.ts';
export { vb365Restore } from '../vb365/restore/run-restore.ts';
export { scheduleServers, vb365Server } from '../vb365/sync-server.ts';
