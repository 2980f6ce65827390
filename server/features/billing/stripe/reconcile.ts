import type { Stripe } from 'stripe';
import { getNextStatus, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';

const DAY_MS: Ms = 86_400_000;
const SECOND_MS: Ms = 1_000;
/** Stripe's smallest unit is a cent in all our currencies. */
const CENT_MILLS = 10;

type Change = Extract<NewEvent['event'], { readonly type: `subscription.${string}` }>;

/**
 * Returns the events that bring a row to the state of Stripe's subscription as it is now (BILL-10).
 * The same state gives no events, so the order and the number of messages don't matter.
 */
export function getReconcileEvents(
  row: SubscriptionRow,
  subscription: Stripe.Subscription,
  { graceDays, now }: { readonly graceDays: number; readonly now: Ms },
): readonly Change[] {
  const { id } = row;
  switch (subscription.status) {
    case 'canceled':
    case 'incomplete_expired':
      return getNextStatus(row.status, 'ended') === null
        ? []
        : [{ type: 'subscription.ended@1', data: { id } }];
    case 'past_due':
    case 'unpaid': {
      const owedMills = getOwed(subscription);
      return getNextStatus(row.status, 'failed') === null ||
        (row.status === 'payment_failed' && row.owedMills === owedMills)
        ? []
        : [
            {
              type: 'subscription.failed@1',
              data: { id, graceEndsAt: now + graceDays * DAY_MS, owedMills },
            },
          ];
    }
    case 'active':
    case 'trialing':
      return getRunningEvents(row, subscription);
    default:
      return [];
  }
}

function getRunningEvents(
  row: SubscriptionRow,
  { cancel_at_period_end: isCancelled, items, trial_end: trialEnd }: Stripe.Subscription,
): readonly Change[] {
  const { id } = row;
  if (row.status === 'ended') return [];
  const events: Change[] = [];
  const periodEndsAt = (items.data[0]?.current_period_end ?? 0) * SECOND_MS;
  const isRunning = row.status === 'active' || row.status === 'cancelled';
  if (!isRunning || periodEndsAt > row.periodEndsAt)
    events.push({ type: 'subscription.paid@1', data: { id, periodEndsAt } });
  const trialEndsAt = trialEnd === null ? null : trialEnd * SECOND_MS;
  if (trialEndsAt !== null && trialEndsAt !== row.trialEndsAt && row.status !== 'cancelled')
    events.push({ type: 'subscription.trialChanged@1', data: { id, trialEndsAt } });
  if (isCancelled && row.status !== 'cancelled')
    events.push({ type: 'subscription.cancelled@1', data: { id } });
  if (!isCancelled && row.status === 'cancelled')
    events.push({ type: 'subscription.rolledBack@1', data: { id } });
  return events;
}

const getOwed = ({ latest_invoice: invoice }: Stripe.Subscription): number =>
  invoice === null || typeof invoice === 'string' ? 0 : invoice.amount_remaining * CENT_MILLS;
