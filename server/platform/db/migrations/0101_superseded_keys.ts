import type { Migration } from './migration.ts';

/** The keys of a repository whose passwords were replaced, until their files are removed (ENG-12). */
export const migration0101: Migration = {
  name: '0101',
  statements: [
    "alter table repository_access add column superseded_keys jsonb not null default '[]'",
  ],
};
