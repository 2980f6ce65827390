import { owned, type Migration } from './migration.ts';

const projected = 'tenant_id uuid not null, id text not null, company_n bigint not null';

/**
 * Subscriptions to Microsoft 365 backup, their usage by month, and the provider's prices.
 * `company_restore`: what a deleted company needs to be as it was before.
 */
export const migration0064: Migration = {
  name: '0064',
  statements: [
    ...owned('subscription', `${projected}, row json not null, primary key (tenant_id, id)`),
    'create index subscription_of_company on subscription (tenant_id, company_n)',
    ...owned(
      'usage_month',
      `${projected}, month text not null, row json not null, primary key (tenant_id, id)`,
    ),
    'create index usage_month_by_month on usage_month (tenant_id, month)',
    ...owned(
      'billing_setting',
      'tenant_id uuid not null, settings json not null, primary key (tenant_id)',
    ),
    ...owned(
      'company_restore',
      'tenant_id uuid not null, company_n bigint not null, users json not null, subscription json, primary key (tenant_id, company_n)',
    ),
  ],
};
