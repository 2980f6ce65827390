import type { Migration } from './migration.ts';

/**
 * Downloads in the background that a job lists. `unlisted`: selections that are not listed yet.
 * `listed`: items and bytes are those of the list.
 */
export const migration0087: Migration = {
  name: '0087',
  statements: [
    'alter table prepared_download add column unlisted jsonb',
    'alter table background_download add column listed boolean not null default true',
  ],
};
