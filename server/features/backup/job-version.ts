import { createHash } from 'node:crypto';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { canonical } from '#server/platform/db/canonical.ts';

/** Returns the version of a job's settings. It changes with them, and with nothing else. */
export const getJobVersion = ({
  name,
  description,
  backupType,
  isTeamsChatsEnabled,
  isFullTextEnabled,
  fileVersions,
  selectedItems,
  excludedItems,
  repository,
  proxy,
  schedulePolicy,
}: BackupJobRow): string =>
  createHash('sha256')
    .update(
      canonical({
        name,
        description,
        backupType,
        isTeamsChatsEnabled,
        isFullTextEnabled: isFullTextEnabled === true,
        fileVersions: fileVersions ?? 'none',
        selectedItems,
        excludedItems,
        repository,
        proxy,
        schedulePolicy,
      }),
    )
    .digest('base64url');
