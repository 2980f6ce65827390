import type { Migration } from './migration.ts';

/**
 * Why Stripe hasn't collected a month: `refused`, or `differs` with the amount of its draft, in
 * cents.
 */
export const migration0099: Migration = {
  name: '0099',
  statements: [
    'alter table stripe_invoice add column error text',
    'alter table stripe_invoice add column net_cents bigint',
    'alter table stripe_invoice add column total_cents bigint',
  ],
};
