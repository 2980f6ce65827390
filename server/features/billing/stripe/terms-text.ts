import { formatTag } from '#contract/i18n/messages.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import type { Currency } from '#contract/billing/service-levels.ts';
import { stripeInvoiceMessages as t } from './messages.en.ts';

interface Terms {
  readonly currency: Currency;
  readonly userMills: Mills;
  readonly gigabyteMills: Mills;
  readonly minimumUsers: number;
}

/** `$2.50`, `$0.125`. */
export const formatMoney = (mills: Mills, currency: Currency): string =>
  new Intl.NumberFormat(formatTag(), {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 3,
  }).format(mills / 1_000);

/** What Stripe's page tells about the price, as its own amount is zero (BILL-22). */
export function describeTerms({ currency, userMills, gigabyteMills, minimumUsers }: Terms): string {
  const price = formatMoney(userMills, currency);
  if (gigabyteMills > 0)
    return t.termsWithStorage({ price, storage: formatMoney(gigabyteMills, currency) });
  return minimumUsers > 0
    ? t.termsWithMinimum({ price, minimum: minimumUsers })
    : t.terms({ price });
}
