import type { Mills } from '#contract/billing/invoice.ts';

const FORM = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/;

/**
 * Returns an amount as typed: two decimals at most, with or without comma separators and the sign of
 * the currency. Null if it isn't an amount, is negative, or has the sign of another currency.
 */
export function parseMoney(text: string, currency: string): Mills | null {
  const typed = text.trim();
  const sign = getSign(currency);
  const number = typed.startsWith(sign) ? typed.slice(sign.length).trim() : typed;
  const [, whole, cents = ''] = FORM.exec(number) ?? [];
  if (whole === undefined) return null;
  const amount = Number(whole.replaceAll(',', '')) * 1_000 + Number(cents.padEnd(2, '0')) * 10;
  return Number.isSafeInteger(amount) ? amount : null;
}

/** `$1,234.50`, as a field shows it. */
export const showMoney = (mills: Mills, currency: string): string =>
  `${getSign(currency)}${formatMoney(mills)}`;

/** `1,234.50`; three decimals if there are parts of a cent. */
export const formatMoney = (mills: Mills): string =>
  (mills % 10 === 0 ? CENTS : MILLS).format(mills / 1_000);

const CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const MILLS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
});

/** Returns what was typed with the sign of another currency. */
export function changeSign(text: string, from: string, to: string): string {
  const sign = getSign(from);
  return text.startsWith(sign) ? `${getSign(to)}${text.slice(sign.length)}` : text;
}

/** `$`, or the sign of another currency. */
export const getSign = (currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? '$';
