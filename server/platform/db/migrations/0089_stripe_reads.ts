import type { Migration } from './migration.ts';

/**
 * Which read of a subscription at Stripe was begun and applied last, and when: an older one that
 * ends later changes nothing (BILL-10).
 */
export const migration0089: Migration = {
  name: '0089',
  statements: [
    'alter table stripe_customer add column read_n integer not null default 0',
    'alter table stripe_customer add column applied_n integer not null default 0',
    'alter table stripe_customer add column read_at bigint not null default 0',
  ],
};
