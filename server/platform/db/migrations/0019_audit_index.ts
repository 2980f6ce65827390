import type { Migration } from './migration.ts';

/** The page of users' logs asks which kinds there are, and for one kind by its time (LOGS-1). */
export const migration0019: Migration = {
  name: '0019',
  statements: ['create index audit_of_kind on audit (tenant_id, what, at)'],
};
