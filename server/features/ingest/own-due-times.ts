import { findStartObstacle, getPreviousJob, type StartObstacle } from '#contract/backup/chains.ts';
import { dueAt } from '#contract/backup/jobs.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';

/**
 * When a backup job is due. `at` null: not automatically, or one of its sessions is running.
 * `obstacle`: why its schedule never starts it. Such a job is due since its last start.
 */
export interface OwnDueTime {
  readonly at: Ms | null;
  readonly obstacle: StartObstacle | null;
}

/** Returns when the backup jobs that Daybook runs itself are due. Jobs of other programs are missing. */
export async function ownDueTimes(
  tx: TenantTx,
  jobs: Iterable<JobRow>,
): Promise<ReadonlyMap<JobN, OwnDueTime>> {
  const all = [...jobs];
  const keys = await tx.rows('key', [...new Set(all.map(({ key }) => key))]);
  const own = all.filter(({ key }) => keys.get(key)?.organization !== undefined);
  if (own.length === 0) return new Map();
  const backups = new Map((await tx.all('backupJob')).map((job) => [job.id as string, job]));
  const timeZone = await loadZone(tx);
  return new Map(
    own.map(({ n, uid }): [JobN, OwnDueTime] => {
      const job = backups.get(uid);
      if (job?.removedAt !== null) return [n, { at: null, obstacle: null }];
      const at = dueAt(job, timeZone, getPreviousJob(job, backups));
      const obstacle = at === null && job.running === null ? findStartObstacle(job, backups) : null;
      return [
        n,
        {
          at: obstacle === null ? at : Math.max(job.scheduledAt, job.recent[0]?.startedAt ?? 0),
          obstacle,
        },
      ];
    }),
  );
}
