import * as v from 'valibot';
import { expect, test } from 'vitest';
import { allSubscriptionCalls } from '#contract/billing/all-subscription-calls.ts';
import {
  ALL,
  getFilter,
  hasSubscriptionsFilter,
  move,
  parseSubscriptionsAddress,
  subscriptionsAddress,
} from '#src/features/billing/all-subscriptions/address.ts';

const TODAY = '2026-03-02';
const search = (address: string): string => address.slice(address.indexOf('?'));

test('BILL-21: month, filters, order, page and open subscription are in the address and read back from it', () => {
  const query =
    'month=2025-11&q=50%25+%26&provider=p&status=payment_failed&sort=-amount&page=3&size=50&open=c';
  const place = parseSubscriptionsAddress(query, TODAY);
  expect(place).toEqual({
    year: 2025,
    month: 11,
    text: '50% &',
    provider: 'p',
    status: 'payment_failed',
    sort: '-amount',
    page: 3,
    size: 50,
    open: 'c',
  });
  expect(parseSubscriptionsAddress(search(subscriptionsAddress(place)), TODAY)).toEqual(place);
  expect(hasSubscriptionsFilter(place)).toBe(true);
  expect(v.safeParse(allSubscriptionCalls.exportAllSubscriptions.input, getFilter(place))).toEqual(
    expect.objectContaining({ success: true }),
  );
});

test('BILL-21: invalid values fall back, and a new filter or order returns to the first page', () => {
  const plain = parseSubscriptionsAddress('', TODAY);
  expect(plain).toMatchObject({ year: 2026, month: 3, page: 1, open: null });
  expect(
    parseSubscriptionsAddress(
      'month=2026-13&status=paid&sort=color&page=0&size=7&provider=&q=',
      TODAY,
    ),
  ).toEqual(plain);
  const place = parseSubscriptionsAddress('page=3&open=c&status=active', TODAY);
  expect(move(place, { open: 'd' })).toMatchObject({ page: 3, open: 'd' });
  expect(move(place, { page: 4 })).toMatchObject({ page: 4 });
  for (const next of [{ text: 'a' }, { sort: 'next' }, { provider: 'p' }, { year: 2025 }] as const)
    expect(move(place, next)).toMatchObject({ ...next, page: 1 });
  expect(hasSubscriptionsFilter(move(place, ALL))).toBe(false);
});
