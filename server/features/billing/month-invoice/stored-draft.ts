import type { InvoiceDraft } from '#contract/billing/invoice.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * Stores an invoice before it is sent, and returns the one to send: the first, as long as nobody knows
 * whether QuickBooks made it (BILL-16).
 */
export async function storeDraft(
  { sql, tenant }: TenantTx,
  usageId: string,
  draft: InvoiceDraft,
): Promise<InvoiceDraft> {
  await sql
    .insertInto('month_invoice')
    .values({ tenant_id: tenant, usage_id: usageId, draft: JSON.stringify(draft) })
    .onConflict((on) => on.doNothing())
    .execute();
  const stored = await sql
    .selectFrom('month_invoice')
    .select('draft')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .executeTakeFirstOrThrow();
  return stored.draft;
}

export const deleteDraft = ({ sql, tenant }: TenantTx, usageId: string): Promise<unknown> =>
  sql
    .deleteFrom('month_invoice')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .execute();

/** Returns whether an invoice was sent without a certain answer. */
export const hasDraft = async ({ sql, tenant }: TenantTx, usageId: string): Promise<boolean> =>
  (await sql
    .selectFrom('month_invoice')
    .select('usage_id')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .executeTakeFirst()) !== undefined;
