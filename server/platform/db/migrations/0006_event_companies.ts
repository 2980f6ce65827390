import type { Migration } from './migration.ts';

/**
 * Deeds on many problems at once, by the company that these are of: of a problem's history no
 * other's are read.
 */
export const migration0006: Migration = {
  name: '0006',
  statements: [
    "create index event_of_many on event (tenant_id, company, seq) where entity = 'problem:*'",
  ],
};
