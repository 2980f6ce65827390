import { owned, type Migration } from './migration.ts';

/**
 * Rights to write that an administrator granted for the restore session of one user. `sealed` null:
 * nothing can sign in with them any more. `removed`: the tenant no longer has their application.
 */
export const migration0044: Migration = {
  name: '0044',
  statements: [
    'alter table device_code add column organization_id uuid, add column workload text',
    ...owned(
      'restore_grant',
      'tenant_id uuid not null, id uuid not null, organization_id uuid not null, user_id uuid not null, actor_id uuid not null, workload text, permissions text not null, region text not null, registration_id text not null, sealed text, granted_at bigint not null, expires_at bigint not null, stopped_at bigint, ended_at bigint, removed boolean not null default false, primary key (tenant_id, id)',
    ),
    'create index restore_grant_of on restore_grant (tenant_id, organization_id, user_id)',
  ],
};
