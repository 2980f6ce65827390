import { owned, type Migration } from './migration.ts';

/** Invoices of a month that were sent to QuickBooks without a certain answer, as they were sent. */
export const migration0071: Migration = {
  name: '0071',
  statements: owned(
    'month_invoice',
    'tenant_id uuid not null, usage_id text not null, draft json not null, primary key (tenant_id, usage_id)',
  ),
};
