import { Hono } from 'hono';
import type { Stripe } from 'stripe';
import { SECOND_MS } from '#contract/time/durations.ts';
import type { Chance, Clock } from '#server/platform/app-context.ts';
import { json, missing, problem } from './answers.ts';
import { stripePageMessages as t } from './messages.en.ts';
import { checkoutPage, portalPage } from './pages.ts';
import { findWrongParam } from './published-params.ts';
import {
  Missing,
  readMetadata,
  toPage,
  type AdoptedSubscription,
  type StripeFields,
  type Rec,
} from './records.ts';
import { makeInvoices, type Extras } from './stand-in-invoices.ts';

/** What is sold on a page. */
type Terms = Readonly<Record<'price' | 'quantity' | 'trialDays' | 'trialEnd', string | null>>;

const MONTH_SECONDS = 30 * 86_400;
const UNIT_CENTS = 2_500;
/** A version of the API that Stripe has published. */
const API_VERSION: Stripe.WebhookEndpointCreateParams.ApiVersion = '2026-01-28.clover';

export interface StripeStandIn {
  /** What the SDK and reCAPTCHA's check are sent to. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Stripe's hosted pages, below `base`. */
  readonly pages: Hono;
  /** All records of a kind, such as `customers`. */
  list(kind: string): readonly Rec[];
  /** How often a write of a kind was made, not counting repeats of a key. */
  count(kind: string): number;
  /** Changes a subscription as time or a card would, and sends its event. */
  change(subscription: string, fields: StripeFields, type: string): Promise<void>;
  /** Adds a price of the provider, in cents. One with a meter is charged by what the meter sums up. */
  addPrice(id: string, cents: number, meter?: string): void;
  /** Lets time pass: periods that are over are charged, and what was canceled ends. */
  renew(): Promise<void>;
  /** Whether the card of a customer is declined from now on. */
  setDeclined(customer: string, isDeclined: boolean): void;
  /** A tax or a discount that invoices get at Stripe, of their own or somebody's making. */
  setExtras(extras: Extras): void;
  /** Adds a subscription that was made before, with its customer and what is unpaid. */
  adopt(subscription: AdoptedSubscription): void;
  /** Every event so far, in order, to be sent again. */
  readonly events: readonly string[];
  send(payload: string): Promise<number>;
}

export interface StandInOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly chance: Pick<Chance, 'uuid'>;
  /** Where its pages are, such as `/demo/stripe`. */
  readonly base: string;
  readonly webhookSecret: string;
  /** Delivers a signed event to the webhook and returns the status. */
  readonly deliver: (payload: string, signature: string) => Promise<number>;
}

/**
 * A stand-in of Stripe as docs.stripe.com publishes it, with a state: customers, prices, Checkout in both
 * modes, setup intents, subscriptions, invoices, portal sessions and meter events. A write with an
 * idempotency key acts once, and a parameter that isn't published is refused. It keeps no card.
 */
export function makeStripeStandIn({
  clock,
  chance,
  base,
  webhookSecret,
  deliver,
}: StandInOptions): StripeStandIn {
  const records = new Map<string, Map<string, Rec>>();
  const answers = new Map<string, { readonly body: string; readonly answer: StripeFields }>();
  const counts = new Map<string, number>();
  const events: string[] = [];
  const now = (): number => Math.floor(clock.now() / SECOND_MS);
  const makeId = (prefix: string): string =>
    `${prefix}_${chance.uuid().replaceAll('-', '').slice(0, 24)}`;
  const table = (kind: string): Map<string, Rec> => {
    const rows = records.get(kind) ?? new Map<string, Rec>();
    records.set(kind, rows);
    return rows;
  };
  const put = (kind: string, row: Rec): Rec => {
    table(kind).set(row.id, row);
    return row;
  };
  const patch = (kind: string, id: string, fields: StripeFields): Rec => {
    const row = table(kind).get(id);
    if (!row) throw new Missing();
    return put(kind, { ...row, ...fields });
  };

  const remove = (kind: string, id: string): void => void table(kind).delete(id);

  async function emit(type: string, object: StripeFields): Promise<void> {
    const payload = JSON.stringify({
      id: makeId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: now(),
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
      data: { object: expand(object, []) },
    });
    events.push(payload);
    await send(payload);
  }
  async function send(payload: string): Promise<number> {
    const timestamp = now();
    // The SDK is loaded when it is needed.
    const { webhooks } = (await import('stripe')).Stripe;
    return deliver(
      payload,
      webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp }),
    );
  }

  /** A price of the provider. */
  const getPrice = (id: string): Rec =>
    table('prices').get(id) ?? {
      id,
      object: 'price',
      currency: 'usd',
      product: `prod_${id}`,
      unit_amount: UNIT_CENTS,
      recurring: {
        interval: 'month',
        interval_count: 1,
        usage_type: 'licensed',
        meter: null,
      },
    };

  const invoices = makeInvoices({ table, put, patch, remove, makeId, emit, now });
  const makeItem = (price: string, quantity: number | null, periodEnd: number): StripeFields => ({
    id: makeId('si'),
    object: 'subscription_item',
    price: getPrice(price),
    ...(quantity !== null && { quantity }),
    current_period_start: now(),
    current_period_end: periodEnd,
  });

  function makeSubscription(
    customer: string,
    { price, quantity, trialDays, trialEnd: end }: Terms,
  ): Rec {
    const created = now();
    const days = Number(trialDays ?? 0);
    const trialEnd = days > 0 ? created + days * 86_400 : end === null ? null : Number(end);
    const id = makeId('sub');
    const method = makeId('pm');
    const row = put('subscriptions', {
      id,
      object: 'subscription',
      customer,
      status: trialEnd === null ? 'active' : 'trialing',
      cancel_at_period_end: false,
      created,
      trial_end: trialEnd,
      latest_invoice: null,
      default_payment_method: method,
      items: {
        object: 'list',
        data: [
          makeItem(
            String(price),
            quantity == null ? null : Number(quantity),
            trialEnd ?? created + MONTH_SECONDS,
          ),
        ],
      },
    });
    return trialEnd === null ? invoices.startPeriod(row) : row;
  }

  /** What a person does on the hosted page. A declined card leaves the session open. */
  async function pay(id: string): Promise<string | null> {
    const session = table('sessions').get(id);
    if (session?.['status'] !== 'open') return null;
    const known = session['customer'];
    const customer =
      typeof known === 'string'
        ? known
        : put('customers', {
            id: makeId('cus'),
            object: 'customer',
            email: session['customer_email'] ?? null,
          }).id;
    if (session['mode'] === 'setup') {
      const intent = put('setup_intents', {
        id: makeId('seti'),
        object: 'setup_intent',
        status: 'succeeded',
        customer,
        payment_method: makeId('pm'),
      });
      const done = patch('sessions', id, {
        status: 'complete',
        customer,
        setup_intent: intent.id,
        payment_status: 'no_payment_required',
      });
      await emit('checkout.session.completed', done);
    } else {
      const subscription = makeSubscription(customer, session['~terms'] as Terms);
      const done = patch('sessions', id, {
        status: 'complete',
        customer,
        subscription: subscription.id,
        payment_status: 'paid',
      });
      await emit('customer.subscription.created', subscription);
      await emit('checkout.session.completed', done);
    }
    return String(session['success_url']).replace('{CHECKOUT_SESSION_ID}', id);
  }

  const expand = (row: StripeFields, wanted: readonly string[]): StripeFields => {
    const kinds: Readonly<Record<string, string>> = {
      subscription: 'subscriptions',
      setup_intent: 'setup_intents',
    };
    return Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !name.startsWith('~'))
        .map(([name, value]) => [
          name,
          wanted.includes(name) && typeof value === 'string'
            ? (table(kinds[name] ?? '').get(value) ?? value)
            : value,
        ]),
    );
  };

  async function write(path: string, form: URLSearchParams): Promise<StripeFields> {
    const text = (name: string): string | null => form.get(name);
    const [, kind = '', id = '', action = ''] = path.split('/');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (path === '/customers')
      return put('customers', { id: makeId('cus'), object: 'customer', email: text('email') });
    if (kind === 'customers')
      return patch('customers', id, {
        invoice_settings: {
          default_payment_method: text('invoice_settings[default_payment_method]'),
        },
      });
    if (path === '/checkout/sessions') {
      const session = makeId('cs_test');
      const message = text('custom_text[submit][message]');
      return expand(
        put('sessions', {
          'id': session,
          'object': 'checkout.session',
          'mode': text('mode'),
          'status': 'open',
          'payment_status': 'unpaid',
          'client_reference_id': text('client_reference_id'),
          'customer': text('customer'),
          'customer_email': text('customer_email'),
          'subscription': null,
          'setup_intent': null,
          'success_url': text('success_url'),
          'cancel_url': text('cancel_url'),
          'url': `${base}/pay/${session}`,
          'metadata': readMetadata(form),
          'custom_text': { submit: message === null ? null : { message } },
          '~terms': {
            price: text('line_items[0][price]'),
            quantity: text('line_items[0][quantity]'),
            trialDays: text('subscription_data[trial_period_days]'),
            trialEnd: text('subscription_data[trial_end]'),
          },
        }),
        [],
      );
    }
    const ended = /^\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1];
    if (ended !== undefined)
      return expand(patch('sessions', ended, { status: 'expired', url: null }), []);
    if (path === '/prices')
      return put('prices', {
        id: makeId('price'),
        object: 'price',
        currency: text('currency'),
        product: text('product'),
        unit_amount: Number(text('unit_amount')),
        lookup_key: text('lookup_key'),
        active: true,
        recurring: {
          interval: text('recurring[interval]'),
          interval_count: 1,
          usage_type: text('recurring[usage_type]') ?? 'licensed',
          meter: text('recurring[meter]'),
        },
      });
    if (path === '/billing_portal/sessions') {
      const customer = text('customer') ?? '';
      if (!table('customers').has(customer)) throw new Missing();
      const portal = makeId('bps');
      return put('portals', {
        id: portal,
        object: 'billing_portal.session',
        customer,
        return_url: text('return_url'),
        url: `${base}/portal/${portal}`,
      });
    }
    if (path === '/billing/meter_events') {
      const identifier = text('identifier') ?? makeId('mtr');
      const event = {
        object: 'billing.meter_event',
        event_name: text('event_name'),
        identifier,
        payload: {
          stripe_customer_id: text('payload[stripe_customer_id]'),
          value: text('payload[value]'),
        },
        timestamp: Number(text('timestamp') ?? now()),
      };
      put('meter_events', { id: identifier, ...event });
      return event;
    }
    if (kind === 'invoices') return invoices.write(id, action, form);
    if (kind === 'subscriptions') {
      const trial = text('trial_end');
      const price = text('items[0][price]');
      const quantity = text('items[0][quantity]');
      const row = table('subscriptions').get(id);
      if (!row) throw new Missing();
      const items = row['items'] as { data: StripeFields[] };
      const next = patch('subscriptions', id, {
        metadata: { ...(row['metadata'] as StripeFields | undefined), ...readMetadata(form) },
        ...(form.has('cancel_at_period_end') && {
          cancel_at_period_end: text('cancel_at_period_end') === 'true',
        }),
        ...(trial !== null && { trial_end: trial === 'now' ? null : Number(trial) }),
        ...(price !== null && {
          items: {
            ...items,
            data: [
              {
                ...items.data[0],
                price: getPrice(price),
                ...(quantity !== null && { quantity: Number(quantity) }),
              },
            ],
          },
        }),
      });
      await emit('customer.subscription.updated', next);
      return next;
    }
    throw new Missing();
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.hostname === 'www.google.com') {
      const form = new URLSearchParams(await request.text());
      return json({ success: form.get('response') === 'human' && form.get('secret') !== null });
    }
    if (url.hostname !== 'api.stripe.com' || !url.pathname.startsWith('/v1/')) return missing();
    if (!/^Bearer sk_test_\w+$/.test(request.headers.get('authorization') ?? ''))
      return problem(401, t.invalidKey);
    const path = url.pathname.slice('/v1'.length);
    const [, kind = '', id = '', third = ''] = path.split('/');
    try {
      if (request.method === 'GET') {
        if (path === '/invoices')
          return json(
            toPage(table('invoices'), url, (row) =>
              ['status', 'customer'].every((name) => row[name] === url.searchParams.get(name)),
            ),
          );
        if (path === '/prices')
          return json(
            toPage(
              table('prices'),
              url,
              (row) => row['lookup_key'] === url.searchParams.get('lookup_keys[0]'),
            ),
          );
        const row =
          kind === 'checkout'
            ? table('sessions').get(third)
            : kind === 'prices'
              ? getPrice(id)
              : table(kind).get(id);
        if (!row) throw new Missing();
        return json(
          expand(
            row,
            [...url.searchParams]
              .filter(([name]) => name.startsWith('expand'))
              .map(([, value]) => value),
          ),
        );
      }
      if (request.method === 'DELETE' && kind === 'invoices') return json(invoices.delete(id));
      if (request.method === 'DELETE') {
        counts.set('cancelled', (counts.get('cancelled') ?? 0) + 1);
        const ended = patch('subscriptions', id, { status: 'canceled' });
        await emit('customer.subscription.deleted', ended);
        return json(ended);
      }
      const body = await request.text();
      const key = request.headers.get('idempotency-key');
      const before = key === null ? undefined : answers.get(key);
      if (before)
        return before.body === `${path} ${body}` ? json(before.answer) : problem(400, t.keyReused);
      const form = new URLSearchParams(body);
      const wrong = findWrongParam(path, form);
      if (wrong !== null) return problem(400, t[wrong.code ?? 'value_unknown'], wrong);
      const made = await write(path, form);
      if (key !== null) answers.set(key, { body: `${path} ${body}`, answer: made });
      return json(made);
    } catch (error) {
      if (error instanceof Missing) return missing();
      throw error;
    }
  }

  const pages = new Hono();
  pages.get('/pay/:id', (c) => {
    const session = table('sessions').get(c.req.param('id'));
    return session === undefined
      ? c.notFound()
      : c.html(checkoutPage(base, session.id, session, c.req.query('declined') === '1'));
  });
  pages.post('/pay/:id', async (c) => {
    const form = new URLSearchParams(await c.req.text());
    if (form.get('card') === 'declined')
      return c.redirect(`${base}/pay/${c.req.param('id')}?declined=1`, 303);
    const back = await pay(c.req.param('id'));
    return back === null ? c.notFound() : c.redirect(back, 303);
  });
  pages.get('/portal/:id', (c) => {
    const portal = table('portals').get(c.req.param('id'));
    return portal === undefined ? c.notFound() : c.html(portalPage(String(portal['return_url'])));
  });

  return {
    fetch: answer,
    pages,
    list: (kind) => [...table(kind).values()],
    count: (kind) => counts.get(kind) ?? 0,
    async change(subscription, fields, type) {
      await emit(type, patch('subscriptions', subscription, fields));
    },
    addPrice(id, cents, meter) {
      put('prices', {
        ...getPrice(id),
        unit_amount: cents,
        ...(meter !== undefined && {
          recurring: { interval: 'month', interval_count: 1, usage_type: 'metered', meter },
        }),
      });
    },
    async renew() {
      for (const row of table('subscriptions').values()) await invoices.renew(row);
    },
    setDeclined: (customer, isDeclined) => invoices.setDeclined(customer, isDeclined),
    setExtras: (extras) => invoices.setExtras(extras),
    adopt({ id, customer, price, quantity, owedCents, ...more }) {
      put('customers', {
        id: customer,
        object: 'customer',
        email: null,
        invoice_settings: { default_payment_method: makeId('pm') },
      });
      const trialEnd = more.trialEndsAt === null ? null : Math.floor(more.trialEndsAt / SECOND_MS);
      const periodEnd = Math.floor(more.periodEndsAt / SECOND_MS);
      invoices.adopt(customer, owedCents);
      const known = getPrice(price);
      put('prices', { ...known, id: `zero_${price}`, unit_amount: 0 });
      put('subscriptions', {
        id,
        object: 'subscription',
        customer,
        status: trialEnd === null ? 'active' : 'trialing',
        cancel_at_period_end: more.isCancelled,
        created: now(),
        trial_end: trialEnd,
        latest_invoice: null,
        default_payment_method: null,
        items: { object: 'list', data: [makeItem(`zero_${price}`, quantity, periodEnd)] },
      });
    },
    events,
    send,
  };
}
