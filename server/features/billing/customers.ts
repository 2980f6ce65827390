import type { Selectable } from 'kysely';
import type { CustomerHealth, CustomerOut } from '#contract/billing/quickbooks-calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { InvoiceCustomerTable } from '../../platform/db/database-billing.ts';
import type { TenantTx } from '../../platform/db/store.ts';

type Customer = Selectable<InvoiceCustomerTable>;
/** The maximum depth of subcustomers in QuickBooks. */
const DEEP = 6;

const all = ({ sql, tenant }: TenantTx): Promise<Customer[]> =>
  sql.selectFrom('invoice_customer').selectAll().where('tenant_id', '=', tenant).execute();

/**
 * Returns the nearest customer with a chosen company, starting at the customer and going up; null
 * if there is none.
 */
function mapped(one: Customer, by: ReadonlyMap<string, Customer>): Customer | null {
  let at: Customer | undefined = one;
  for (let step = 0; at !== undefined && step < DEEP; step += 1) {
    if (at.company_n !== null) return at;
    at = at.parent_id === null ? undefined : by.get(at.parent_id);
  }
  return null;
}

/** Updates the company of each customer. */
export async function standAnew(tx: TenantTx): Promise<void> {
  const rows = await all(tx);
  const by = new Map(rows.map((one) => [one.id, one]));
  const moved = new Map<CompanyN | null, string[]>();
  for (const one of rows) {
    const company = mapped(one, by)?.company_n ?? null;
    if (company !== one.stands_for) moved.set(company, [...(moved.get(company) ?? []), one.id]);
  }
  for (const [company, ids] of moved) {
    for (let i = 0; i < ids.length; i += BATCH_SIZE)
      await tx.sql
        .updateTable('invoice_customer')
        .set({ stands_for: company })
        .where('tenant_id', '=', tx.tenant)
        .where('id', 'in', ids.slice(i, i + BATCH_SIZE))
        .execute();
  }
}
const BATCH_SIZE = 1_000;

const RANK: Readonly<Record<CustomerHealth, number>> = {
  'not mapped': 0,
  'renamed': 1,
  'inactive': 2,
  'ok': 3,
};

/**
 * BILL-4: returns all customers, those with a problem first and unmapped ones without an invoice
 * last.
 */
export async function customersOut(tx: TenantTx): Promise<CustomerOut[]> {
  const rows = await all(tx);
  const by = new Map(rows.map((one) => [one.id, one]));
  const companies = (await tx.all('company')).filter(({ deletedAt }) => deletedAt === undefined);
  const names = new Map(companies.map(({ n, name }) => [n, name]));
  const alike = new Map<string, CompanyN | null>();
  for (const { n, name } of companies) alike.set(key(name), alike.has(key(name)) ? null : n);
  const same = new Map<string, number>();
  for (const { name } of rows) same.set(key(name), (same.get(key(name)) ?? 0) + 1);
  const counts = new Map(
    (
      await tx.sql
        .selectFrom('invoice')
        .select((e) => ['customer_id', e.fn.countAll<number>().as('n')])
        .where('tenant_id', '=', tx.tenant)
        .groupBy('customer_id')
        .execute()
    ).map(({ customer_id, n }) => [customer_id, n]),
  );
  return rows
    .map((one): CustomerOut => {
      const { id, name, stands_for: active_for } = one;
      const company = active_for !== null && names.has(active_for) ? active_for : null;
      const from = company === null ? null : mapped(one, by);
      return {
        id,
        name,
        company,
        companyName: company === null ? null : (names.get(company) ?? null),
        by: from === null || from.id === id ? null : from.name,
        health: getHealth(one, from),
        suggested:
          company === null && same.get(key(name)) === 1 ? (alike.get(key(name)) ?? null) : null,
        invoices: counts.get(id) ?? 0,
      };
    })
    .toSorted(
      (a, b) =>
        Number(idle(a)) - Number(idle(b)) ||
        RANK[a.health] - RANK[b.health] ||
        a.name.localeCompare(b.name, 'en', { numeric: true, sensitivity: 'base' }) ||
        (a.id < b.id ? -1 : 1),
    );
}
const idle = ({ company, invoices }: CustomerOut): boolean => company === null && invoices === 0;
const key = (name: string): string => name.trim().toLowerCase();

const getHealth = ({ id, name, active }: Customer, from: Customer | null): CustomerHealth =>
  from === null
    ? 'not mapped'
    : !active
      ? 'inactive'
      : from.id === id && from.mapped_name !== null && from.mapped_name !== name
        ? 'renamed'
        : 'ok';
