import type { ProviderSubscription } from '#contract/billing/all-subscription-calls.ts';
import { dayAt } from '../../shared/date-range/dates.ts';
import { dayWords } from '../../shared/date-range/day-range.ts';
import { moneyWords } from '../labels.ts';
import { allSubscriptionMessages as t } from './messages.en.ts';

const STEPS = {
  'renews': t.renews,
  'trial-ends': t.trialEnds,
  'stops': t.stops,
  'ends': t.ends,
  'ended': t.ended,
} as const;

/** What happens next, and its day; null if nothing does. */
export const describeNext = (
  { next }: ProviderSubscription,
  zone: string,
): { readonly step: string; readonly day: string } | null =>
  next === null
    ? null
    : { step: STEPS[next.step], day: dayWords(dayAt(next.at, { zone, hour: 0 })) };

export const describePayment = ({ payment, subscription }: ProviderSubscription): string =>
  payment === null || subscription === null
    ? '–'
    : payment === 'unpaid'
      ? t.unpaid({ amount: moneyWords(subscription.owedMills, subscription.currency) })
      : t[payment];
