import { sql } from 'kysely';
import type * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { CustomerShape, ReadInvoice } from './quickbooks-shapes.ts';
import { shortenBookText } from './quickbooks-shapes.ts';

const BATCH_SIZE = 500;

/**
 * Stores invoices and replaces earlier versions. A customer that only an invoice names is added.
 */
export async function keepInvoices(
  tx: TenantTx,
  rows: readonly ReadInvoice[],
  currency: string,
  seen: Ms,
): Promise<void> {
  const { tenant, sql: db } = tx;
  for (let i = 0; i < rows.length; i += BATCH_SIZE) {
    const some = rows.slice(i, i + BATCH_SIZE);
    await db
      .insertInto('invoice')
      .values(
        some.map(
          ({
            id,
            customer,
            number,
            currency: own,
            day,
            due,
            total,
            balance,
            voided,
            rest,
            changedAt,
          }) => ({
            tenant_id: tenant,
            id,
            customer_id: customer,
            number,
            currency: own ?? currency,
            day,
            due,
            total,
            balance,
            voided,
            row: JSON.stringify(rest),
            changed_at: changedAt,
            seen_at: seen,
          }),
        ),
      )
      .onConflict((on) =>
        on.columns(['tenant_id', 'id']).doUpdateSet((e) => ({
          customer_id: e.ref('excluded.customer_id'),
          number: e.ref('excluded.number'),
          currency: e.ref('excluded.currency'),
          day: e.ref('excluded.day'),
          due: e.ref('excluded.due'),
          total: e.ref('excluded.total'),
          balance: e.ref('excluded.balance'),
          voided: e.ref('excluded.voided'),
          row: e.ref('excluded.row'),
          changed_at: e.ref('excluded.changed_at'),
          seen_at: e.ref('excluded.seen_at'),
        })),
      )
      .execute();
    const named = new Map(some.map(({ customer, customerName }) => [customer, customerName]));
    await db
      .insertInto('invoice_customer')
      .values(
        [...named].map(([id, name]) => ({
          tenant_id: tenant,
          id,
          name,
          parent_id: null,
          active: true,
          company_n: null,
          mapped_name: null,
          stands_for: null,
          seen_at: seen,
        })),
      )
      .onConflict((on) => on.columns(['tenant_id', 'id']).doNothing())
      .execute();
  }
}

export async function keepCustomers(
  tx: TenantTx,
  rows: readonly v.InferOutput<typeof CustomerShape>[],
  seen: Ms,
): Promise<void> {
  for (let i = 0; i < rows.length; i += BATCH_SIZE) {
    await tx.sql
      .insertInto('invoice_customer')
      .values(
        rows
          .slice(i, i + BATCH_SIZE)
          .map(({ Id: id, DisplayName: name, Active: active, ParentRef: parent }) => ({
            tenant_id: tx.tenant,
            id,
            name: shortenBookText(name, 200),
            parent_id: parent?.value ?? null,
            active,
            company_n: null,
            mapped_name: null,
            stands_for: null,
            seen_at: seen,
          })),
      )
      .onConflict((on) =>
        on.columns(['tenant_id', 'id']).doUpdateSet((e) => ({
          name: e.ref('excluded.name'),
          parent_id: e.ref('excluded.parent_id'),
          active: e.ref('excluded.active'),
          seen_at: e.ref('excluded.seen_at'),
        })),
      )
      .execute();
  }
}

/**
 * Returns the ids that a complete read did not return: the invoice was deleted, or moved to a page
 * that was already read.
 */
export const unseenInvoices = async (
  { sql: db, tenant }: TenantTx,
  began: Ms,
  max: number,
): Promise<readonly string[]> =>
  (
    await db
      .selectFrom('invoice')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('seen_at', '<', began)
      .orderBy('id')
      .limit(max)
      .execute()
  ).map(({ id }) => id);

export async function forgetInvoices(
  { sql: db, tenant }: TenantTx,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0)
    await db.deleteFrom('invoice').where('tenant_id', '=', tenant).where('id', 'in', ids).execute();
}

/** BILL-1: deletes all data read from QuickBooks. */
export async function forgetAll({ sql: db, tenant }: TenantTx): Promise<void> {
  await db.deleteFrom('invoice').where('tenant_id', '=', tenant).execute();
  await db.deleteFrom('invoice_customer').where('tenant_id', '=', tenant).execute();
  await db.deleteFrom('month_invoice').where('tenant_id', '=', tenant).execute();
}

export const unseenCustomers = async ({ sql: db, tenant }: TenantTx, began: Ms): Promise<void> => {
  await sql`update invoice_customer set active = false where tenant_id = ${tenant} and seen_at < ${began} and active`.execute(
    db,
  );
};
