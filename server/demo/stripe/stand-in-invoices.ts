import { Missing, readMetadata, type StripeFields, type Rec } from './records.ts';

interface Store {
  readonly table: (kind: string) => ReadonlyMap<string, Rec>;
  readonly put: (kind: string, row: Rec) => Rec;
  readonly patch: (kind: string, id: string, fields: StripeFields) => Rec;
  readonly remove: (kind: string, id: string) => void;
  readonly makeId: (prefix: string) => string;
  readonly emit: (type: string, object: StripeFields) => Promise<void>;
  /** In seconds. */
  readonly now: () => number;
}

/** A tax that Stripe calculates, as automatic tax does. `percent` in whole percents. */
interface Tax {
  readonly percent: number;
  readonly behavior: 'exclusive' | 'inclusive';
}

/** Invoices of the stand-in, as docs.stripe.com describes their life. Amounts are in cents. */
export interface Invoices {
  /** Creates one (no id), or does what the path names: `add_lines`, `finalize`, `void`, `pay`. */
  write(id: string, action: string, form: URLSearchParams): Promise<StripeFields>;
  /** Only a draft can be deleted. */
  delete(id: string): StripeFields;
  /** Begins a billing period: charges licensed prices ahead and metered ones for the period before. */
  startPeriod(subscription: Rec, before?: Period): Rec;
  /** Does what time does to a subscription whose period is over. */
  renew(subscription: Rec): Promise<void>;
  /** Adds an invoice that was charged without success. */
  adopt(customer: string, owedCents: number): void;
  /** What is calculated on top of or in drafts from now on; `discountCents`: what somebody takes off. */
  setExtras(extras: Extras): void;
  /** Whether charges of a customer's card are declined from now on. */
  setDeclined(customer: string, isDeclined: boolean): void;
}

export interface Extras {
  readonly tax: Tax | null;
  readonly discountCents: number;
}

interface Period {
  readonly start: number;
  readonly end: number;
}
interface Item extends StripeFields {
  readonly price: {
    readonly unit_amount: number;
    readonly recurring: { readonly usage_type: string; readonly meter: string | null };
  };
  readonly quantity?: number;
  readonly current_period_start: number;
  readonly current_period_end: number;
}

const MONTH_SECONDS = 30 * 86_400;

export function makeInvoices({ table, put, patch, remove, makeId, emit, now }: Store): Invoices {
  const declined = new Set<string>();
  let extras: Extras = { tax: null, discountCents: 0 };
  /** What a draft with these lines asks for. */
  const getDraftSums = (lines: readonly StripeFields[]): StripeFields => {
    const subtotal = lines.reduce((sum, { amount }) => sum + Number(amount), 0);
    const discount = Math.min(subtotal, extras.discountCents);
    const { percent, behavior } = extras.tax ?? { percent: 0, behavior: 'exclusive' };
    const reduced = subtotal - discount;
    const isInclusive = behavior === 'inclusive';
    const tax = Math.round((reduced * percent) / (isInclusive ? 100 + percent : 100));
    const total = isInclusive ? reduced : reduced + tax;
    return {
      ...getSums(total, 0),
      subtotal,
      total_excluding_tax: total - tax,
      total_discount_amounts: discount === 0 ? [] : [{ amount: discount, discount: 'di_standin' }],
      total_taxes:
        tax === 0 ? [] : [{ amount: tax, tax_behavior: behavior, type: 'tax_rate_details' }],
    };
  };
  let number = 0;

  const create = (
    customer: string,
    fields: StripeFields,
    lines: readonly StripeFields[] = [],
  ): Rec => {
    return put('invoices', {
      id: makeId('in'),
      object: 'invoice',
      customer,
      status: 'draft',
      number: null,
      attempted: false,
      attempt_count: 0,
      currency: 'usd',
      ...fields,
      status_transitions: NO_TRANSITIONS,
      lines: toLineList(lines),
      ...getDraftSums(lines),
    });
  };

  /** A finalized invoice with nothing to charge is paid at once. */
  const finalize = (row: Rec): Rec => {
    number += 1;
    const isPaid = row['total'] === 0;
    return patch('invoices', row.id, {
      status: isPaid ? 'paid' : 'open',
      attempted: isPaid,
      number: `STAND-${String(number).padStart(4, '0')}`,
      status_transitions: { ...NO_TRANSITIONS, finalized_at: now() },
      ...getSums(Number(row['total']), 0),
    });
  };

  const charge = (row: Rec): Rec => {
    const customer = table('customers').get(String(row['customer']));
    const settings = customer?.['invoice_settings'] as StripeFields | undefined;
    const hasCard =
      typeof row['default_payment_method'] === 'string' ||
      typeof settings?.['default_payment_method'] === 'string';
    const isPaid = hasCard && !declined.has(String(row['customer']));
    return patch('invoices', row.id, {
      attempted: true,
      attempt_count: Number(row['attempt_count']) + 1,
      ...(isPaid && { status: 'paid', ...getSums(Number(row['total']), Number(row['total'])) }),
    });
  };
  const sendEvent = (row: Rec): Promise<void> =>
    emit(row['status'] === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', row);

  function startPeriod(subscription: Rec, before?: Period): Rec {
    const customer = String(subscription['customer']);
    const { data } = subscription['items'] as { readonly data: readonly Item[] };
    const lines = data.map((item) => ({
      amount: Math.round(item.price.unit_amount * countUnits(item, customer, before)),
    }));
    const invoice = finalize(
      create(
        customer,
        {
          default_payment_method: subscription['default_payment_method'],
          parent: {
            type: 'subscription_details',
            subscription_details: { subscription: subscription.id },
          },
        },
        lines,
      ),
    );
    const charged = invoice['status'] === 'open' ? charge(invoice) : invoice;
    return patch('subscriptions', subscription.id, {
      latest_invoice: invoice.id,
      ...(charged['status'] === 'open' && { status: 'past_due' }),
    });
  }

  /** Metered prices are charged for what their meter has summed up in the period that is over. */
  function countUnits({ price, quantity = 1 }: Item, customer: string, before?: Period): number {
    if (price.recurring.usage_type !== 'metered') return quantity;
    if (before === undefined) return 0;
    return [...table('meter_events').values()]
      .filter((event) => {
        const at = Number(event['timestamp']);
        const payload = event['payload'] as StripeFields;
        return payload['stripe_customer_id'] === customer && at >= before.start && at < before.end;
      })
      .reduce((sum, event) => sum + Number((event['payload'] as StripeFields)['value']), 0);
  }

  return {
    async write(id, action, form) {
      if (id === '')
        return create(form.get('customer') ?? '', {
          currency: form.get('currency'),
          auto_advance: form.get('auto_advance') === 'true',
          description: form.get('description'),
          parent: null,
          metadata: readMetadata(form),
        });
      const row = table('invoices').get(id);
      if (row === undefined) throw new Missing();
      if (action === '')
        return patch('invoices', id, {
          metadata: { ...(row['metadata'] as StripeFields | undefined), ...readMetadata(form) },
        });
      if (action === 'void') {
        if (row['status'] !== 'open') throw new Missing();
        const voided = patch('invoices', id, {
          status: 'void',
          status_transitions: { ...(row['status_transitions'] as StripeFields), voided_at: now() },
          ...getSums(Number(row['total']), 0, 0),
        });
        await emit('invoice.voided', voided);
        return voided;
      }
      if (action === 'add_lines') {
        if (row['status'] !== 'draft') throw new Missing();
        const { data: before } = row['lines'] as { readonly data: readonly StripeFields[] };
        const lines = [...before];
        for (let n = 0; form.has(`lines[${n}][amount]`); n += 1)
          lines.push({
            id: makeId('il'),
            amount: Number(form.get(`lines[${n}][amount]`)),
            description: form.get(`lines[${n}][description]`),
          });
        return patch('invoices', id, { lines: toLineList(lines), ...getDraftSums(lines) });
      }
      if (action === 'finalize') {
        if (row['status'] !== 'draft') throw new Missing();
        const open = finalize(row);
        if (form.get('auto_advance') !== 'true' || open['status'] !== 'open') return open;
        await sendEvent(charge(open));
        return open;
      }
      if (action === 'pay') {
        const charged = charge(row);
        await sendEvent(charged);
        return charged;
      }
      throw new Missing();
    },

    delete(id) {
      if (table('invoices').get(id)?.['status'] !== 'draft') throw new Missing();
      remove('invoices', id);
      return { id, object: 'invoice', deleted: true };
    },

    setExtras(next) {
      extras = next;
      for (const row of table('invoices').values())
        if (row['status'] === 'draft')
          patch('invoices', row.id, getDraftSums((row['lines'] as { data: StripeFields[] }).data));
    },

    startPeriod,

    async renew(subscription) {
      const { data } = subscription['items'] as { readonly data: readonly Item[] };
      const [item] = data;
      if (item === undefined || subscription['status'] === 'canceled') return;
      const before = { start: item.current_period_start, end: item.current_period_end };
      if (before.end > now()) return;
      if (subscription['cancel_at_period_end'] === true) {
        await emit(
          'customer.subscription.deleted',
          patch('subscriptions', subscription.id, { status: 'canceled' }),
        );
        return;
      }
      const next = patch('subscriptions', subscription.id, {
        status: 'active',
        items: {
          object: 'list',
          data: data.map((one) => ({
            ...one,
            current_period_start: before.end,
            current_period_end: before.end + MONTH_SECONDS,
          })),
        },
      });
      await emit('customer.subscription.updated', startPeriod(next, before));
    },

    adopt(customer, owedCents) {
      if (owedCents === 0) return;
      const open = finalize(create(customer, { parent: null }, [{ amount: owedCents }]));
      patch('invoices', open.id, { attempted: true, attempt_count: 1 });
    },

    setDeclined(customer, isDeclined) {
      if (isDeclined) declined.add(customer);
      else declined.delete(customer);
    },
  };
}

const NO_TRANSITIONS: StripeFields = {
  finalized_at: null,
  marked_uncollectible_at: null,
  paid_at: null,
  voided_at: null,
};
const toLineList = (data: readonly StripeFields[]): StripeFields => ({
  object: 'list',
  data,
  has_more: false,
  url: '/v1/invoices/lines',
});
const getSums = (total: number, paid: number, remaining = total - paid): StripeFields => ({
  total,
  amount_due: total,
  amount_paid: paid,
  amount_remaining: remaining,
});
