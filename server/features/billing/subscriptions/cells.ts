import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { MILLS } from '#contract/billing/invoice.ts';
import type { Cell } from '#contract/runs/csv.ts';
import { subscriptionMessages as t } from './messages.en.ts';
import type { Month } from './month.ts';

/** Columns of the file of subscriptions. */
export const listHeads = (): readonly string[] => [
  t.company,
  t.month,
  t.status,
  t.level,
  t.users,
  t.gigabytes,
  t.billedUsers,
  t.billedGigabytes,
  t.userPrice,
  t.gigabytePrice,
  t.total,
  t.currency,
  t.acknowledged,
  t.invoice,
];

const quantity = (hundredths: number | undefined): number | null =>
  hundredths === undefined ? null : hundredths / 100;
/** An amount in the currency's unit. */
export const toAmount = (mills: number | undefined): number | null =>
  mills === undefined ? null : mills / MILLS;

/** Values of a row of the file; numbers without their units, amounts in the currency's unit. */
export const listCells = (
  { companyName, subscription, usage }: CompanySubscription,
  month: Month,
): readonly Cell[] => {
  const line = (kind: 'users' | 'gigabytes') => usage?.lines.find((one) => one.kind === kind);
  return [
    companyName,
    month.text,
    subscription?.status ?? null,
    usage?.level ?? subscription?.level ?? null,
    quantity(usage?.users),
    quantity(usage?.gigabytes),
    quantity(line('users')?.quantity),
    quantity(line('gigabytes')?.quantity),
    toAmount(line('users')?.priceMills),
    toAmount(line('gigabytes')?.priceMills),
    toAmount(usage?.totalMills),
    usage?.currency ?? null,
    usage === null ? null : usage.ack ? t.yes : t.no,
    usage?.invoice ?? null,
  ];
};
