import type { Migration } from './migration.ts';

/**
 * The progress and findings of the verification of a repository, and the work left for the
 * clean-up.
 */
export const migration0042: Migration = {
  name: '0042',
  statements: ["alter table repository_access add column upkeep jsonb not null default '{}'"],
};
