import type { Stripe } from 'stripe';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readBytes } from '#server/platform/http/body.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { finishSignUp } from '../sign-up/provision.ts';
import { finishCompanyCheckout } from './company-checkout.ts';
import { setDefaultCard } from './customer.ts';
import { connectStripe, readStripe } from './stripe.ts';
import { hasSeen, remember, syncSubscription } from './sync-subscription.ts';

const MAX_BYTES = 1_048_576;
/** G68: an older signature is refused. */
const TOLERANCE_SECONDS = 300;

/**
 * G54, G68: Stripe's events over the raw body. The content of an event is never used: the object
 * that it names is fetched, and its state of that moment counts (BILL-10).
 */
export const stripeEventHandlers = (context: AppContext): Pick<Handlers, 'receiveStripeEvent'> => ({
  async receiveStripeEvent(_, { request, tenant, now }) {
    const body = await readBytes(request, MAX_BYTES);
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
    case 'invoice.marked_uncollectible': {
      const subscription = await findSubscriptionId(context, tenant, event.data.object.customer);
      return subscription === null
        ? ok(null)
        : syncSubscription(context, tenant, stripe, { subscription, event: event.id });
    }
    default:
      return ok(null);
  }
}

/** The subscription at Stripe of a customer; null if there is none. */
async function findSubscriptionId(
  context: AppContext,
  tenant: TenantId,
  customer: Stripe.Invoice['customer'],
): Promise<string | null> {
  const id = typeof customer === 'string' ? customer : customer?.id;
  if (id === undefined) return null;
  const row = await context.store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('stripe_customer')
        .select('subscription_id')
        .where('tenant_id', '=', tenant)
        .where('customer_id', '=', id)
        .executeTakeFirst(),
    { readOnly: true },
  );
  return row?.subscription_id ?? null;
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
