import { unowned, type Migration } from './migration.ts';

/**
 * Background jobs (JOB-1 to JOB-9). The runner finds due jobs by type and due time, and expired
 * leases among the few leased jobs. Recurring jobs of existing providers are added at the next start.
 */
export const migration0035: Migration = {
  name: '0035',
  statements: [
    ...unowned(
      'background_job',
      "tenant_id uuid not null, type text not null, key text not null, due_at bigint, lease_owner text, lease_until bigint not null default 0, attempts integer not null default 0, last_error text, payload json not null default 'null', primary key (tenant_id, type, key)",
    ),
    'create index background_job_due on background_job (type, due_at) where lease_owner is null',
    'create index background_job_leased on background_job (type, lease_until) where lease_owner is not null',
  ],
};
