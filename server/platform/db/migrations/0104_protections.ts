import type { Migration } from './migration.ts';

/** What each repository was last told about legal holds and exclusions. */
export const migration0104: Migration = {
  name: '0104',
  statements: ['alter table repository_access add column protections text'],
};
