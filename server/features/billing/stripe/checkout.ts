import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { findBilledCompany, findSubscription } from '../subscriptions/load.ts';
import { subscribeByCard } from './company-checkout.ts';
import { ensureCustomer } from './customer.ts';
import { findPayer, recordPage } from './payer.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';

type Names = 'updateCard' | 'collectCard' | 'subscribeByCard' | 'getCheckoutResult';

/** Stripe's own pages for cards: the product holds no card data (BILL-20). */
export const checkoutHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  async updateCard(input, ctx) {
    const payer = await findPayer(context, ctx, input);
    if (!payer.ok) return payer;
    const { company, customer, address } = payer.value;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null || customer === null) return NO_CARD;
    const body = { customer, return_url: `${address}/subscriptions/checkout/update` };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `portal:${company}`, body },
      (options) => stripe.billingPortal.sessions.create(body, options),
    );
    if (!session.ok) return session;
    await recordPage(context, ctx, 'card.portal', company);
    return ok({ url: session.value.url });
  },

  async collectCard(input, ctx) {
    const payer = await findPayer(context, ctx, input);
    if (!payer.ok) return payer;
    const { company, address, currency } = payer.value;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    const customer = await ensureCustomer(context, ctx.tenant, stripe, payer.value);
    if (!customer.ok) return customer;
    const body = {
      mode: 'setup' as const,
      customer: customer.value,
      currency: currency.toLowerCase(),
      success_url: `${address}/subscriptions/checkout/ccCollection?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${address}/monitoring/billing`,
    };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `setup:${company}`, body },
      (options) => stripe.checkout.sessions.create(body, options),
    );
    if (!session.ok) return session;
    const { id, url } = session.value;
    if (url === null) return failed({ kind: 'conflict', message: MESSAGES.stripeRefused });
    await context.store.tenant(ctx.tenant, ({ sql }) =>
      sql
        .insertInto('stripe_checkout')
        .values({ tenant_id: ctx.tenant, id, company_n: company, at: ctx.now })
        .onConflict((on) => on.doNothing())
        .execute(),
    );
    await recordPage(context, ctx, 'card.collected', company);
    return ok({ url });
  },

  subscribeByCard: subscribeByCard(context),

  async getCheckoutResult({ checkoutId }, ctx) {
    const used = await context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const row = await tx.sql
          .selectFrom('stripe_checkout')
          .select(['company_n', 'subscription_id', 'linked_at'])
          .where('tenant_id', '=', ctx.tenant)
          .where('id', '=', checkoutId)
          .executeTakeFirst();
        const company =
          row === undefined ? null : await findBilledCompany(tx, ctx.session, row.company_n);
        if (row === undefined || company === null) return null;
        const subscription = await findSubscription(tx, company.n);
        const isDone = row.linked_at !== null;
        const hasCard = subscription?.hasCard === true;
        return { isLinked: isDone && hasCard, isRefused: isDone && !hasCard };
      },
      { readOnly: true },
    );
    if (used === null) return NOT_FOUND_RESULT;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    const session = await readStripe(() => stripe.checkout.sessions.retrieve(checkoutId));
    if (!session.ok) return session;
    const { status, mode } = session.value;
    return ok({
      status: STATUSES.find((known) => known === status) ?? 'open',
      mode: mode === 'setup' ? 'setup' : 'subscription',
      ...used,
    });
  },
});

const STATUSES = ['open', 'complete', 'expired'] as const;
const NO_CARD: Result<never> = failed({ kind: 'conflict', message: MESSAGES.noCard });
