import type { Migration } from './migration.ts';

/**
 * The lease of the background job that works on a row (JOB-11): whoever runs the job after it ignores
 * what it held, and it stores no result any more.
 */
export const migration0079: Migration = {
  name: '0079',
  statements: ['outgoing', 'webhook', 'push_waiting', 'report_sent', 'ticket_work'].map(
    (table) => `alter table ${table} add column held_by text`,
  ),
};
