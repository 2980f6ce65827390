import type { Migration } from './migration.ts';

/**
 * Downloads in the background that a job lists. `unlisted`: what it has yet to list. `listed`: items
 * and bytes are those of the list.
 */
export const migration0087: Migration = {
  name: '0087',
  statements: [
    'alter table prepared_download add column unlisted jsonb',
    'alter table background_download add column listed boolean not null default true',
  ],
};
