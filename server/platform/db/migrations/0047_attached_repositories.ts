import type { Migration } from './migration.ts';

/** How far the index of an attached repository is rebuilt. */
export const migration0047: Migration = {
  name: '0047',
  statements: ['alter table repository_access add column attachment jsonb'],
};
