import type { Migration } from './migration.ts';

/** Finds the lines of sessions' logs that are older than the operator stores them. */
export const migration0130: Migration = {
  name: '0130',
  statements: ['create index backup_log_at on backup_log (tenant_id, at)'],
};
