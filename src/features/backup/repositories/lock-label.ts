import type { ObjectLockMode } from '#contract/backup/repositories.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** `Compliance` in words. */
export const lockLabel = (mode: ObjectLockMode): string =>
  mode === 'Compliance' ? t.lockCompliance : t.lockGovernance;

/** Who can delete backups before they expire. */
export const lockHint = (mode: ObjectLockMode): string =>
  mode === 'Compliance' ? t.lockComplianceHint : t.lockGovernanceHint;
