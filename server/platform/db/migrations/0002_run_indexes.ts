import type { Migration } from './migration.ts';

/**
 * What each result has to be entered into. A run is found by its start, with or without its job,
 * through one index; the history of a run is never asked for by its name in the log, so those
 * events are not in the index of names: a query says `entity not like 'run:%'`.
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
