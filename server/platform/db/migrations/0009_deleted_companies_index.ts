import type { Migration } from './migration.ts';

/** Which companies of a provider were deleted is asked for with every session that is read. */
export const migration0009: Migration = {
  name: '0009',
  statements: [
    "create index company_deleted on company (tenant_id, n) where row->>'deletedAt' is not null",
  ],
};
