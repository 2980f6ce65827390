import { sql } from 'kysely';
import type { CompanyN, JobN } from '#contract/ids.ts';
import type { JobFilters } from '#contract/runs/result-filters.ts';
import type { JobNameOut } from '#contract/reports/result-rows.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ofReach } from './query.ts';
import type { QueryScope } from './query.ts';

/** A job and the name of its company. `key`: the names of job and computer in lower case. */
export interface KnownJob {
  readonly job: JobRow;
  readonly companyName: string;
  readonly key: string;
}
export type KnownJobs = ReadonlyMap<JobN, KnownJob>;

/** Separates two names. */
const FIELD = '\0';

/** Returns all jobs within the reach. */
export async function knownJobs(tx: TenantTx, reach: QueryScope): Promise<KnownJobs> {
  const names = await companyNames(tx);
  const { rows } = await sql<{
    readonly row: JobRow;
  }>`select row from job where ${ofReach('job', tx.tenant, reach)} order by n`.execute(tx.sql);
  return new Map(
    rows.map(({ row }) => [
      row.n,
      {
        job: row,
        companyName: names.get(row.company) ?? '',
        key: (row.name + FIELD + row.computer).toLowerCase(),
      },
    ]),
  );
}

export const companyNames = async (tx: TenantTx): Promise<ReadonlyMap<CompanyN, string>> =>
  new Map((await tx.all('company')).map(({ n, name }) => [n, name]));

/** An empty list means all. */
const among = <T>(all: readonly T[] | undefined, one: T): boolean =>
  all === undefined || all.length === 0 || all.includes(one);

export const getKey = (text: string | undefined): string => (text ?? '').trim().toLowerCase();

/** Whether the name of the job, its computer or its company contains the text, ignoring case. */
export const isNamed = ({ key, companyName }: KnownJob, text: string): boolean =>
  !text.includes(FIELD) && (key.includes(text) || companyName.toLowerCase().includes(text));

/** Returns the jobs that match the filters, except for the search text; null: all of them. */
export function meantJobs(
  jobs: KnownJobs,
  { source, type, entityGroup, managed, jobInstanceUid }: Omit<JobFilters, 'text'> = {},
): KnownJobs | null {
  if (
    [source, type, entityGroup, jobInstanceUid].every((one) => (one ?? []).length === 0) &&
    typeof managed !== 'boolean'
  )
    return null;
  return new Map(
    [...jobs].filter(
      ([, { job }]) =>
        among(source, job.source) &&
        among(type, job.type) &&
        among(entityGroup, job.group) &&
        among(jobInstanceUid, job.uid) &&
        (typeof managed !== 'boolean' || job.managed === managed),
    ),
  );
}

/** The same, including the search text in a name. */
export function namedJobs(jobs: KnownJobs, filters: JobFilters = {}): KnownJobs {
  const meant = meantJobs(jobs, filters) ?? jobs;
  const text = getKey(filters.text);
  return text === '' ? meant : new Map([...meant].filter(([, one]) => isNamed(one, text)));
}

/** Returns the jobs sorted by company name, then by job name. */
export const listJobsByName = (jobs: KnownJobs): readonly KnownJob[] =>
  [...jobs.values()]
    .map((one) => ({ one, company: one.companyName.toLowerCase() }))
    .sort(
      (a, b) =>
        order(a.company, b.company) ||
        a.one.job.company - b.one.job.company ||
        order(a.one.key, b.one.key) ||
        a.one.job.n - b.one.job.n,
    )
    .map(({ one }) => one);
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const getJobName = ({ job, companyName }: KnownJob): JobNameOut => ({
  jobInstanceUid: job.uid,
  jobName: job.name,
  company: job.company,
  companyName,
  computerName: job.computer,
  serverName: job.server,
  source: job.source,
  type: job.type,
  entityGroup: job.group,
  managed: job.managed,
  enabled: job.enabled,
  scheduleState: getScheduleState(job),
});
