import type { Migration } from './migration.ts';

/**
 * What restore operators browse and download: as whom, and of downloads the numbers of the objects
 * whose data they hold.
 */
export const migration0061: Migration = {
  name: '0061',
  statements: [
    'alter table explorer add column operator_id text',
    "alter table background_download add column operator_id text, add column objects jsonb not null default '[]'",
    "alter table prepared_download add column operator_id text, add column objects jsonb not null default '[]'",
  ],
};
