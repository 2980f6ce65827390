/**
 * Fields that Stripe publishes, with the JSON type that they have in the examples of its OpenAPI
 * description: github.com/stripe/openapi, `openapi/fixtures3.json`, commit f6c2a48f of 2026-08-21.
 * Only facts of the objects that the product reads. `null`: the example has no value.
 */
export const STRIPE_FIELDS: Readonly<Record<string, Readonly<Record<string, JsonType>>>> = {
  'billing.meter_event': {
    event_name: 'string',
    identifier: 'string',
    object: 'string',
    payload: 'object',
    timestamp: 'number',
  },
  'billing_portal.session': {
    customer: 'string',
    id: 'string',
    object: 'string',
    return_url: 'string',
    url: 'string',
  },
  'checkout.session': {
    cancel_url: 'string',
    client_reference_id: 'null',
    custom_text: 'object',
    customer: 'null',
    customer_email: 'null',
    id: 'string',
    metadata: 'object',
    mode: 'string',
    object: 'string',
    payment_status: 'string',
    setup_intent: 'null',
    status: 'string',
    subscription: 'null',
    success_url: 'string',
    url: 'string',
  },
  'customer': { email: 'null', id: 'string', invoice_settings: 'object', object: 'string' },
  'event': {
    api_version: 'null',
    created: 'number',
    data: 'object',
    id: 'string',
    livemode: 'boolean',
    object: 'string',
    pending_webhooks: 'number',
    request: 'object',
    type: 'string',
  },
  'invoice': {
    amount_due: 'number',
    amount_paid: 'number',
    amount_remaining: 'number',
    attempt_count: 'number',
    attempted: 'boolean',
    auto_advance: 'boolean',
    currency: 'string',
    customer: 'string',
    description: 'null',
    id: 'string',
    lines: 'object',
    metadata: 'object',
    number: 'null',
    object: 'string',
    parent: 'object',
    status: 'string',
    status_transitions: 'object',
    subtotal: 'number',
    total: 'number',
    total_discount_amounts: 'array',
    total_excluding_tax: 'number',
    total_taxes: 'null',
  },
  'price': {
    active: 'boolean',
    currency: 'string',
    id: 'string',
    lookup_key: 'null',
    object: 'string',
    product: 'string',
    recurring: 'object',
    unit_amount: 'number',
  },
  'subscription': {
    cancel_at_period_end: 'boolean',
    created: 'number',
    customer: 'string',
    default_payment_method: 'null',
    id: 'string',
    items: 'object',
    latest_invoice: 'null',
    metadata: 'object',
    object: 'string',
    status: 'string',
    trial_end: 'number',
  },
};

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

const getJsonType = (value: unknown): JsonType => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as JsonType);
};

/** Returns what an object has that isn't published, such as `invoice.total: string`. */
export function findUnpublished(value: Readonly<Record<string, unknown>>): readonly string[] {
  const object = String(value['object']);
  const fields = STRIPE_FIELDS[object];
  if (fields === undefined) return [object];
  return Object.entries(value).flatMap(([field, content]) => {
    const published = fields[field];
    const type = getJsonType(content);
    const isPublished =
      published !== undefined && (published === type || published === 'null' || type === 'null');
    return isPublished ? [] : [`${object}.${field}: ${type}`];
  });
}
