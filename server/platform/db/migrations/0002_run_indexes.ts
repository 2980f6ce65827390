import type { Migration } from './migration.ts';

/**
 * The indexes that each result updates. One index finds a run by its start, with or without its
 * job. No query looks for a run's history by its entity name, so those events are not in the index
 * of entities; queries say `entity not like 'run:%'`.
 */
export const migration0002: Migration = {
  name: '0002',
  statements: [
    'drop index run_newest',
    'drop index run_of_job',
    'create index run_started on run (tenant_id, started_at, job_n)',
    'drop index event_entity',
    "create index event_entity on event (tenant_id, entity, seq) where entity not like 'run:%'",
  ],
};
