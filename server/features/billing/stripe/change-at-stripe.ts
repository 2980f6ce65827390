import type { Stripe } from 'stripe';
import { findPrices } from '#contract/billing/service-levels.ts';
import type { SubscriptionOperation } from '#contract/billing/subscription-changes.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';

/**
 * Makes a change at Stripe before it is recorded here, if Stripe collects the subscription. Outside of
 * any transaction.
 */
export async function changeAtStripe(
  world: AppContext,
  tenant: TenantId,
  row: SubscriptionRow,
  change: SubscriptionOperation,
): Promise<Result<unknown>> {
  if (!row.hasCard) return ok(null);
  const stripe = await connectStripe(world, tenant);
  const { subscriptionId, prices } = await world.store.tenant(
    tenant,
    async (tx) => ({
      subscriptionId: (
        await tx.sql
          .selectFrom('stripe_customer')
          .select('subscription_id')
          .where('tenant_id', '=', tenant)
          .where('company_n', '=', row.company)
          .executeTakeFirst()
      )?.subscription_id,
      prices: await loadBillingSettings(tx),
    }),
    { readOnly: true },
  );
  if (stripe === null || subscriptionId == null)
    return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
  const update = (body: Stripe.SubscriptionUpdateParams): Promise<Result<unknown>> =>
    writeStripe(world, tenant, { what: `subscription:${subscriptionId}`, body }, (options) =>
      stripe.subscriptions.update(subscriptionId, body, options),
    );
  const setPrice = async (price: string | null): Promise<Result<unknown>> => {
    if (price === null) return failed({ kind: 'conflict', message: MESSAGES.levelWithoutPrice });
    const current = await readStripe(() => stripe.subscriptions.retrieve(subscriptionId));
    if (!current.ok) return current;
    const [item] = current.value.items.data;
    return update({ items: [{ ...(item && { id: item.id }), price }] });
  };
  switch (change.operation) {
    case 'cancel':
      return row.status === 'active'
        ? update({ cancel_at_period_end: true })
        : endAtStripe(world, tenant, stripe, subscriptionId);
    case 'delete':
      return endAtStripe(world, tenant, stripe, subscriptionId);
    case 'change-level':
      return setPrice(change.prices.stripePrice);
    case 'update-trial':
      return update({
        trial_end: change.trialEndsAt === null ? 'now' : Math.floor(change.trialEndsAt / 1_000),
      });
    case 'update':
      return ok(null);
    case 'forgive':
      return forgive(world, tenant, stripe, subscriptionId);
    case 'rollback':
      if (row.undo?.operation === 'cancel') return update({ cancel_at_period_end: false });
      if (row.undo?.operation === 'change-level')
        return setPrice(findPrices(prices, row.undo.level)?.stripePrice ?? null);
      if (row.undo?.operation === 'update-trial')
        return update({
          trial_end:
            row.undo.trialEndsAt === null ? 'now' : Math.floor(row.undo.trialEndsAt / 1_000),
        });
      return ok(null);
    default:
      return change satisfies never;
  }
}

const endAtStripe = (
  world: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  id: string,
): Promise<Result<unknown>> =>
  writeStripe(world, tenant, { what: `subscription:${id}`, body: 'cancel' }, (options) =>
    stripe.subscriptions.cancel(id, {}, options),
  );

/** Voids what is unpaid, so that Stripe stops asking for it. */
async function forgive(
  world: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  subscription: string,
): Promise<Result<unknown>> {
  const open = await readStripe(() => stripe.invoices.list({ subscription, status: 'open' }));
  if (!open.ok) return open;
  for (const { id } of open.value.data) {
    if (id === undefined) continue;
    const voided = await writeStripe(
      world,
      tenant,
      { what: `invoice:${id}`, body: 'void' },
      (options) => stripe.invoices.voidInvoice(id, {}, options),
    );
    if (!voided.ok) return voided;
  }
  return ok(null);
}
