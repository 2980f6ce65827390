import { expect, test } from 'vitest';
import { getUsageMark, showsReleased } from '#src/features/billing/subscriptions/labels.ts';

const MONTH = { invoice: null, ack: false, error: null, isReleased: false, isByCard: true };
const REFUSED = { kind: 'refused' } as const;

test('BILL-22, BILL-16: a month that is not collected, or open again, is marked in the list', () => {
  expect(getUsageMark(MONTH)).toBeNull();
  expect(getUsageMark({ ...MONTH, error: REFUSED, isReleased: true })?.tone).toBe('failed');
  expect(getUsageMark({ ...MONTH, isReleased: true })?.tone).toBe('warning');
  expect(getUsageMark({ ...MONTH, invoice: '1001' })).toBeNull();
});

test('BILL-16: a month asks to be acknowledged only while that collects it again', () => {
  const released = { ...MONTH, isReleased: true };
  expect(showsReleased(released)).toBe(true);
  // Stripe collects it, or says why it doesn't.
  expect(showsReleased({ ...released, ack: true })).toBe(false);
  expect(showsReleased({ ...released, error: REFUSED })).toBe(false);
  // In QuickBooks, somebody has to make the next invoice.
  expect(showsReleased({ ...released, ack: true, isByCard: false })).toBe(true);
  expect(showsReleased(MONTH)).toBe(false);
});
