import { owned, type Migration } from './migration.ts';

/** Up to which event the sessions of backup jobs are recorded as results. */
export const migration0040: Migration = {
  name: '0040',
  statements: owned(
    'backup_runs_seen',
    'tenant_id uuid not null primary key, log_seq bigint not null',
  ),
};
