import type { Day } from '../ids.ts';

/**
 * Money in thousandths of the currency's unit, as an integer. No currency has smaller parts, and
 * sums stay exact.
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
 * Returns the state of an invoice (BILL-2). On its due date an invoice is still open. Without a due
 * date it never becomes overdue.
 */
export function invoiceState({ voided, balance, due }: Owed, today: Day): InvoiceState {
  if (voided) return 'voided';
  if (balance <= 0) return 'paid';
  return due !== null && due < today ? 'overdue' : 'open';
}

/**
 * BILL-3: totals of the invoices of one currency; amounts in different currencies are never added
 * up. `balance`: the unpaid part of `total`. `overdue`: the overdue part of `balance`.
 */
export interface InvoiceSum {
  readonly currency: string;
  readonly count: number;
  readonly total: Mills;
  readonly balance: Mills;
  readonly overdue: Mills;
}

/** Converts an amount as other systems write it, such as `1234.5`. */
export const toMills = (amount: number): Mills => Math.round(amount * MILLS);

/** An invoice to create. Amounts are in the currency's unit. */
export interface InvoiceDraft {
  readonly customer: string;
  readonly currency: string;
  readonly note: string | null;
  readonly lines: readonly {
    readonly item: string;
    readonly description: string;
    readonly quantity: number;
    readonly price: number;
    readonly amount: number;
    readonly tax: string | null;
  }[];
}
