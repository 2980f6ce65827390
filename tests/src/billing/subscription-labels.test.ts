import { expect, test } from 'vitest';
import { describeNextStep } from '#src/features/billing/subscriptions/labels.ts';

const trialEndsAt = Date.UTC(2026, 11, 11, 9);
const periodEndsAt = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
type Terms = Parameters<typeof describeNextStep>[0];
const active: Terms = { status: 'active', trialEndsAt, periodEndsAt, endedAt: null };
const describe = (more: Partial<Terms>, now = trialEndsAt - 1): string | null =>
  describeNextStep({ ...active, ...more }, now, 'UTC');

test('BILL-14: the terms of a subscription say in one sentence what happens next, and when', () => {
  const trial = 'The trial ends on 12/11/26 09:00 AM, and billing starts then';
  expect(describe({})).toBe(trial);
  expect(describe({ status: 'pending' })).toBe(trial);
  expect(describe({}, trialEndsAt)).toBe('Renews on 12/31/26');
  expect(describe({ trialEndsAt: null })).toBe('Renews on 12/31/26');
  // Nothing of the trial is left when the subscription ended before.
  expect(describe({ status: 'ended', endedAt: trialEndsAt - 60_000 })).toBe(
    'Ended on 12/11/26 08:59 AM',
  );
});

test('BILL-14: a canceled subscription says when it ends, and what is billed until then', () => {
  const status = 'cancelled';
  expect(describe({ status, trialEndsAt: null })).toBe('Ends on 12/31/26');
  expect(describe({ status })).toBe(
    'Free until the trial ends on 12/11/26 09:00 AM, then billed until it ends on 12/31/26',
  );
  expect(describe({ status, trialEndsAt: periodEndsAt + 1 })).toBe(
    'Ends on 12/31/26, before the trial does, so nothing is billed',
  );
});

test('BILL-14: a subscription that waits for a payment does not say that it renews', () => {
  for (const status of ['pending', 'payment_failed', 'disabled'] as const)
    expect(describe({ status, trialEndsAt: null })).toBeNull();
});
