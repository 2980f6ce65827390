import { owned, type Migration } from './migration.ts';

/**
 * The users of organizations on Veeam servers who have a license there and a backup (BILL-12).
 * `first_at`, `last_at`: the backups that are known. `is_added`: the first one is the user's first.
 * `gone_at`: since when the server no longer has the user.
 */
export const migration0091: Migration = {
  name: '0091',
  statements: [
    ...owned(
      'vb365_licensed_user',
      'tenant_id uuid not null, organization_id uuid not null, id text not null, name text not null, first_at bigint not null, last_at bigint not null, is_added boolean not null, gone_at bigint, primary key (tenant_id, organization_id, id)',
    ),
    'alter table vb365_organization add column licenses_read_at bigint',
  ],
};
