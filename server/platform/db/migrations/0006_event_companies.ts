import type { Migration } from './migration.ts';

/**
 * Bulk actions on problems, by company, so that reading a problem's history skips other companies.
 */
export const migration0006: Migration = {
  name: '0006',
  statements: [
    "create index event_of_many on event (tenant_id, company, seq) where entity = 'problem:*'",
  ],
};
