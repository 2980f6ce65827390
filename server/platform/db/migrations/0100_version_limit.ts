import type { Migration } from './migration.ts';

/** Up to how many earlier versions of its files an object was last backed up with; null: none. */
export const migration0100: Migration = {
  name: '0100',
  statements: ['alter table backup_object add column version_limit integer'],
};
