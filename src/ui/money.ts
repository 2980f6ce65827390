import { formatTag } from '#contract/i18n/messages.ts';
import { perLanguage } from '#contract/i18n/per-language.ts';
import type { Mills } from '#contract/billing/invoice.ts';

/**
 * Returns an amount as typed: two decimals at most, with or without the language's separators and the
 * sign of the currency. Null if it isn't an amount, is negative, or has the sign of another currency.
 */
export function parseMoney(text: string, currency: string): Mills | null {
  const typed = text.trim();
  const sign = getSign(currency);
  const number = typed.startsWith(sign) ? typed.slice(sign.length).trim() : typed;
  const digits = splitNumber(number);
  if (digits === null) return null;
  const amount = Number(digits.whole) * 1_000 + Number(digits.fraction.padEnd(2, '0')) * 10;
  return Number.isSafeInteger(amount) ? amount : null;
}

/** `$1,234.50`, as a field shows it. */
export const showMoney = (mills: Mills, currency: string): string =>
  `${getSign(currency)}${formatMoney(mills)}`;

/** `1,234.50`; three decimals if there are parts of a cent. */
export const formatMoney = (mills: Mills): string =>
  (mills % 10 === 0 ? getCents : getMills)().format(mills / 1_000);

const withDecimals = (count: number): (() => Intl.NumberFormat) =>
  perLanguage(
    (tag) =>
      new Intl.NumberFormat(tag, { minimumFractionDigits: count, maximumFractionDigits: count }),
  );
const getCents = withDecimals(2);
const getMills = withDecimals(3);

/** Returns what was typed with the sign of another currency. */
export function changeSign(text: string, from: string, to: string): string {
  const sign = getSign(from);
  return text.startsWith(sign) ? `${getSign(to)}${text.slice(sign.length)}` : text;
}

/** `$`, or the sign of another currency. */
export const getSign = (currency: string): string =>
  new Intl.NumberFormat(formatTag(), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? '$';

/**
 * Splits a number as a person of the language types it: `1,234.5` or `1234.5`, with two decimals at
 * most. Null if it isn't one: in English, the comma of `12,5` separates no thousands.
 */
export function splitNumber(
  text: string,
): { readonly whole: string; readonly fraction: string } | null {
  const [, whole, fraction = ''] = getForm().exec(text) ?? [];
  return whole === undefined ? null : { whole: whole.replaceAll(/\D/g, ''), fraction };
}

const getForm = perLanguage((tag) => {
  const parts = new Intl.NumberFormat(tag).formatToParts(1_234_567.8);
  const [group, decimal] = (['group', 'decimal'] as const).map((wanted) => {
    const sign = parts.find(({ type }) => type === wanted)?.value ?? '';
    return sign.trim() === '' ? String.raw`\s` : `[${sign}]`;
  });
  return new RegExp(String.raw`^(\d{1,3}(?:${group}\d{3})+|\d+)(?:${decimal}(\d{1,2}))?$`);
});
