import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';
const counts = ['failed', 'error', 'missed', 'anomaly', 'warning', 'running', 'success'];

/**
 * What the results of a job on one operational day come to (TREND-1), for days that are over.
 * `run_total_day` says which days are summed up, and from when to when each is: no two of a
 * tenant's overlap. `last`: the place of the last state that is over, or null. `finished`: results
 * that told their seconds.
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
