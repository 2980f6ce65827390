import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * Invoices from QuickBooks Online (BILL-1), its customers with their mapped companies, and the
 * progress of the read. Amounts in thousandths of the currency's unit.
 */
export const migration0024: Migration = {
  name: '0024',
  statements: [
    ...owned(
      'quickbooks',
      `${t}, environment text not null, client_id text not null, realm_id text, connected_at bigint, generation int not null default 0, renewed_by text, renewed_until bigint not null default 0,
      held_by text, held_until bigint not null default 0, poll_at bigint, read_at bigint, whole_at bigint, tries int not null default 0, fault text, ended boolean not null default false, cursor json not null, primary key (tenant_id)`,
    ),
    ...owned(
      'invoice',
      `${t}, id text not null, customer_id text not null, number text not null, currency text not null, day text not null, due text, total bigint not null, balance bigint not null,
      voided boolean not null, row json not null, changed_at bigint not null, seen_at bigint not null, primary key (tenant_id, id)`,
    ),
    'create index invoice_newest on invoice (tenant_id, day desc, id)',
    'create index invoice_of_customer on invoice (tenant_id, customer_id)',
    ...owned(
      'invoice_customer',
      `${t}, id text not null, name text not null, parent_id text, active boolean not null, company_n bigint, mapped_name text, stands_for bigint, seen_at bigint not null, primary key (tenant_id, id)`,
    ),
  ],
};
