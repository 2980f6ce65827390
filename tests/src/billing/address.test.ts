import { formatLongMonth } from '#src/features/shared/format-month.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { licensingAddress, licensingPlace } from '#src/features/billing/licensing/address.ts';

const getSearch = (address: string): string =>
  address.slice(address.indexOf('?') + 1 || address.length);

test("LIC-4: the address has the page's whole state", () => {
  fc.assert(
    fc.property(
      fc.record({
        view: fc.constantFrom('companies' as const, 'providers' as const),
        month: fc.constantFrom('', '2026-03'),
        provider: fc.constantFrom('', '7d7f4c8e-0c55-4b8e-9f0a-2f1a1f7a3c11'),
        text: fc.string({ maxLength: 20 }),
        page: fc.integer({ min: 1, max: 30 }),
        size: fc.constantFrom(10, 25, 50, 100, 200),
      }),
      (place) => {
        expect(licensingPlace(getSearch(licensingAddress(place)))).toEqual(place);
      },
    ),
  );
  expect(licensingPlace('month=soon&provider=x&page=-3&size=7&view=all')).toEqual({
    view: 'companies',
    month: '',
    provider: '',
    text: '',
    page: 1,
    size: 10,
  });
  expect([formatLongMonth('2026-11'), formatLongMonth('soon')]).toEqual(['November 2026', 'soon']);
});
