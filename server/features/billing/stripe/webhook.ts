import type { Stripe } from 'stripe';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readBytes } from '#server/platform/http/body.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { finishSignUp } from '../sign-up/provision.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';
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
    case 'invoice.payment_failed': {
      const parent = event.data.object.parent?.subscription_details?.subscription;
      const id = typeof parent === 'string' ? parent : parent?.id;
      return id === undefined
        ? ok(null)
        : syncSubscription(context, tenant, stripe, { subscription: id, event: event.id });
    }
    default:
      return ok(null);
  }
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
    const set = await writeStripe(
      context,
      tenant,
      { what: `default-card:${customer}`, body: card },
      (options) =>
        stripe.customers.update(
          customer,
          { invoice_settings: { default_payment_method: card } },
          options,
        ),
    );
    if (!set.ok) return set;
  } else {
    const done = await finishSignUp(context, tenant, session);
    if (!done.ok) return done;
  }
  await context.store.tenant(tenant, (tx) => remember(tx, event, context.clock.now()));
  return ok(null);
}
