import { owned, type Migration } from './migration.ts';

/**
 * Roles of restore operators. `directory_member`: the people in groups of the directory that roles
 * name.
 */
export const migration0060: Migration = {
  name: '0060',
  statements: [
    ...owned(
      'restore_role',
      'tenant_id uuid not null, id text not null, company_n bigint not null, organization_id text not null, row json not null, primary key (tenant_id, id)',
    ),
    'create index restore_role_of_organization on restore_role (tenant_id, organization_id)',
    ...owned(
      'directory_member',
      'tenant_id uuid not null, organization_id uuid not null, group_id text not null, user_id text not null, primary key (tenant_id, organization_id, group_id, user_id)',
    ),
    ...owned(
      'directory_member_list',
      'tenant_id uuid not null, organization_id uuid not null, group_id text not null, listed_at bigint not null, primary key (tenant_id, organization_id, group_id)',
    ),
  ],
};
