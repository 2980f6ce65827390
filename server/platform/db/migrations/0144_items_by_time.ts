import type { Migration } from './migration.ts';

/** A search of many mailboxes, drives or sites reads the newest items of all of them. */
export const migration0144: Migration = {
  name: '0144',
  statements: ['create index item_by_time on item (tenant_id, at)'],
};
