import { expect, test } from 'vitest';
import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TRIGGERS } from '#contract/billing/subscriptions.ts';
import { canHappen, subscriptionMachine } from '#machines/subscription.ts';
import { walk, type Table } from './walk.ts';

/** By hand, from the design: what leaves each status, and where it leads. */
const TABLE: Table = {
  pending: { paid: 'active', cancelled: 'ended', ended: 'ended' },
  active: { failed: 'payment_failed', cancelled: 'cancelled', ended: 'ended' },
  payment_failed: {
    paid: 'active',
    forgiven: 'active',
    disabled: 'disabled',
    cancelled: 'ended',
    ended: 'ended',
  },
  disabled: { paid: 'active', forgiven: 'active', cancelled: 'ended', ended: 'ended' },
  cancelled: { rolledBack: 'active', ended: 'ended' },
  ended: {},
};

test('BILL-14: a subscription does in each status what its table says, and nothing else', () => {
  const events = Object.fromEntries(SUBSCRIPTION_TRIGGERS.map((type) => [type, { type }]));
  expect(walk(subscriptionMachine, undefined, events).table).toEqual(TABLE);
  expect(Object.keys(TABLE).sort()).toEqual([...SUBSCRIPTION_STATUSES].sort());
});

test('BILL-14: terms change only while a subscription waits for payment or runs', () => {
  const changing = (['levelChanged', 'updated', 'trialChanged', 'cardAttached'] as const).map(
    (trigger) => SUBSCRIPTION_STATUSES.filter((status) => canHappen(status, trigger)),
  );
  expect(changing).toEqual([
    ['active', 'pending'],
    ['active', 'pending'],
    ['active', 'pending'],
    ['active', 'pending'],
  ]);
});
