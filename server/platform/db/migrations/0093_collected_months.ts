import { owned, type Migration } from './migration.ts';

/**
 * Months that Stripe collects: `collected_from` is the first one, such as `2026-11`; subscriptions
 * without it are charged by Stripe's own prices until they are changed. A company's checkout has the
 * subscription that it pays.
 */
export const migration0093: Migration = {
  name: '0093',
  statements: [
    'alter table stripe_customer add column collected_from text',
    'alter table stripe_checkout add column subscription_id text',
    'alter table stripe_checkout add column linked_at bigint',
    'alter table sign_up add column company_n bigint',
    ...owned(
      'stripe_invoice',
      'tenant_id uuid not null, usage_id text not null, invoice_id text, at bigint not null, primary key (tenant_id, usage_id)',
    ),
  ],
};
