import type { Stripe } from 'stripe';

/**
 * What may be below a name. `true`: a value; a list: one of these values; `'any'`: names of our own,
 * such as metadata.
 */
interface Params {
  readonly [name: string]: true | readonly string[] | 'any' | Params;
}

/** The values that Stripe publishes for a parameter; never if others are allowed, too. */
type Values<T> = [Extract<T, number | boolean>] extends [never]
  ? T extends string
    ? string extends T
      ? never
      : Exclude<T, ''>
    : never
  : never;
type ValueOf<T> = [Values<T>] extends [never] ? true : readonly Values<T>[];

/** Names that Stripe's published API has, by the types that its SDK is generated with. */
type Published<T> = T extends readonly (infer U)[]
  ? Published<U>
  : T extends object
    ? {
        readonly [K in keyof T]?: ValueOf<NonNullable<T[K]>> | 'any' | Published<NonNullable<T[K]>>;
      }
    : never;

interface Write {
  readonly path: RegExp;
  readonly params: Params;
  readonly required: readonly string[];
}

/** The writes of this product, with the parameters that it may send. */
const WRITES: readonly Write[] = [
  {
    path: /^\/customers$/,
    params: { email: true, metadata: 'any' } satisfies Published<Stripe.CustomerCreateParams>,
    required: [],
  },
  {
    path: /^\/customers\/\w+$/,
    params: {
      invoice_settings: { default_payment_method: true },
    } satisfies Published<Stripe.CustomerUpdateParams>,
    required: [],
  },
  {
    path: /^\/checkout\/sessions$/,
    params: {
      mode: ['setup', 'subscription'],
      customer: true,
      customer_email: true,
      client_reference_id: true,
      currency: true,
      line_items: { price: true, quantity: true },
      subscription_data: { trial_period_days: true, trial_end: true },
      metadata: 'any',
      custom_text: { submit: { message: true } },
      success_url: true,
      cancel_url: true,
    } satisfies Published<Stripe.Checkout.SessionCreateParams>,
    required: [],
  },
  {
    path: /^\/checkout\/sessions\/\w+\/expire$/,
    params: {} satisfies Published<Stripe.Checkout.SessionExpireParams>,
    required: [],
  },
  {
    path: /^\/billing_portal\/sessions$/,
    params: {
      customer: true,
      return_url: true,
    } satisfies Published<Stripe.BillingPortal.SessionCreateParams>,
    required: [],
  },
  {
    path: /^\/billing\/meter_events$/,
    params: {
      event_name: true,
      identifier: true,
      payload: 'any',
      timestamp: true,
    } satisfies Published<Stripe.Billing.MeterEventCreateParams>,
    required: ['event_name', 'payload'],
  },
  {
    path: /^\/prices$/,
    params: {
      currency: true,
      product: true,
      unit_amount: true,
      lookup_key: true,
      transfer_lookup_key: true,
      recurring: { interval: ['month'], usage_type: ['licensed', 'metered'], meter: true },
    } satisfies Published<Stripe.PriceCreateParams>,
    required: ['currency'],
  },
  {
    path: /^\/invoices$/,
    params: {
      customer: true,
      currency: true,
      collection_method: ['charge_automatically'],
      auto_advance: true,
      pending_invoice_items_behavior: ['exclude'],
      description: true,
      metadata: 'any',
    } satisfies Published<Stripe.InvoiceCreateParams>,
    required: [],
  },
  {
    path: /^\/invoices\/\w+\/add_lines$/,
    params: {
      lines: {
        amount: true,
        description: true,
        discountable: true,
        period: { start: true, end: true },
      },
    } satisfies Published<Stripe.InvoiceAddLinesParams>,
    required: ['lines'],
  },
  {
    path: /^\/invoices\/\w+\/finalize$/,
    params: { auto_advance: true } satisfies Published<Stripe.InvoiceFinalizeInvoiceParams>,
    required: [],
  },
  {
    path: /^\/invoices\/\w+$/,
    params: { metadata: 'any' } satisfies Published<Stripe.InvoiceUpdateParams>,
    required: [],
  },
  {
    path: /^\/invoices\/\w+\/void$/,
    params: {} satisfies Published<Stripe.InvoiceVoidInvoiceParams>,
    required: [],
  },
  {
    path: /^\/subscriptions\/\w+$/,
    params: {
      cancel_at_period_end: true,
      trial_end: true,
      items: { id: true, price: true, quantity: true, deleted: true },
      metadata: 'any',
      proration_behavior: ['none'],
    } satisfies Published<Stripe.SubscriptionUpdateParams>,
    required: [],
  },
];

interface WrongParam {
  /** Undefined: the value isn't one of those that the parameter may have; Stripe has no code for it. */
  readonly code?: 'parameter_unknown' | 'parameter_missing';
  readonly param: string;
}

/**
 * Returns what is wrong with a write as Stripe would: a parameter or a value that it doesn't know, or
 * a parameter that is missing. Null: nothing.
 */
export function findWrongParam(path: string, form: URLSearchParams): WrongParam | null {
  const write = WRITES.find((known) => known.path.test(path));
  if (write === undefined) return null;
  for (const [name, value] of form) {
    const known = findParam(
      write.params,
      name.split(/[[\]]+/).filter((part) => part !== ''),
    );
    if (known === null) return { code: 'parameter_unknown', param: name };
    if (known !== 'any' && known !== true && !known.includes(value)) return { param: name };
  }
  const missing = write.required.find(
    (name) => ![...form.keys()].some((key) => key === name || key.startsWith(`${name}[`)),
  );
  return missing === undefined ? null : { code: 'parameter_missing', param: missing };
}

/** Returns what a parameter may be; null if it isn't known. Lists number their entries: `items[0][price]`. */
function findParam(
  params: Params,
  [name = '', ...below]: readonly string[],
): true | readonly string[] | 'any' | null {
  if (/^\d+$/.test(name)) return findParam(params, below);
  const known = params[name];
  if (known === undefined) return null;
  if (known === 'any') return known;
  const isValue = known === true || isList(known);
  if (below.length === 0) return isValue ? known : null;
  return isValue ? null : findParam(known, below);
}

const isList = (known: Params | readonly string[]): known is readonly string[] =>
  Array.isArray(known);
