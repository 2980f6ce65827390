import type { Stripe } from 'stripe';

/** What may be below a name; `true`: a value, `'any'`: names of our own, such as metadata. */
interface Params {
  readonly [name: string]: true | 'any' | Params;
}

/** Names that Stripe's published API has, by the types that its SDK is generated with. */
type Published<T> = T extends readonly (infer U)[]
  ? Published<U>
  : T extends object
    ? { readonly [K in keyof T]?: true | 'any' | Published<NonNullable<T[K]>> }
    : never;

interface Write {
  readonly path: RegExp;
  readonly params: Params;
  readonly required: readonly string[];
}

const NO_NAMES: Params = {};

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
      mode: true,
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
      recurring: { interval: true, usage_type: true, meter: true },
    } satisfies Published<Stripe.PriceCreateParams>,
    required: ['currency'],
  },
  {
    path: /^\/invoices$/,
    params: {
      customer: true,
      currency: true,
      collection_method: true,
      auto_advance: true,
      pending_invoice_items_behavior: true,
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
      proration_behavior: true,
    } satisfies Published<Stripe.SubscriptionUpdateParams>,
    required: [],
  },
];

/**
 * Returns what is wrong with a write as Stripe would: a parameter that it doesn't know, or one that is
 * missing. Null: nothing.
 */
export function findWrongParam(
  path: string,
  form: URLSearchParams,
): { readonly code: 'parameter_unknown' | 'parameter_missing'; readonly param: string } | null {
  const write = WRITES.find((known) => known.path.test(path));
  if (write === undefined) return null;
  for (const name of form.keys())
    if (
      !isKnown(
        write.params,
        name.split(/[[\]]+/).filter((part) => part !== ''),
      )
    )
      return { code: 'parameter_unknown', param: name };
  const missing = write.required.find(
    (name) => ![...form.keys()].some((key) => key === name || key.startsWith(`${name}[`)),
  );
  return missing === undefined ? null : { code: 'parameter_missing', param: missing };
}

/** Lists number their entries: `items[0][price]`. */
function isKnown(params: Params, [name = '', ...below]: readonly string[]): boolean {
  if (/^\d+$/.test(name)) return isKnown(params, below);
  const known = params[name];
  if (known === undefined) return false;
  if (known === 'any') return true;
  const rest = known === true ? NO_NAMES : known;
  return below.length === 0 ? known === true : isKnown(rest, below);
}
