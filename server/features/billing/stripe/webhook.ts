import type { Stripe } from 'stripe';
import type { CompanyN, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readBodyBytes } from '#server/platform/http/body.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { finishSignUp } from '../sign-up/provision.ts';
import { finishCompanyCheckout } from './company-checkout.ts';
import { setDefaultCard } from './customer.ts';
import { syncEndedDebt } from './ended-debts.ts';
import { connectStripe, readStripe } from './stripe.ts';
import { hasSeen, remember, syncSubscription } from './sync-subscription.ts';
import { releaseVoided } from './voided-invoices.ts';

const MAX_BYTES = 1_048_576;
/** G68: an older signature is refused. */
const TOLERANCE_SECONDS = 300;

/**
 * G54, G68: Stripe's events over the raw body. The content of an event is never used: the object
 * that it names is fetched, and its state of that moment counts (BILL-10).
 */
export const stripeEventHandlers = (context: AppContext): Pick<Handlers, 'receiveStripeEvent'> => ({
  async receiveStripeEvent(_, { request, tenant, now }) {
    const body = await readBodyBytes(request, MAX_BYTES);
    if (!body.ok) return body;
    const signature = request.headers.get('stripe-signature') ?? '';
    const stripe = await connectStripe(context, tenant);
    const secret = await context.store.tenant(tenant, (tx) =>
      readSecret(tx, context, 'stripe-webhook'),
    );
    if (stripe === null || secret === null) return NOT_SIGNED;
    const event = await stripe.webhooks
      .constructEventAsync(
        Buffer.from(body.value),
        signature,
        secret,
        TOLERANCE_SECONDS,
        undefined,
        now,
      )
      .catch(() => null);
    if (event === null) return NOT_SIGNED;
    const acted = await actOn(context, tenant, stripe, event);
    return acted.ok ? ok({ received: true }) : acted;
  },
});

const NOT_SIGNED: Result<never> = failed({
  kind: 'bad-input',
  message: MESSAGES.notSigned,
  issues: [{ path: '', message: MESSAGES.notSigned }],
});

async function actOn(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  event: Stripe.Event,
): Promise<Result<unknown>> {
  if (await context.store.tenant(tenant, (tx) => hasSeen(tx, event.id))) return ok(null);
  switch (event.type) {
    case 'checkout.session.completed':
      return finishCheckout(context, tenant, stripe, event.data.object.id, event.id);
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return syncSubscription(context, tenant, stripe, {
        subscription: event.data.object.id,
        event: event.id,
      });
    case 'invoice.paid':
    case 'invoice.payment_failed':
    case 'invoice.voided':
    case 'invoice.marked_uncollectible':
      return readInvoices(context, tenant, stripe, {
        customer: event.data.object.customer,
        event: event.id,
      });
    default:
      return ok(null);
  }
}

/** Reads what the invoices of a customer change: the months of voided ones, and what is owed. */
async function readInvoices(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { customer, event }: { readonly customer: Stripe.Invoice['customer']; readonly event: string },
): Promise<Result<unknown>> {
  const id = typeof customer === 'string' ? customer : customer?.id;
  if (id === undefined) return ok(null);
  const known = await findCustomer(context, tenant, id);
  if (known === null) return ok(null);
  const released = await releaseVoided(context, tenant, stripe, id);
  if (!released.ok) return released;
  const read = await syncEndedDebt(context, tenant, stripe, {
    company: known.company,
    customer: id,
  });
  if (!read.ok || known.subscription === null) return read;
  return syncSubscription(context, tenant, stripe, { subscription: known.subscription, event });
}

/** A customer of ours, with its subscription at Stripe; null if it isn't one. */
async function findCustomer(
  context: AppContext,
  tenant: TenantId,
  id: string,
): Promise<{ readonly company: CompanyN; readonly subscription: string | null } | null> {
  const row = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('stripe_customer')
        .select(['company_n', 'subscription_id'])
        .where('tenant_id', '=', tenant)
        .where('customer_id', '=', id)
        .executeTakeFirst(),
    { readOnly: true },
  );
  return row === undefined ? null : { company: row.company_n, subscription: row.subscription_id };
}

async function finishCheckout(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  sessionId: string,
  event: string,
): Promise<Result<unknown>> {
  const fetched = await readStripe(() =>
    stripe.checkout.sessions.retrieve(sessionId, { expand: ['setup_intent', 'subscription'] }),
  );
  if (!fetched.ok) return fetched.failure.kind === 'not-found' ? ok(null) : fetched;
  const session = fetched.value;
  if (session.status !== 'complete') return ok(null);
  if (session.mode === 'setup') {
    const intent = session.setup_intent;
    const method = typeof intent === 'string' ? null : (intent?.payment_method ?? null);
    const customer = typeof session.customer === 'string' ? session.customer : session.customer?.id;
    const card = typeof method === 'string' ? method : method?.id;
    if (customer === undefined || card === undefined) return ok(null);
    const set = await setDefaultCard(context, tenant, stripe, { customer, card });
    if (!set.ok) return set;
  } else {
    const done = await finishSignUp(context, tenant, stripe, session);
    if (!done.ok) return done;
    const linked = await finishCompanyCheckout(context, tenant, stripe, session);
    if (!linked.ok) return linked;
  }
  await context.store.tenant(tenant, (tx) => remember(tx, event, context.clock.now()));
  return ok(null);
}
