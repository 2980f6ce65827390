import type { Stripe } from 'stripe';
import { findPrices, type LevelPrices } from '#contract/billing/service-levels.ts';
import type { SubscriptionOperation } from '#contract/billing/subscription-changes.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { listOpenInvoices } from './open-invoices.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';
import { WRITTEN_OFF } from './voided-invoices.ts';
import { findZeroItem } from './zero-price.ts';

/**
 * Makes a change at Stripe before it is recorded here, if Stripe collects the subscription. Outside of
 * any transaction.
 */
export async function changeAtStripe(
  context: AppContext,
  tenant: TenantId,
  row: SubscriptionRow,
  change: SubscriptionOperation,
): Promise<Result<unknown>> {
  if (!row.hasCard) return ok(null);
  const stripe = await connectStripe(context, tenant);
  const { customer, prices } = await context.store.tenant(
    tenant,
    async (tx) => ({
      customer: await tx.sql
        .selectFrom('stripe_customer')
        .select(['customer_id', 'subscription_id', 'ended_at'])
        .where('tenant_id', '=', tenant)
        .where('company_n', '=', row.company)
        .executeTakeFirst(),
      prices: await loadBillingSettings(tx),
    }),
    { readOnly: true },
  );
  // A restored subscription that waits for its payment has none at Stripe.
  if (row.status === 'pending' && customer?.ended_at != null) return ok(null);
  if (stripe === null || customer?.subscription_id == null)
    return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
  const { customer_id: customerId, subscription_id: subscriptionId } = customer;
  const update = (body: Stripe.SubscriptionUpdateParams): Promise<Result<unknown>> =>
    writeStripe(context, tenant, { what: `subscription:${subscriptionId}`, body }, (options) =>
      stripe.subscriptions.update(subscriptionId, body, options),
    );
  /** Stripe's page and receipts name the level. It has no amount of its own (BILL-22). */
  const setLevel = async (level: LevelPrices | null): Promise<Result<unknown>> => {
    if (level === null || level.stripePrice === null)
      return failed({ kind: 'conflict', message: MESSAGES.levelWithoutPrice });
    const current = await readStripe(() => stripe.subscriptions.retrieve(subscriptionId));
    if (!current.ok) return current;
    const item = await findZeroItem(context, tenant, stripe, {
      price: level.stripePrice,
      currency: row.currency,
    });
    if (!item.ok) return item;
    const before = current.value.items.data[0];
    return update({
      items: [{ ...(before && { id: before.id }), ...item.value }],
      proration_behavior: 'none',
    });
  };
  /** Stripe takes no moment that has passed. */
  const setTrial = (endsAt: Ms | null): Promise<Result<unknown>> =>
    update({
      trial_end:
        endsAt === null || endsAt <= context.clock.now() ? 'now' : Math.floor(endsAt / 1_000),
    });
  switch (change.operation) {
    case 'cancel':
      return row.status === 'active'
        ? update({ cancel_at_period_end: true })
        : endAtStripe(context, tenant, stripe, subscriptionId);
    case 'delete':
      return endAtStripe(context, tenant, stripe, subscriptionId);
    case 'change-level':
      return setLevel(change.prices);
    case 'update-trial':
      return setTrial(change.trialEndsAt);
    case 'update':
      // The price and the minimum are in the amount of the month.
      return ok(null);
    case 'forgive':
      return forgive(context, tenant, stripe, customerId);
    case 'rollback':
      if (row.undo?.operation === 'cancel') return update({ cancel_at_period_end: false });
      if (row.undo?.operation === 'change-level')
        return setLevel(findPrices(prices, row.undo.level));
      if (row.undo?.operation === 'update-trial') return setTrial(row.undo.trialEndsAt);
      return ok(null);
    default:
      return change satisfies never;
  }
}

/** Ends a subscription at Stripe. One that has ended there already is no failure. */
export async function endAtStripe(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  id: string,
): Promise<Result<unknown>> {
  const ended = await writeStripe(
    context,
    tenant,
    { what: `subscription:${id}`, body: 'cancel' },
    (options) => stripe.subscriptions.cancel(id, {}, options),
  );
  // Stripe answers so for a subscription that has ended there already.
  return !ended.ok && ended.failure.kind === 'not-found' ? ok(null) : ended;
}

/** Voids all that is unpaid, so that Stripe stops asking for it. */
async function forgive(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  customer: string,
): Promise<Result<unknown>> {
  const open = await listOpenInvoices(stripe, customer);
  if (!open.ok) return open;
  for (const { id } of open.value) {
    if (id === undefined) continue;
    const body = { metadata: { [WRITTEN_OFF]: 'yes' } };
    const marked = await writeStripe(
      context,
      tenant,
      { what: `write-off:${id}`, body },
      (options) => stripe.invoices.update(id, body, options),
    );
    if (!marked.ok) return marked;
    const voided = await writeStripe(
      context,
      tenant,
      { what: `invoice:${id}`, body: 'void' },
      (options) => stripe.invoices.voidInvoice(id, {}, options),
    );
    if (!voided.ok) return voided;
  }
  return ok(null);
}
