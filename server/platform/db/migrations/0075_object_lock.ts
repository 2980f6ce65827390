import { owned, type Migration } from './migration.ts';

/**
 * Locked files of repositories in object storage: which version is good, until when it is locked,
 * and whether it can go then. `locks`: the result of the daily check.
 */
export const migration0075: Migration = {
  name: '0075',
  statements: [
    'alter table repository_access add column locks jsonb',
    ...owned(
      'repository_file',
      'tenant_id uuid not null, repository_id uuid not null, file text not null, version text not null, locked_until bigint not null, removed boolean not null default false, primary key (tenant_id, repository_id, file)',
    ),
  ],
};
