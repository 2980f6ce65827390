import { expect, test } from 'vitest';
import { forMonth } from '#src/features/billing/subscriptions/address.ts';

test('BILL-17: while a month is loading, the figures of another one are not below its heading', () => {
  const july = { value: { year: 2026, month: 7, total: 100 }, isLoading: true };
  expect(forMonth(july, { year: 2026, month: 8 })).toEqual({ value: null, isLoading: true });
  expect(forMonth(july, { year: 2025, month: 7 })).toEqual({ value: null, isLoading: true });
  expect(forMonth(july, { year: 2026, month: 7 })).toEqual(july);
  const nothing = { value: null, isLoading: true };
  expect(forMonth(nothing, { year: 2026, month: 7 })).toEqual(nothing);
});
