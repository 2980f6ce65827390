import type { Migration } from './migration.ts';

/** The search finds older results by cause: the problems of a cause, newest first (SEEK-3). */
export const migration0025: Migration = {
  name: '0025',
  statements: ['create index problem_of_cause on problem (tenant_id, cause_n, last_at desc)'],
};
