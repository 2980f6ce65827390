import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import {
  invoicesQuery,
  invoicesAsk,
  INVOICES_DEFAULTS,
  invoicesMoved,
  invoicesPlace,
  hasInvoicesFilter,
  SORT_CHOICES,
  STATE_CHOICES,
} from '#src/features/billing/invoices/address.ts';
import { backIn } from '#src/features/billing/quickbooks/callback-result.ts';
import { moneyWords } from '#src/features/billing/labels.ts';
import { dayWords } from '#src/features/shared/date-range/day-range.ts';
import { getHomePage, getMenu } from '#src/app/router/menu.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

const listed = (features: typeof PLAIN_FEATURES): readonly string[] =>
  getMenu(['sub-sp'], features).flatMap(({ entries }) => entries.map(({ to }) => to));
const getSearch = (address: string): string =>
  address.slice(address.indexOf('?') + 1 || address.length);

test('BILL-6: the address has the whole state of the invoices page, and its query follows from it', () => {
  const spans: readonly (Span | null)[] = [
    null,
    { kind: 'this', unit: 'quarter' },
    { kind: 'before', unit: 'year' },
    { kind: 'last', days: 45 },
    { kind: 'range', from: '2026-01-31', to: '2026-02-01' },
  ];
  fc.assert(
    fc.property(
      fc.record({
        text: fc.string({ maxLength: 20 }),
        state: fc.constantFrom(null, ...STATE_CHOICES),
        company: fc.nat(99),
        span: fc.constantFrom(...spans),
        sort: fc.constantFrom(...SORT_CHOICES),
        page: fc.integer({ min: 1, max: 30 }),
        size: fc.constantFrom(10, 25, 50, 100, 200),
        open: fc.constantFrom(null, '12'),
      }),
      (place) => {
        expect(invoicesPlace(getSearch(invoicesQuery(place)))).toEqual(place);
      },
    ),
  );
  expect(
    invoicesPlace('state=late&company=-1&days=soon&sort=total&page=0&size=7&invoice=x'),
  ).toEqual(INVOICES_DEFAULTS);
  const place = {
    ...INVOICES_DEFAULTS,
    text: ' north ',
    state: 'owed',
    span: { kind: 'before', unit: 'month' },
    page: 3,
  } as const;
  expect(invoicesAsk(place, '2026-03-02')).toEqual({
    search: 'north',
    state: 'owed',
    from: '2026-02-01',
    to: '2026-02-28',
    sort: '-day',
    page: '3',
    pageSize: '10',
  });
  expect([
    invoicesMoved(place, { state: 'paid' }).page,
    invoicesMoved(place, { open: '1' }).page,
    hasInvoicesFilter(place),
    hasInvoicesFilter(INVOICES_DEFAULTS),
  ]).toEqual([1, 3, true, false]);
});

test('BILL-3, BILL-6: an amount shows its currency, exactly, also if that is no code or has other decimals', () => {
  expect(
    [
      moneyWords(1_234_500, 'USD'),
      moneyWords(1_234_500, 'EUR'),
      moneyWords(7_000, 'JPY'),
      moneyWords(7_500, 'JPY'),
      moneyWords(1_235, 'KWD'),
      moneyWords(1_005, 'USD'),
      moneyWords(-50_000, 'USD'),
      moneyWords(1_500, 'not a code'),
      moneyWords(0, 'USD'),
    ].map((one) => one.replaceAll(/\s/g, ' ')),
  ).toEqual([
    '$1,234.50',
    '€1,234.50',
    '¥7',
    '¥7.50',
    'KWD 1.235',
    '$1.005',
    '-$50.00',
    '1.50 not a code',
    '$0.00',
  ]);
  expect(dayWords('2026-03-12')).toBe('03/12/26');
});

test("BILL-6: Intuit's answer is read from the address, completely or not at all", () => {
  expect(backIn('?code=a&realmId=1&state=b')).toEqual({
    kind: 'given',
    code: 'a',
    realmId: '1',
    state: 'b',
  });
  expect(backIn('?error=access_denied&state=b')).toEqual({ kind: 'refused' });
  expect([backIn(''), backIn('?code=a&state=b')]).toEqual([null, null]);
});

test("BILL-7, BILL-8: billing is in the menu if cards are collected, and is nobody's start page; the other app is in the menu of users who manage only that", () => {
  const cards = { ...PLAIN_FEATURES, billing: { ccCollection: true } };
  expect([
    listed(PLAIN_FEATURES).includes('/monitoring/billing'),
    listed(cards).includes('/monitoring/billing'),
    getHomePage([], cards),
    getHomePage(['o365_admin'], cards),
  ]).toEqual([false, true, '/monitoring/profile', '/monitoring/users']);
  const apps = (roles: readonly Role[]): readonly unknown[] => [
    ...new Set(getMenu(roles, cards).map(({ app }) => app ?? null)),
  ];
  expect([apps(['operator']), apps(['o365_admin'])]).toEqual([
    ['monitoring', null],
    ['monitoring', 'o365', null],
  ]);
});
