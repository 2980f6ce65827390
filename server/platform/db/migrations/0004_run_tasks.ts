import { owned, type Migration } from './migration.ts';

/**
 * What a run did with each of its objects. Like the run's log it is large, and not part of an
 * event.
 */
export const migration0004: Migration = {
  name: '0004',
  statements: owned(
    'run_task',
    'tenant_id uuid not null, run_n bigint not null, tasks json not null, primary key (tenant_id, run_n)',
  ),
};
