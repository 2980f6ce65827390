import type { Migration } from './migration.ts';

/** The legal holds and exclusions that the files of each repository list. */
export const migration0104: Migration = {
  name: '0104',
  statements: ['alter table repository_access add column protections text'],
};
