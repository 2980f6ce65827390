import type { Migration } from './migration.ts';

/** A search looks through the newest items of each object first. */
export const migration0140: Migration = {
  name: '0140',
  statements: ['create index item_at on item (tenant_id, object_n, at, n)'],
};
