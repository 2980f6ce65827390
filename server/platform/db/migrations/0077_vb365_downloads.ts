import type { Migration } from './migration.ts';

/**
 * Downloads that a server of Veeam Backup for Microsoft 365 makes. `server_request`: what is asked of
 * it; such a download has no repository. `is_open`: the server's session may still be open.
 */
export const migration0077: Migration = {
  name: '0077',
  statements: [
    'alter table background_download add column server_request jsonb, alter column repository_id drop not null',
    'alter table vb365_explorer add column is_open boolean not null default true',
  ],
};
