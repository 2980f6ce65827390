import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * Sign-ups of new customers and what belongs to Stripe: customers, events that were received, and
 * writes with their idempotency keys. No card data.
 */
export const migration0065: Migration = {
  name: '0065',
  statements: [
    ...owned(
      'sign_up',
      `${t}, id uuid not null, email_key text not null, email text not null, name text not null, company text not null, level text not null, password_hash text not null, token_hash text not null,
      made_at bigint not null, verified_at bigint, captcha_at bigint, session_id text, ready_at bigint, until bigint not null, primary key (tenant_id, id)`,
    ),
    'create unique index sign_up_address on sign_up (tenant_id, email_key)',
    'create index sign_up_token on sign_up (tenant_id, token_hash)',
    ...owned(
      'stripe_customer',
      `${t}, company_n bigint not null, customer_id text not null, subscription_id text, ended_at bigint, metered_day integer, primary key (tenant_id, company_n)`,
    ),
    ...owned(
      'stripe_event',
      `${t}, id text not null, at bigint not null, primary key (tenant_id, id)`,
    ),
    ...owned(
      'stripe_write',
      `${t}, what text not null, body_hash text not null, key text not null, made_at bigint not null, primary key (tenant_id, what)`,
    ),
    ...owned(
      'stripe_checkout',
      `${t}, id text not null, company_n bigint not null, at bigint not null, primary key (tenant_id, id)`,
    ),
  ],
};
