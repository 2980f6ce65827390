import { type BackupJobRow, dueAt } from '#contract/backup/jobs.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';

/**
 * Returns when the backup jobs that Daybook runs itself are due; null: not automatically, or one of
 * their sessions is running. Jobs of other programs are missing.
 */
export async function ownDueTimes(
  tx: TenantTx,
  jobs: Iterable<JobRow>,
): Promise<ReadonlyMap<JobN, Ms | null>> {
  const all = [...jobs];
  const keys = await tx.rows('key', [...new Set(all.map(({ key }) => key))]);
  const own = all.filter(({ key }) => keys.get(key)?.organization !== undefined);
  if (own.length === 0) return new Map();
  const backups = await tx.rows(
    'backupJob',
    own.map(({ uid }) => uid),
  );
  const previous = await tx.rows('backupJob', [
    ...new Set([...backups.values()].flatMap((job) => chainedAfter(job) ?? [])),
  ]);
  const timeZone = await loadZone(tx);
  return new Map(
    own.map(({ n, uid }) => {
      const job = backups.get(uid);
      return [
        n,
        job?.removedAt === null
          ? dueAt(job, timeZone, previous.get(chainedAfter(job) ?? '') ?? null)
          : null,
      ];
    }),
  );
}

const chainedAfter = ({ schedulePolicy: { schedule } }: BackupJobRow): string | null =>
  schedule.type === 'Chained' ? schedule.chainedAfter : null;
