import { getPreviousJob } from '#contract/backup/chains.ts';
import { type BackupJobRow, dueAt } from '#contract/backup/jobs.ts';
import { nextRetry } from '#contract/backup/schedule.ts';
import type { StartReason } from '#contract/engine/sessions.ts';
import type { BackupSessionId, Ms, PointId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadStoppedCompanies } from '#server/platform/queries/stopped-backups.ts';
import { startSession } from './session-rows.ts';

/** At least this often, whatever the log says. */
const EVERY_MS: Ms = 60 * 60_000;

/** Starts the sessions of the jobs that are due, and returns when the next one is. */
export const backupSchedule =
  (context: AppContext): JobHandler<'backup-schedule'> =>
  ({ tenant, now }) =>
    context.store.tenant(tenant, async (tx) => {
      // The jobs of other engines have a schedule of their own.
      const own = new Set(
        (await tx.all('organization')).flatMap(({ id, engine }) =>
          engine === 'embedded' ? [id] : [],
        ),
      );
      const jobs = (await tx.all('backupJob')).filter(
        ({ removedAt, organization }) => removedAt === null && own.has(organization),
      );
      if (jobs.length === 0) return now + EVERY_MS;
      const { timeZone } = await loadCompanyLimit(tx);
      const byId = new Map(jobs.map((job) => [job.id, job]));
      let next = now + EVERY_MS;
      const stopped = await loadStoppedCompanies(tx);
      for (const job of jobs) {
        // Continues with the event that activates the subscription.
        if (stopped.has(job.company)) continue;
        const due = dueAt(job, timeZone, getPreviousJob(job, byId));
        if (due === null) continue;
        if (due > now) next = Math.min(next, due);
        else
          await startSession(tx, job, {
            id: context.chance.uuid() as BackupSessionId,
            point: context.chance.uuid() as PointId,
            reason: getReason(job, now),
            user: null,
            at: now,
          });
      }
      return next;
    });

function getReason(
  { schedulePolicy, recent: [last], attempt }: BackupJobRow,
  now: Ms,
): StartReason {
  const hasFailed = last?.result === 'failed' || last?.result === 'warning';
  const retryAt = hasFailed ? nextRetry(schedulePolicy, last.endedAt, attempt) : null;
  if (retryAt !== null && retryAt <= now) return 'retry';
  return schedulePolicy.schedule.type === 'Chained' ? 'chained' : 'schedule';
}
