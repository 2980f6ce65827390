import type { Stripe } from 'stripe';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { readBytes } from '#server/platform/http/body.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { finishSignUp } from '../sign-up/provision.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { getReconcileEvents } from './reconcile.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';

const MAX_BYTES = 1_048_576;
/** G68: an older signature is refused. */
const TOLERANCE_SECONDS = 300;
/** Stripe repeats an event for three days. */
const STORED_MS: Ms = 30 * 86_400_000;

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
      return reconcile(context, tenant, stripe, event.data.object.id, event.id);
    case 'invoice.paid':
    case 'invoice.payment_failed': {
      const parent = event.data.object.parent?.subscription_details?.subscription;
      const id = typeof parent === 'string' ? parent : parent?.id;
      return id === undefined ? ok(null) : reconcile(context, tenant, stripe, id, event.id);
    }
    default:
      return ok(null);
  }
}

/** Brings the row of a subscription to Stripe's state. `event`: acts once. */
async function reconcile(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  subscriptionId: string,
  event: string,
): Promise<Result<unknown>> {
  const fetched = await readStripe(() =>
    stripe.subscriptions.retrieve(subscriptionId, { expand: ['latest_invoice'] }),
  );
  if (!fetched.ok) return fetched.failure.kind === 'not-found' ? ok(null) : fetched;
  return context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    if (!(await remember(tx, event, context.clock.now()))) return ok(null);
    const known = await tx.sql
      .selectFrom('stripe_customer')
      .select('company_n')
      .where('tenant_id', '=', tenant)
      .where('subscription_id', '=', subscriptionId)
      .executeTakeFirst();
    const row = (await tx.all('subscription')).find(
      ({ company, hasCard, endedAt }) =>
        company === known?.company_n && hasCard && endedAt === null,
    );
    if (row === undefined) return ok(null);
    const { graceDays } = await loadBillingSettings(tx);
    const now = context.clock.now();
    await tx.append(
      getReconcileEvents(row, fetched.value, { graceDays, now }).map((change) => ({
        event: change,
        company: row.company,
        entity: `subscription:${row.id}`,
      })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
    return ok(null);
  });
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

const hasSeen = async ({ sql, tenant }: TenantTx, id: string): Promise<boolean> =>
  (await sql
    .selectFrom('stripe_event')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined;

/** Returns false if the event has acted already. */
async function remember({ sql, tenant }: TenantTx, id: string, at: Ms): Promise<boolean> {
  await sql
    .deleteFrom('stripe_event')
    .where('tenant_id', '=', tenant)
    .where('at', '<', at - STORED_MS)
    .execute();
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('stripe_event')
    .values({ tenant_id: tenant, id, at })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
