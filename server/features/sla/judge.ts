import { sql } from 'kysely';
import type { JobN, Ms } from '#contract/ids.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import { NO_TALLY } from '#contract/dashboard/overview.ts';
import type { Tally } from '#contract/dashboard/overview.ts';
import { judgeSla } from '#contract/sla/sla.ts';
import type { SlaJob, SlaRow, SlaVerdict } from '#contract/sla/sla.ts';
import { countsAsBackup } from '#contract/runs/vocabulary.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import { knownJobs, meantJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJobs } from '#server/platform/queries/known-jobs.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { heaps, getTally, loadTotals } from '#server/platform/queries/totals.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

export interface Judged {
  readonly verdicts: ReadonlyMap<string, SlaVerdict>;
  readonly jobs: KnownJobs;
  readonly lastSuccess: ReadonlyMap<JobN, Ms>;
}

/** Returns the state of each alarm at a time. Results are queried once per window length. */
export async function judgeAll(tx: TenantTx, alarms: readonly SlaRow[], now: Ms): Promise<Judged> {
  const gone = (await tx.all('company')).flatMap(({ n, deletedAt }) =>
    deletedAt === undefined ? [] : [n],
  );
  const reach = { companies: null, without: gone };
  const jobs = await knownJobs(tx, reach);
  const lastSuccess = await lastSuccesses(tx);
  const { timeZone, dayBeginsHour } = await loadCompanyLimit(tx);
  const today = getDay(now, timeZone, dayBeginsHour);
  const verdicts = new Map<string, SlaVerdict>();
  for (const windowDays of new Set(alarms.map((alarm) => alarm.windowDays))) {
    const from = startOfDay(today - windowDays + 1, timeZone, dayBeginsHour);
    const tallies = await loadTallies(tx, reach, [
      from,
      startOfDay(today + 1, timeZone, dayBeginsHour),
    ]);
    const results = new Map(slaJobs(jobs, lastSuccess, tallies, now).map((one) => [one.n, one]));
    for (const alarm of alarms.filter((one) => one.windowDays === windowDays))
      verdicts.set(
        alarm.id,
        judgeSla(
          alarm,
          [...getAlarmJobs(alarm, jobs).keys()].flatMap((n) => results.get(n) ?? []),
          now,
        ),
      );
  }
  return { verdicts, jobs, lastSuccess };
}

/** Returns the jobs of an alarm; of a group, only jobs that make backups (OVER-7). */
export function getAlarmJobs(
  { n, companies, group }: Pick<SlaRow, 'n' | 'companies' | 'group'>,
  jobs: KnownJobs,
): KnownJobs {
  if (n !== null) {
    const known = jobs.get(n);
    return new Map(known ? [[n, known]] : []);
  }
  const meant =
    meantJobs(
      jobs,
      group === null
        ? {}
        : { source: group.source, type: group.type, entityGroup: group.entityGroup },
    ) ?? jobs;
  return getBackups(
    companies === null
      ? meant
      : new Map([...meant].filter(([, { job }]) => companies.includes(job.company))),
    group?.type ?? [],
  );
}

/** OVER-7: returns the jobs that count as backups when these types are requested. */
export function getBackups(jobs: KnownJobs, request: readonly JobType[]): KnownJobs {
  const counts = countsAsBackup(request);
  return new Map([...jobs].filter(([, { job }]) => counts(job.type)));
}

export const loadTallies = async (
  tx: TenantTx,
  reach: Parameters<typeof loadTotals>[1],
  edges: readonly Ms[],
): Promise<ReadonlyMap<JobN, Tally>> =>
  new Map(
    [...heaps(await loadTotals(tx, reach, edges, null, []), (one) => one.class)].map(
      ([job, all]) => [job, getTally(all, () => true)],
    ),
  );

export const slaJobs = (
  jobs: KnownJobs,
  lastSuccess: ReadonlyMap<JobN, Ms>,
  tallies: ReadonlyMap<JobN, Tally>,
  now: Ms,
): readonly SlaJob[] =>
  [...jobs.values()].map(({ job }): SlaJob => ({
    n: job.n,
    quiet:
      !job.enabled || (job.missedIgnored !== null && (job.missedIgnored.until ?? Infinity) > now),
    firstSeenAt: job.firstSeenAt,
    lastSuccess: lastSuccess.get(job.n) ?? null,
    tally: tallies.get(job.n) ?? NO_TALLY,
  }));

export async function lastSuccesses(tx: TenantTx): Promise<ReadonlyMap<JobN, Ms>> {
  const { rows } = await sql<{
    n: number;
    at: number;
  }>`select n::float8 as n, (row->>'lastSuccess')::float8 as at from stat where tenant_id = ${tx.tenant} and row->>'lastSuccess' is not null`.execute(
    tx.sql,
  );
  return new Map(rows.map(({ n, at }) => [n, at]));
}
