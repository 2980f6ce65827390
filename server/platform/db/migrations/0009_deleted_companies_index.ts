import type { Migration } from './migration.ts';

/** Every read of a session looks up the provider's deleted companies. */
export const migration0009: Migration = {
  name: '0009',
  statements: [
    "create index company_deleted on company (tenant_id, n) where row->>'deletedAt' is not null",
  ],
};
