import { expect, test } from 'vitest';
import { describeTrend } from '#src/features/billing/suite-usage/trend-text.ts';

test('BILL-12: the trend says one number if all days have it', () => {
  expect(describeTrend([0, 0, 0])).toBe('0 users every day');
  expect(describeTrend([1, 1])).toBe('1 user every day');
  expect(describeTrend([3, 0, 1200])).toBe('Between 0 and 1,200 users a day');
});
