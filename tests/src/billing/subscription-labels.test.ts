import { expect, test } from 'vitest';
import { describeTrial } from '#src/features/billing/subscriptions/labels.ts';

test('BILL-14: the terms of a subscription name its trial until it is over', () => {
  const trialEndsAt = Date.UTC(2026, 11, 11, 9);
  const describe = (now: number, endedAt: number | null = null): string | null =>
    describeTrial({ trialEndsAt, endedAt }, now, 'UTC');
  expect(describe(trialEndsAt - 1)).toBe('Trial until 12/11/26 09:00 AM');
  expect(describe(trialEndsAt)).toBeNull();
  expect(describe(Date.UTC(2027, 5, 1))).toBeNull();
  // Nothing of it is left when the subscription ended before.
  expect(describe(trialEndsAt - 1, trialEndsAt - 1000)).toBeNull();
  expect(describeTrial({ trialEndsAt: null, endedAt: null }, 0, 'UTC')).toBeNull();
});
