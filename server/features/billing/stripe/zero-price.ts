import type { Stripe } from 'stripe';
import type { Currency } from '#contract/billing/service-levels.ts';
import type { TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readStripe, writeStripe } from './stripe.ts';

/** An item of a subscription at Stripe; a metered one has no quantity. */
export interface ZeroItem {
  readonly price: string;
  readonly quantity?: 1;
}

/**
 * Returns an item with a monthly price of zero, of the product of a level's price. A subscription at
 * Stripe has a card, a trial and an end, and no amount of its own: each closed month is collected by
 * an invoice with our amount (BILL-22). A metered price stays metered, so that Stripe shows the usage.
 */
export async function findZeroItem(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { price, currency }: { readonly price: string; readonly currency: Currency },
): Promise<Result<ZeroItem>> {
  const lookupKey = `zero_${price}_${currency.toLowerCase()}`;
  const found = await readStripe(() =>
    stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 }),
  );
  if (!found.ok) return found;
  const [known] = found.value.data;
  if (known !== undefined) return ok(toItem(known));
  const like = await readStripe(() => stripe.prices.retrieve(price));
  if (!like.ok) return like;
  const { product, recurring } = like.value;
  const meter = recurring?.usage_type === 'metered' ? recurring.meter : null;
  const body: Stripe.PriceCreateParams = {
    currency: currency.toLowerCase(),
    product: typeof product === 'string' ? product : product.id,
    unit_amount: 0,
    lookup_key: lookupKey,
    transfer_lookup_key: true,
    recurring: {
      interval: 'month',
      ...(meter === null ? {} : { usage_type: 'metered' as const, meter }),
    },
  };
  const made = await writeStripe(context, tenant, { what: `price:${lookupKey}`, body }, (options) =>
    stripe.prices.create(body, options),
  );
  return made.ok ? ok(toItem(made.value)) : made;
}

const toItem = ({ id, recurring }: Stripe.Price): ZeroItem => ({
  price: id,
  ...(recurring?.usage_type !== 'metered' && { quantity: 1 }),
});
