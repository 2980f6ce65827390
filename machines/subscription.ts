import { createMachine } from 'xstate';
import {
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionStatus,
  type SubscriptionTrigger,
} from '#contract/billing/subscriptions.ts';

export interface SubscriptionMachineEvent {
  readonly type: SubscriptionTrigger;
}

/**
 * A subscription's status as a machine over the table that the fold follows (BILL-14): views ask it
 * what is possible now.
 *
 *   pending ─paid─▶ active ─failed─▶ payment_failed ─disabled─▶ disabled ─paid, forgiven─▶ active
 *                     └─cancelled─▶ cancelled ─rolledBack─▶ active, ─ended─▶ ended
 */
export const subscriptionMachine = createMachine({
  types: {} as {
    readonly events: SubscriptionMachineEvent;
  },
  id: 'subscription',
  initial: 'pending',
  states: Object.fromEntries(
    SUBSCRIPTION_STATUSES.map((status) => [
      status,
      {
        on: Object.fromEntries(
          Object.entries(SUBSCRIPTION_TRANSITIONS[status]).map(([trigger, target]) => [
            trigger,
            { target },
          ]),
        ),
      },
    ]),
  ),
});

/** Returns whether a trigger has an effect on a subscription in this status. */
export const canHappen = (status: SubscriptionStatus, trigger: SubscriptionTrigger): boolean =>
  subscriptionMachine.resolveState({ value: status }).can({ type: trigger });
