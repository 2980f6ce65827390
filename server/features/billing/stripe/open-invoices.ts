import type { Stripe } from 'stripe';
import type { Mills } from '#contract/billing/invoice.ts';
import type { Result } from '#contract/result.ts';
import { readStripe } from './stripe.ts';

const PAGE_ROWS = 100;
/** Stripe's smallest unit is a cent in all our currencies. */
const CENT_MILLS = 10;

/** Returns all invoices of a customer that are finalized and not paid. */
export const listOpenInvoices = (
  stripe: Stripe,
  customer: string,
): Promise<Result<readonly Stripe.Invoice[]>> =>
  readStripe(async () => {
    const found: Stripe.Invoice[] = [];
    for await (const invoice of stripe.invoices.list({
      customer,
      status: 'open',
      limit: PAGE_ROWS,
    }))
      found.push(invoice);
    return found;
  });

/** What was charged and not paid. An invoice that Stripe hasn't tried to charge yet isn't owed. */
export const getOwedMills = (invoices: readonly Stripe.Invoice[]): Mills =>
  invoices
    .filter(({ attempted }) => attempted)
    .reduce((sum, { amount_remaining: cents }) => sum + cents * CENT_MILLS, 0);
