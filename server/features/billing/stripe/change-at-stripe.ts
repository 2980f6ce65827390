import { Stripe } from 'stripe';
import { findPrices, type LevelPrices } from '#contract/billing/service-levels.ts';
import type { SubscriptionOperation } from '#contract/billing/subscription-changes.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
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
  context: AppContext,
  tenant: TenantId,
  row: SubscriptionRow,
  change: SubscriptionOperation,
): Promise<Result<unknown>> {
  if (!row.hasCard) return ok(null);
  const stripe = await connectStripe(context, tenant);
  const { subscriptionId, prices } = await context.store.tenant(
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
    writeStripe(context, tenant, { what: `subscription:${subscriptionId}`, body }, (options) =>
      stripe.subscriptions.update(subscriptionId, body, options),
    );
  const readItem = async (): Promise<Result<Stripe.SubscriptionItem | undefined>> => {
    const current = await readStripe(() => stripe.subscriptions.retrieve(subscriptionId));
    return current.ok ? ok(current.value.items.data[0]) : current;
  };
  const setPrice = async (level: LevelPrices | null): Promise<Result<unknown>> => {
    if (level === null || level.stripePrice === null)
      return failed({ kind: 'conflict', message: MESSAGES.levelWithoutPrice });
    const item = await readItem();
    if (!item.ok) return item;
    return update({
      items: [
        {
          ...(item.value && { id: item.value.id }),
          price: level.stripePrice,
          ...(level.stripeMeter === null && { quantity: Math.max(1, row.minimumUsers) }),
        },
      ],
    });
  };
  const setTerms = async (terms: Terms, level = row.level): Promise<Result<unknown>> => {
    const item = await readItem();
    if (!item.ok) return item;
    if (item.value === undefined) return failed({ kind: 'conflict', message: MESSAGES.noCard });
    const { id, price: before } = item.value;
    const isMetered = before.recurring?.usage_type === 'metered';
    if (isMetered && terms.minimumUsers > 0)
      return failed({ kind: 'conflict', message: MESSAGES.meterWithoutMinimum });
    const standard = findPrices(prices, level);
    const price =
      standard?.userMills === terms.userMills && standard.stripePrice !== null
        ? ok(standard.stripePrice)
        : await makePrice(context, tenant, stripe, { like: before, userMills: terms.userMills });
    if (!price.ok) return price;
    return update({
      items: [
        {
          id,
          price: price.value,
          ...(!isMetered && { quantity: Math.max(1, terms.minimumUsers) }),
        },
      ],
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
      return setPrice(change.prices);
    case 'update-trial':
      return setTrial(change.trialEndsAt);
    case 'update':
      return setTerms(change);
    case 'forgive':
      return forgive(context, tenant, stripe, subscriptionId);
    case 'rollback':
      if (row.undo?.operation === 'cancel') return update({ cancel_at_period_end: false });
      if (row.undo?.operation === 'change-level') {
        const level = findPrices(prices, row.undo.level);
        const priced = await setPrice(level);
        // What was agreed for that level comes back too.
        return !priced.ok || level?.userMills === row.undo.userMills
          ? priced
          : setTerms(row.undo, row.undo.level);
      }
      if (row.undo?.operation === 'update') return setTerms(row.undo);
      if (row.undo?.operation === 'update-trial') return setTrial(row.undo.trialEndsAt);
      return ok(null);
    default:
      return change satisfies never;
  }
}

/** Stripe counts in cents. */
const MILLS_PER_CENT = 10;

/** What was agreed with a subscriber: the price of a user, and how many are billed at least. */
interface Terms {
  readonly userMills: Mills;
  readonly minimumUsers: number;
}

/** Creates a price of the same product that is charged in the same way. Returns its id. */
async function makePrice(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { like, userMills }: { readonly like: Stripe.Price; readonly userMills: Mills },
): Promise<Result<string>> {
  const { currency, product, recurring } = like;
  const productId = typeof product === 'string' ? product : product.id;
  const body = {
    currency,
    product: productId,
    unit_amount_decimal: Stripe.Decimal.from((userMills / MILLS_PER_CENT).toFixed(1)),
    ...(recurring && {
      recurring: {
        interval: recurring.interval,
        interval_count: recurring.interval_count,
        usage_type: recurring.usage_type,
        ...(recurring.meter !== null && { meter: recurring.meter }),
      },
    }),
  };
  const made = await writeStripe(
    context,
    tenant,
    { what: `price:${productId}:${userMills}`, body },
    (options) => stripe.prices.create(body, options),
  );
  return made.ok ? ok(made.value.id) : made;
}

async function endAtStripe(
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

/** Voids what is unpaid, so that Stripe stops asking for it. */
async function forgive(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  subscription: string,
): Promise<Result<unknown>> {
  const open = await readStripe(() => stripe.invoices.list({ subscription, status: 'open' }));
  if (!open.ok) return open;
  for (const { id } of open.value.data) {
    if (id === undefined) continue;
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
