import type { Stripe } from 'stripe';
import { findPrices } from '#contract/billing/service-levels.ts';
import type { Currency } from '#contract/billing/service-levels.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import { dayText } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { getMonthAt } from '../subscriptions/month.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { readStripe, writeStripe } from './stripe.ts';
import { findZeroItem } from './zero-price.ts';

interface Priced {
  readonly company: CompanyN;
  readonly subscription: string;
  readonly price: string;
  readonly currency: Currency;
}

/**
 * Gives subscriptions of former versions, which Stripe charges by prices of its own, a price of zero.
 * Their months are collected from the next one on: what Stripe has charged before is not charged again.
 */
export async function moveToZero(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  now: Ms,
): Promise<Result<unknown>> {
  for (const one of await findPriced(context, tenant)) {
    const moved = await move(context, tenant, stripe, one);
    if (!moved.ok && moved.failure.kind === 'busy') return moved;
    // One that Stripe refuses, such as for a price that is gone, doesn't stop the others.
    if (!moved.ok) continue;
    await context.store.tenant(tenant, async (tx) => {
      const { timeZone } = await loadCompanyLimit(tx);
      await tx.sql
        .updateTable('stripe_customer')
        .set({ collected_from: dayText(getMonthAt(now, timeZone).last + 1).slice(0, 7) })
        .where('tenant_id', '=', tenant)
        .where('company_n', '=', one.company)
        .where('subscription_id', '=', one.subscription)
        .execute();
    });
  }
  return ok(null);
}

const findPriced = (context: AppContext, tenant: TenantId): Promise<readonly Priced[]> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const rows = await tx.sql
        .selectFrom('stripe_customer')
        .select(['company_n', 'subscription_id'])
        .where('tenant_id', '=', tenant)
        .where('subscription_id', 'is not', null)
        .where('ended_at', 'is', null)
        .where('collected_from', 'is', null)
        .execute();
      if (rows.length === 0) return [];
      const settings = await loadBillingSettings(tx);
      const running = (await tx.all('subscription')).filter(
        ({ endedAt, hasCard }) => endedAt === null && hasCard,
      );
      return rows.flatMap(({ company_n: company, subscription_id: subscription }) => {
        const row = running.find((one) => one.company === company);
        const price = row && findPrices(settings, row.level)?.stripePrice;
        return subscription === null || row === undefined || price == null
          ? []
          : [{ company, subscription, price, currency: row.currency }];
      });
    },
    { readOnly: true },
  );

async function move(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { subscription: id, price, currency }: Priced,
): Promise<Result<unknown>> {
  const current = await readStripe(() => stripe.subscriptions.retrieve(id));
  if (!current.ok) return current;
  const item = await findZeroItem(context, tenant, stripe, { price, currency });
  if (!item.ok) return item;
  const [before, ...others] = current.value.items.data;
  const body: Stripe.SubscriptionUpdateParams = {
    items: [
      { ...(before && { id: before.id }), ...item.value },
      ...others.map((other) => ({ id: other.id, deleted: true })),
    ],
    proration_behavior: 'none',
  };
  return writeStripe(context, tenant, { what: `subscription:${id}`, body }, (options) =>
    stripe.subscriptions.update(id, body, options),
  );
}
