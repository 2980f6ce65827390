import type { Migration } from './migration.ts';

/** The folders of a download of a mailbox, so that those without items are in its file too. */
export const migration0068: Migration = {
  name: '0068',
  statements: ["alter table prepared_download add column folders jsonb not null default '[]'"],
};
