import { owned, type Migration } from './migration.ts';

/**
 * What a run did with each of its objects, beside the log of the run: large as that, and as little
 * an event.
 */
export const migration0004: Migration = {
  name: '0004',
  statements: owned(
    'run_task',
    'tenant_id uuid not null, run_n bigint not null, tasks json not null, primary key (tenant_id, run_n)',
  ),
};
