import { DAY_MS, SECOND_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import { getNextStatus, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import type { Ms } from '#contract/ids.ts';

type Change = Extract<NewEvent['event'], { readonly type: `subscription.${string}` }>;

/** `owedMills`: of all invoices that were charged and not paid, and of overdue ones in QuickBooks. */
interface Known {
  readonly owedMills: Mills;
  readonly graceDays: number;
  readonly now: Ms;
}

/**
 * Returns the events that bring a row to the state that Stripe has now (BILL-10). The same state gives
 * no events, so the order and the number of messages don't matter.
 */
export function getReconcileEvents(
  row: SubscriptionRow,
  subscription: Stripe.Subscription,
  known: Known,
): readonly Change[] {
  const { id } = row;
  switch (subscription.status) {
    case 'canceled':
    case 'incomplete_expired':
      return getNextStatus(row.status, 'ended') === null
        ? []
        : [{ type: 'subscription.ended@1', data: { id } }];
    case 'past_due':
    case 'unpaid':
      return getFailedEvents(row, known);
    case 'active':
    case 'trialing':
      // The months are collected by invoices of their own, which don't change Stripe's status.
      return known.owedMills > 0 && getNextStatus(row.status, 'failed') !== null
        ? getFailedEvents(row, known)
        : getRunningEvents(row, subscription);
    default:
      return [];
  }
}

const getFailedEvents = (
  { id, status, owedMills: before }: SubscriptionRow,
  { owedMills, graceDays, now }: Known,
): readonly Change[] =>
  getNextStatus(status, 'failed') === null || (status !== 'active' && before === owedMills)
    ? []
    : [
        {
          type: 'subscription.failed@1',
          data: { id, graceEndsAt: now + graceDays * DAY_MS, owedMills },
        },
      ];

function getRunningEvents(
  row: SubscriptionRow,
  { cancel_at_period_end: isCancelled, items, trial_end: trialEnd }: Stripe.Subscription,
): readonly Change[] {
  const { id } = row;
  if (row.status === 'ended') return [];
  const events: Change[] = [];
  const periodEndsAt = (items.data[0]?.current_period_end ?? 0) * SECOND_MS;
  const isRunning = row.status === 'active' || row.status === 'cancelled';
  // Nothing is owed any more of before the card, or of before it was restored.
  const isSettled = (row.owedBeforeCardMills ?? 0) > 0;
  if (!isRunning || isSettled || periodEndsAt > row.periodEndsAt)
    events.push({ type: 'subscription.paid@1', data: { id, periodEndsAt } });
  if (trialEnd !== null && trialEnd !== toSeconds(row.trialEndsAt) && row.status !== 'cancelled')
    events.push({
      type: 'subscription.trialChanged@1',
      data: { id, trialEndsAt: trialEnd * SECOND_MS },
    });
  if (isCancelled && row.status !== 'cancelled')
    events.push({ type: 'subscription.cancelled@1', data: { id } });
  if (!isCancelled && row.status === 'cancelled')
    events.push({ type: 'subscription.rolledBack@1', data: { id } });
  return events;
}

/** Stripe counts in seconds. */
const toSeconds = (at: Ms | null): number | null => at && Math.floor(at / SECOND_MS);
