import type { Migration } from './migration.ts';

/**
 * Until when restores that have started may use granted rights to write. Forced policies also bind
 * the table's owner, so they are lifted for the statement.
 */
export const migration0106: Migration = {
  name: '0106',
  statements: [
    'alter table restore_grant add column restores_end_at bigint not null default 0',
    'alter table restore_grant no force row level security',
    'update restore_grant set restores_end_at = expires_at',
    'alter table restore_grant force row level security',
  ],
};
