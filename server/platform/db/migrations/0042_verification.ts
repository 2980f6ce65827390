import type { Migration } from './migration.ts';

/** How far the verification of a repository is, what it found, and what the clean-up has to do. */
export const migration0042: Migration = {
  name: '0042',
  statements: ["alter table repository_access add column upkeep jsonb not null default '{}'"],
};
