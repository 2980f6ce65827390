import type { Migration } from './migration.ts';

/** The last clean-up and verification of a repository that a person asked for, and their results. */
export const migration0048: Migration = {
  name: '0048',
  statements: ["alter table repository_access add column requests jsonb not null default '{}'"],
};
