import type { Mills } from '#contract/billing/invoice.ts';

const FORM = /^(\d{1,3}(?:,\d{3})*|\d+)(?:\.(\d{1,2}))?$/;

/**
 * Returns an amount as typed: two decimals at most, comma separators and a dollar sign or another
 * currency's sign are fine, negatives aren't. Null if it isn't an amount.
 */
export function parseMoney(text: string): Mills | null {
  const [, whole, cents = ''] = FORM.exec(text.trim().replace(/^\p{Sc}\s*/u, '')) ?? [];
  if (whole === undefined) return null;
  const amount = Number(whole.replaceAll(',', '')) * 1_000 + Number(cents.padEnd(2, '0')) * 10;
  return Number.isSafeInteger(amount) ? amount : null;
}

/** `1,234.50`. */
export const formatMoney = (mills: Mills): string => FORMAT.format(mills / 1_000);

const FORMAT = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
