import { owned, type Migration } from './migration.ts';

/**
 * How far the lists of an organization's directory are read. `generation` counts complete listings:
 * after one, objects of an earlier generation have left the directory.
 */
export const migration0043: Migration = {
  name: '0043',
  statements: [
    ...owned(
      'directory_list',
      'tenant_id uuid not null, organization_id uuid not null, list text not null, revision integer not null default 0, generation integer not null default 0, cursor text, listing boolean not null default true, listed_at bigint, primary key (tenant_id, organization_id, list)',
    ),
    'alter table directory_object add column generation integer not null default 0, add column licensed boolean',
    'create index backup_object_organization on backup_object (tenant_id, organization_id, directory_id)',
  ],
};
