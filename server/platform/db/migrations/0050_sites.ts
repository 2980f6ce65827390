import type { Migration } from './migration.ts';

/** The site above a subsite, by its id in the directory. */
export const migration0050: Migration = {
  name: '0050',
  statements: [
    'create index directory_object_parent on directory_object (tenant_id, organization_id, parent_id)',
    'alter table backup_object add column parent_id text',
  ],
};
