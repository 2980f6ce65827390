import type { Stripe } from 'stripe';
import type { SignUpOut } from '#contract/billing/sign-up-calls.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { connectStripe, readStripe, writeStripe } from '../stripe/stripe.ts';
import { describeTerms } from '../stripe/terms-text.ts';
import { findZeroItem } from '../stripe/zero-price.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { finishSignUp, provision, type SignUpRow } from './provision.ts';
import { isFree, listLevels, toSignUpOutput } from './sign-up-step.ts';
import { findSignUp, LINK_OVER, updateSignUp, VALID_MS } from './store-sign-up.ts';

/** Opens Stripe's page to pay on, or creates the account if the level is free or paid already. */
export const startCheckout =
  (context: AppContext): Handlers['startCheckout'] =>
  async ({ hash }, ctx) => {
    const { store } = context;
    const found = await store.tenant(ctx.tenant, async (tx) => ({
      row: await findSignUp(tx, hash, ctx.now),
      settings: await loadBillingSettings(tx),
      address: await portalAddress(tx, context, ctx),
    }));
    const { row, settings, address } = found;
    if (row === null) return LINK_OVER;
    // Another tab has finished it: the page goes on there.
    if (row.ready_at !== null) return ok({ url: null });
    const { step } = toSignUpOutput(row, settings);
    if (row.verified_at === null || !isPayable(step))
      return failed({ kind: 'conflict', message: MESSAGES.signUpNotNow });
    const prices = listLevels(settings).find(({ level }) => level === row.level);
    // A level that is no longer offered can be paid no more, unless it is paid already.
    if (prices === undefined) {
      const isPaid = await closeCheckout(context, ctx.tenant, row);
      if (!isPaid.ok) return isPaid;
      return isPaid.value
        ? ok({ url: null })
        : failed({ kind: 'conflict', message: MESSAGES.levelNotOffered });
    }
    if (isFree(prices)) {
      await store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const current = await findSignUp(tx, hash, ctx.now);
        if (current?.ready_at === null && current.level === row.level)
          await provision(tx, context, current, null);
      });
      return ok({ url: null });
    }
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null || prices.stripePrice === null)
      return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    const back = `${address}/o365/register/${hash}`;
    const opened = await reopenCheckout(context, ctx.tenant, stripe, row, back);
    if (!opened.ok) return opened;
    if (opened.value !== undefined) {
      await store.tenant(ctx.tenant, (tx) => updateSignUp(tx, row, { until: ctx.now + VALID_MS }));
      return ok({ url: opened.value });
    }
    const item = await findZeroItem(context, ctx.tenant, stripe, {
      price: prices.stripePrice,
      currency: settings.currency,
    });
    if (!item.ok) return item;
    const terms = describeTerms({ ...prices, currency: settings.currency, minimumUsers: 0 });
    const body = {
      mode: 'subscription' as const,
      client_reference_id: row.id,
      customer_email: row.email,
      line_items: [item.value],
      custom_text: { submit: { message: terms } },
      ...(settings.trialDays > 0 && {
        subscription_data: { trial_period_days: settings.trialDays },
      }),
      success_url: `${back}?checkout=success`,
      cancel_url: back,
    };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `sign-up:${row.id}`, body },
      (options) => stripe.checkout.sessions.create(body, options),
    );
    if (!session.ok) return session;
    const { id, url } = session.value;
    // Details that were corrected meanwhile need another page: this one may have another price. If
    // another tab opened a page meanwhile, that one counts: what is paid on this one would be lost.
    const isCurrent = await store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      const current = await findSignUp(tx, hash, ctx.now);
      if (current?.level !== row.level || current.ready_at !== null) return false;
      if (current.session_id !== row.session_id && current.session_id !== id) return false;
      await updateSignUp(tx, row, { session_id: id, until: ctx.now + VALID_MS });
      return true;
    });
    return isCurrent ? ok({ url }) : failed({ kind: 'conflict', message: MESSAGES.signUpNotNow });
  };

/**
 * Returns the page that was opened before, so that nobody pays twice. Null: it is paid, and the account
 * exists now, even if Stripe's event is late. Undefined: a new page is needed, such as after the address
 * of the portal has changed: the page before would lead back to the former one, so it ends.
 */
async function reopenCheckout(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  row: SignUpRow,
  back: string,
): Promise<Result<string | null | undefined>> {
  const fetched = await fetchCheckout(stripe, row);
  if (!fetched.ok) return fetched;
  const page = fetched.value;
  if (page?.status === 'open' && page.cancel_url === back) return ok(page.url ?? undefined);
  const isPaid = await endCheckout(context, tenant, stripe, page);
  return isPaid.ok ? ok(isPaid.value ? null : undefined) : isPaid;
}

/**
 * Ends the page to pay on, if one is open, so that the details can be corrected. Returns whether it was
 * paid: then the account exists now.
 */
export async function closeCheckout(
  context: AppContext,
  tenant: TenantId,
  row: SignUpRow,
): Promise<Result<boolean>> {
  if (row.session_id === null) return ok(false);
  const stripe = await connectStripe(context, tenant);
  if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
  const fetched = await fetchCheckout(stripe, row);
  return fetched.ok ? endCheckout(context, tenant, stripe, fetched.value) : fetched;
}

async function fetchCheckout(
  stripe: Stripe,
  { session_id: id }: SignUpRow,
): Promise<Result<Stripe.Checkout.Session | null>> {
  if (id === null) return ok(null);
  const fetched = await readStripe(() =>
    stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }),
  );
  return fetched.ok || fetched.failure.kind !== 'not-found' ? fetched : ok(null);
}

async function endCheckout(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  page: Stripe.Checkout.Session | null,
): Promise<Result<boolean>> {
  if (page?.status === 'open') {
    const ended = await writeStripe(
      context,
      tenant,
      { what: `expire:${page.id}`, body: null },
      (options) => stripe.checkout.sessions.expire(page.id, {}, options),
    );
    return ended.ok ? ok(false) : ended;
  }
  if (page?.status !== 'complete') return ok(false);
  const finished = await finishSignUp(context, tenant, stripe, page);
  return finished.ok ? ok(true) : finished;
}

const isPayable = (step: SignUpOut['step']): boolean => step === 'checkout' || step === 'paying';
