import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { MILLS } from '#contract/billing/invoice.ts';
import { getBilledQuantity } from '#contract/billing/usage-months.ts';
import type { Cell } from '#contract/runs/csv.ts';
import { subscriptionMessages as t } from './messages.en.ts';
import type { CalendarMonth } from './month.ts';

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

/** The price, or all prices of a month in which it changed. */
function listPrices(usage: CompanySubscription['usage'], kind: 'users' | 'gigabytes'): Cell {
  const prices = (usage?.lines ?? [])
    .filter((line) => line.kind === kind)
    .map(({ priceMills }) => priceMills);
  return prices.length > 1 ? prices.map(toAmount).join('; ') : toAmount(prices[0]);
}

/** Values of a row of the file; numbers without their units, amounts in the currency's unit. */
export const listCells = (
  { companyName, subscription, usage }: CompanySubscription,
  month: CalendarMonth,
): readonly Cell[] => {
  const billed = (kind: 'users' | 'gigabytes') => getBilledQuantity(usage?.lines ?? [], kind);
  return [
    companyName,
    month.text,
    subscription?.status ?? null,
    usage?.level ?? subscription?.level ?? null,
    quantity(usage?.users),
    quantity(usage?.gigabytes),
    quantity(billed('users')),
    quantity(billed('gigabytes')),
    listPrices(usage, 'users'),
    listPrices(usage, 'gigabytes'),
    toAmount(usage?.totalMills),
    usage?.currency ?? null,
    usage === null ? null : usage.ack ? t.yes : t.no,
    usage?.invoice ?? null,
  ];
};
