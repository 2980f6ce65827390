import type { Migration } from './migration.ts';

/** The site of each team, by its id in the directory. */
export const migration0132: Migration = {
  name: '0132',
  statements: ['alter table directory_object add column site_id text'],
};
