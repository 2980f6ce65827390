import type { NewEvent } from '#contract/events.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { jobChange, newJob } from './job-changes.ts';
import type { ReportedJob } from './normalize.ts';
import { bySource } from './pipeline.ts';

/**
 * Updates the jobs of a key without a result, and adds unknown ones so that they are visible before
 * their first run. `isNew` false: unknown ones are skipped.
 */
export async function followJobs(
  tx: TenantTx,
  key: IngestKeyRow,
  jobs: readonly ReportedJob[],
  at: Ms,
  isNew: (job: ReportedJob) => boolean = () => true,
): Promise<void> {
  const { job: next } = await tx.lock();
  const says = new Map(jobs.map((one) => [one.uid, one]));
  const there = await tx.rows(
    'job',
    (await jobsByUid(tx, key, [...says.keys()])).map(({ n }) => n),
  );
  const changes = [...there.values()].flatMap((job): NewEvent[] => {
    const data = jobChange(job, says.get(job.uid) ?? job);
    says.delete(job.uid);
    return data === null
      ? []
      : [
          {
            event: { type: 'job.updated@1', data },
            company: job.company,
            entity: `job:${job.n}`,
          },
        ];
  });
  const fresh = [...says.values()].filter(isNew).map((one, place): NewEvent => ({
    event: { type: 'job.found@1', data: newJob(next + place, key, one) },
    company: key.company,
    entity: `job:${next + place}`,
  }));
  await tx.append([...changes, ...fresh], bySource(key.id, at), { job: fresh.length });
}

export const jobsByUid = (
  { sql, tenant }: TenantTx,
  key: IngestKeyRow,
  uids: readonly string[],
): Promise<{ n: JobN; uid: string }[]> =>
  uids.length === 0
    ? Promise.resolve([])
    : sql
        .selectFrom('job')
        .select(['n', 'uid'])
        .where('tenant_id', '=', tenant)
        .where('key_id', '=', key.id)
        .where('uid', 'in', [...uids])
        .execute();
