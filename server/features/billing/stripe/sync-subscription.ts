import type { Stripe } from 'stripe';
import type { Ms, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadOverdue } from '../subscriptions/overdue-invoices.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { loadUncollectedMills } from './collection-errors.ts';
import { getOwedMills, listOpenInvoices } from './open-invoices.ts';
import { getReconcileEvents } from './reconcile.ts';
import { readStripe } from './stripe.ts';

/** Stripe repeats an event for three days. */
const STORED_MS: Ms = 30 * 86_400_000;

/**
 * BILL-10: brings the row of a subscription to the state that Stripe has at this moment. Reads are
 * numbered before they begin: one that ends after a later one has been applied changes nothing, as
 * the later one saw all that this one could. `event` acts once; null: no event asks for it.
 */
export async function syncSubscription(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { subscription, event }: { readonly subscription: string; readonly event: string | null },
): Promise<Result<unknown>> {
  const begun = await context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('stripe_customer')
      .set((row) => ({ read_n: row('read_n', '+', 1), read_at: context.clock.now() }))
      .where('tenant_id', '=', tenant)
      .where('subscription_id', '=', subscription)
      // What was ended here, such as with its company, says nothing about a later one.
      .where('ended_at', 'is', null)
      .returning(['company_n', 'customer_id', 'read_n'])
      .executeTakeFirst(),
  );
  if (begun === undefined) return ok(null);
  const fetched = await readStripe(() => stripe.subscriptions.retrieve(subscription));
  if (!fetched.ok) return fetched.failure.kind === 'not-found' ? ok(null) : fetched;
  const open = await listOpenInvoices(stripe, begun.customer_id);
  if (!open.ok) return open;
  return context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const now = context.clock.now();
    if (event !== null && !(await remember(tx, event, now))) return ok(null);
    const { numUpdatedRows } = await tx.sql
      .updateTable('stripe_customer')
      .set({ applied_n: begun.read_n })
      .where('tenant_id', '=', tenant)
      .where('company_n', '=', begun.company_n)
      .where('subscription_id', '=', subscription)
      .where('applied_n', '<', begun.read_n)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return ok(null);
    const row = (await tx.all('subscription')).find(
      ({ company, hasCard, endedAt }) => company === begun.company_n && hasCard && endedAt === null,
    );
    if (row === undefined) return ok(null);
    const { graceDays } = await loadBillingSettings(tx);
    const { timeZone } = await loadCompanyLimit(tx);
    const getOverdue = await loadOverdue(tx, { timeZone, now });
    const getUncollected = await loadUncollectedMills(tx);
    const owedMills = getOwedMills(open.value) + getOverdue(row) + getUncollected(row.company);
    await tx.append(
      getReconcileEvents(row, fetched.value, { owedMills, graceDays, now }).map((change) => ({
        event: change,
        company: row.company,
        entity: `subscription:${row.id}`,
      })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
    return ok(null);
  });
}

/** Whether an event has acted already. */
export const hasSeen = async ({ sql, tenant }: TenantTx, id: string): Promise<boolean> =>
  (await sql
    .selectFrom('stripe_event')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined;

/** Returns false if the event has acted already. */
export async function remember({ sql, tenant }: TenantTx, id: string, at: Ms): Promise<boolean> {
  await sql
    .deleteFrom('stripe_event')
    .where('tenant_id', '=', tenant)
    .where('at', '<', at - STORED_MS)
    .execute();
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('stripe_event')
    .values({ tenant_id: tenant, id, at })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
