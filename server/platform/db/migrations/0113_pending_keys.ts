import type { Migration } from './migration.ts';

/** The keys of a repository whose passwords aren't stored yet: a change may have been killed (ENG-12). */
export const migration0113: Migration = {
  name: '0113',
  statements: ["alter table repository_access add column pending_keys jsonb not null default '[]'"],
};
