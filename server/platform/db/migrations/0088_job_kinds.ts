import { owned, type Migration } from './migration.ts';

/**
 * Fills the last changes of jobs' kinds from logs that are older than their table; restored backups run
 * it too. Compares every change of a job with its state before.
 */
export const FILL_JOB_KINDS = `insert into job_kind (tenant_id, company_n, seq)
  select tenant_id, company_n, max(seq) from (
    select tenant_id, seq, max((data ->> 'company')::bigint) over (partition by tenant_id, data ->> 'n') as company_n,
      lag(seq) over job is not null and
        row(data ->> 'managed', data ->> 'source', data ->> 'type') is distinct from
        row(lag(data ->> 'managed') over job, lag(data ->> 'source') over job, lag(data ->> 'type') over job) as changed
    from event where type in ('job.found@1', 'job.updated@1', 'job.changed@1') and entity not like 'run:%'
    window job as (partition by tenant_id, data ->> 'n' order by seq)
  ) as change
  where changed and company_n is not null
  group by tenant_id, company_n
  on conflict (tenant_id, company_n) do nothing`;

const TABLES = ['job_kind', 'event'];

/**
 * The last event of each company that changed the kind of a job. Forced policies also bind the tables'
 * owner, so they are lifted for the statement.
 */
export const migration0088: Migration = {
  name: '0088',
  statements: [
    ...owned(
      'job_kind',
      'tenant_id uuid not null, company_n bigint not null, seq bigint not null, primary key (tenant_id, company_n)',
    ),
    ...TABLES.map((table) => `alter table ${table} no force row level security`),
    FILL_JOB_KINDS,
    ...TABLES.map((table) => `alter table ${table} force row level security`),
  ],
};
