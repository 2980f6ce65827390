import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';
const counts = ['failed', 'error', 'missed', 'anomaly', 'warning', 'running', 'success'];

/**
 * Totals of each job's results per operational day (TREND-1), for days that are over.
 * `run_total_day` stores which days have totals, and each day's bounds: those of a tenant never
 * overlap. `last`: the index of the state of the last finished run, or null. `finished`: results
 * with a known duration.
 */
export const migration0020: Migration = {
  name: '0020',
  statements: [
    ...owned(
      'run_total_day',
      `${t}, day int not null, from_at bigint not null, to_at bigint not null, primary key (tenant_id, day)`,
    ),
    ...owned(
      'run_total',
      `${t}, day int not null, job_n bigint not null, company_n bigint not null, runs int not null, ${counts.map((one) => `${one} int not null`).join(', ')},
      bytes bigint not null, seconds bigint not null, finished int not null, last smallint, primary key (tenant_id, day, job_n)`,
    ),
    'create index run_total_job on run_total (tenant_id, job_n, day)',
  ],
};
