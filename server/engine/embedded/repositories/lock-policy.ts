import type { BackupRepositoryRow, ObjectLockMode } from '#contract/backup/repositories.ts';
import { getObjectLock } from '#contract/backup/repositories.ts';
import { policyAt, retainedUntil, type RetentionType } from '#contract/backup/retention.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';

/** How far beyond its need a file is locked, so that not every restore point renews its lock. */
export const LOCK_AHEAD_MS: Ms = 10 * DAY_MS;

/**
 * How far ahead a legal hold locks what it protects, at most to its end. Nobody can end a lock earlier,
 * so a hold that is released leaves files locked for no longer than this and `LOCK_AHEAD_MS`.
 */
export const HOLD_AHEAD_MS: Ms = 30 * DAY_MS;

/** How the files of a repository are locked. */
export interface LockPolicy {
  readonly mode: ObjectLockMode;
  readonly retentionType: RetentionType;
  /** Returns until when what was made at `at` is retained. */
  readonly getRetainedUntil: (at: Ms) => Ms;
}

/** Returns null for a repository whose files aren't locked. */
export async function loadLockPolicy(
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<LockPolicy | null> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  return row === undefined ? null : makeLockPolicy(row, now, (await loadCompanyLimit(tx)).timeZone);
}

function makeLockPolicy(row: BackupRepositoryRow, now: Ms, timeZone: string): LockPolicy | null {
  const mode = getObjectLock(row.target);
  if (mode === null) return null;
  const policy = policyAt(row, now);
  return {
    mode,
    retentionType: row.retentionType,
    // Locked repositories don't keep everything (OBJ-6). If one did, its lock would be short and renewed.
    getRetainedUntil: (at) => retainedUntil(policy, at, timeZone) ?? now,
  };
}
