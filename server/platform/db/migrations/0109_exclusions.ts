import type { Migration } from './migration.ts';

/**
 * Objects of people who are excluded from backups on request, and the removed files that may have their
 * data until a lock ends.
 */
export const migration0109: Migration = {
  name: '0109',
  statements: [
    'alter table backup_object add column excluded_at bigint, add column erased_at bigint',
    'alter table repository_file add column erased_at bigint',
  ],
};
