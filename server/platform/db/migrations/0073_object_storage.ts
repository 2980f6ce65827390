import type { Migration } from './migration.ts';

/** Repositories in object storage: where, with which sealed keys, and how many requests that cost. */
export const migration0073: Migration = {
  name: '0073',
  statements: [
    'alter table repository_access add column storage jsonb, add column storage_sealed text',
    "alter table repository_access add column storage_requests jsonb not null default '{}'",
  ],
};
