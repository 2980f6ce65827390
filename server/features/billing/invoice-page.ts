import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { INVOICE_SORTS, InvoiceOut, InvoiceWhole } from '#contract/billing/invoice-calls.ts';
import { invoiceState } from '#contract/billing/invoice.ts';
import type { InvoiceState, InvoiceSum, Mills } from '#contract/billing/invoice.ts';
import type { CompanyN, Day, Ms } from '#contract/ids.ts';
import type { InvoiceRest } from '../../platform/db/database-billing.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { SyncScope } from '../../platform/sync/scope.ts';

export interface InvoicesQuery {
  readonly state?: InvoiceState | 'owed' | undefined;
  readonly company?: CompanyN | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly search?: string | undefined;
}
export type InvoiceSort = (typeof INVOICE_SORTS)[number];
interface Row {
  readonly id: string;
  readonly number: string;
  readonly day: Day;
  readonly due: Day | null;
  readonly currency: string;
  readonly total: Mills;
  readonly balance: Mills;
  readonly voided: boolean;
  readonly customer: string;
  readonly company: CompanyN | null;
  readonly company_name: string | null;
}

const STATES: Readonly<Record<InvoiceState | 'owed', (today: Day) => RawBuilder<unknown>>> = {
  voided: () => sql`i.voided`,
  paid: () => sql`not i.voided and i.balance <= 0`,
  owed: () => sql`not i.voided and i.balance > 0`,
  open: (today) => sql`not i.voided and i.balance > 0 and (i.due is null or i.due >= ${today})`,
  overdue: (today) => sql`not i.voided and i.balance > 0 and i.due < ${today}`,
};
const ORDERS: Readonly<Record<InvoiceSort, RawBuilder<unknown>>> = {
  '-day': sql`i.day desc, i.id desc`,
  'day': sql`i.day, i.id`,
  'due': sql`i.due nulls last, i.id`,
  'number': sql`i.number, i.id`,
  'company': sql`lower(coalesce(k.row->>'name', c.name, '')), i.day desc, i.id desc`,
};

/**
 * BILL-4: invoices of the companies that the user sees. Invoices without a company, or of a deleted
 * one, are visible only to users who see all companies.
 */
const ofScope = ({ companies }: SyncScope): RawBuilder<unknown> =>
  companies === null
    ? sql`true`
    : sql`k.n = any(${`{${[...companies].join(',')}}`}::text::bigint[])`;
const from = (
  tx: TenantTx,
  scope: SyncScope,
): RawBuilder<unknown> => sql`from invoice as i left join invoice_customer as c on c.tenant_id = i.tenant_id and c.id = i.customer_id
  left join company as k on k.tenant_id = i.tenant_id and k.n = c.stands_for and k.row->>'deletedAt' is null where i.tenant_id = ${tx.tenant} and ${ofScope(scope)}`;
const COLUMNS = sql`i.id, i.number, i.day, i.due, i.currency, i.total, i.balance, i.voided, coalesce(c.name, '') as customer, k.n as company, k.row->>'name' as company_name`;

function matching(
  tx: TenantTx,
  scope: SyncScope,
  { state, company, from: first, to, search = '' }: InvoicesQuery,
  today: Day,
): RawBuilder<unknown> {
  const words = `%${escapeLike(search.toLowerCase())}%`;
  return sql`${from(tx, scope)} ${state === undefined ? sql`` : sql`and ${STATES[state](today)}`} ${company === undefined ? sql`` : sql`and k.n = ${company}`}
    ${first === undefined ? sql`` : sql`and i.day >= ${first}`} ${to === undefined ? sql`` : sql`and i.day <= ${to}`}
    ${search === '' ? sql`` : sql`and (lower(i.number) like ${words} or lower(c.name) like ${words} or lower(k.row->>'name') like ${words})`}`;
}

export async function invoicePage(
  tx: TenantTx,
  scope: SyncScope,
  request: InvoicesQuery,
  sort: InvoiceSort,
  today: Day,
  page: number,
  pageSize: number,
): Promise<{ readonly rows: InvoiceOut[]; readonly count: number; readonly sums: InvoiceSum[] }> {
  const found = matching(tx, scope, request, today);
  const { rows: sums } =
    await sql<InvoiceSum>`select i.currency, count(*)::int as count, sum(i.total)::bigint as total, sum(i.balance)::bigint as balance,
    coalesce(sum(i.balance) filter (where ${STATES.overdue(today)}), 0)::bigint as overdue ${found} group by i.currency order by i.currency collate "C"`.execute(
      tx.sql,
    );
  const { rows } =
    await sql<Row>`select ${COLUMNS} ${found} order by ${ORDERS[sort]} limit ${pageSize} offset ${(page - 1) * pageSize}`.execute(
      tx.sql,
    );
  return {
    rows: rows.map((row) => toOutput(row, today)),
    count: sums.reduce((all, { count }) => all + count, 0),
    sums,
  };
}

/** Returns all matching invoices for an export, newest first. */
export async function everyInvoice(
  tx: TenantTx,
  scope: SyncScope,
  request: InvoicesQuery,
  today: Day,
  max: number,
): Promise<readonly InvoiceOut[]> {
  const { rows } =
    await sql<Row>`select ${COLUMNS} ${matching(tx, scope, request, today)} order by ${ORDERS['-day']} limit ${max}`.execute(
      tx.sql,
    );
  return rows.map((row) => toOutput(row, today));
}

/** Returns the invoice if the user can see it; otherwise null. */
export async function invoiceSeen(
  tx: TenantTx,
  scope: SyncScope,
  id: string,
  today: Day,
): Promise<InvoiceWhole | null> {
  const {
    rows: [row],
  } = await sql<
    Row & { row: InvoiceRest; changed_at: Ms }
  >`select ${COLUMNS}, i.row, i.changed_at ${from(tx, scope)} and i.id = ${id}`.execute(tx.sql);
  if (!row) return null;
  const { lines, tax, note, mailed } = row.row;
  return {
    ...toOutput(row, today),
    lines: [...lines],
    tax,
    note,
    mailed,
    changedAt: row.changed_at,
  };
}

const toOutput = (
  { id, number, day, due, currency, total, balance, voided, customer, company, company_name }: Row,
  today: Day,
): InvoiceOut => ({
  _id: id,
  number,
  day,
  due,
  state: invoiceState({ voided, balance, due }, today),
  currency,
  total,
  balance,
  company,
  companyName: company_name,
  customer,
});
