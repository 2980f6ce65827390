import type { Migration } from './migration.ts';

/** The user logs page lists the kinds of records, and reads one kind by time (LOGS-1). */
export const migration0019: Migration = {
  name: '0019',
  statements: ['create index audit_of_kind on audit (tenant_id, what, at)'],
};
