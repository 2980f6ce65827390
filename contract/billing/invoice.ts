import type { Day } from '../ids.ts';

/**
 * Money in thousandths of its currency's unit, whole: no currency has smaller parts, and sums stay
 * exact.
 */
export type Mills = number;
export const MILLS = 1_000;

export const INVOICE_STATES = ['open', 'overdue', 'paid', 'voided'] as const;
export type InvoiceState = (typeof INVOICE_STATES)[number];

interface Owed {
  readonly voided: boolean;
  readonly balance: Mills;
  readonly due: Day | null;
}

/**
 * BILL-2. On the day that it is due an invoice is still open; without such a day it never is
 * overdue.
 */
export function invoiceState({ voided, balance, due }: Owed, today: Day): InvoiceState {
  if (voided) return 'voided';
  if (balance <= 0) return 'paid';
  return due !== null && due < today ? 'overdue' : 'open';
}

/**
 * BILL-3: what invoices of one currency come to; amounts of two are never added up. `balance`: what
 * of them is not paid; `overdue`: what of that should be.
 */
export interface InvoiceSum {
  readonly currency: string;
  readonly count: number;
  readonly total: Mills;
  readonly balance: Mills;
  readonly overdue: Mills;
}

/** An amount as other systems write it: `1234.5`. */
export const millsOf = (amount: number): Mills => Math.round(amount * MILLS);
