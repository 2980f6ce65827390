import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuantity } from '#src/features/billing/subscriptions/labels.ts';
import { readPrice } from '#src/features/billing/read-price.ts';
import { changeSign, parseMoney, showMoney } from '#src/ui/money.ts';

// "Money input: two decimals, dollar sign, comma separator, no negatives."
test('BILL-9: a price is typed with two decimals at most, with or without its sign and commas', () => {
  const amounts: readonly (readonly [string, number | null])[] = [
    ['2', 2_000],
    ['2.5', 2_500],
    [' $2.50 ', 2_500],
    ['$ 2.50', 2_500],
    ['1234567.89', 1_234_567_890],
    ['$1,234,567.89', 1_234_567_890],
    ['0', 0],
    ['', null],
    ['$', null],
    ['-5', null],
    ['$-5', null],
    ['(5)', null],
    ['2.505', null],
    ['.5', null],
    ['5.', null],
    ['1,23', null],
    ['1234,567', null],
    ['12,34.50', null],
    ['1e3', null],
    ['$$5', null],
    ['five', null],
    ['99999999999999999', null],
  ];
  for (const [text, mills] of amounts)
    expect([text, parseMoney(text, 'USD')]).toEqual([text, mills]);
});

test("BILL-9: a price with another currency's sign is refused", () => {
  for (const text of ['€5', '£5', '5€', '¥5']) expect(parseMoney(text, 'USD')).toBeNull();
  expect(parseMoney('$5', 'EUR')).toBeNull();
  expect(parseMoney('€5', 'EUR')).toBe(5_000);
  expect(parseMoney('5', 'EUR')).toBe(5_000);
  expect(parseMoney(changeSign('$2.50', 'USD', 'EUR'), 'EUR')).toBe(2_500);
  expect(changeSign('2.50', 'USD', 'EUR')).toBe('2.50');
});

test('BILL-9: a price is at most a million', () => {
  expect(readPrice('1,000,000.00', 'USD', 0)).toBe(1_000_000_000);
  for (const text of ['1000000.01', '9,999,999', '99999999999999'])
    expect(readPrice(text, 'USD', 0)).toBeNull();
});

test('BILL-12: a comma in a quantity separates thousands only', () => {
  const quantities: readonly (readonly [string, number | null])[] = [
    ['12', 1_200],
    ['12.5', 1_250],
    [' 1,234.56 ', 123_456],
    ['999,999.99', 99_999_999],
    ['0', 0],
    // Elsewhere, these commas are decimal points: 125 users would be billed instead of 12.5.
    ['12,5', null],
    ['1.234,56', null],
    ['1,23', null],
    ['1234,567', null],
    ['12,34.50', null],
    ['-1', null],
    ['', null],
    ['1e3', null],
    ['1234567', null],
  ];
  for (const [text, hundredths] of quantities)
    expect([text, parseQuantity(text)]).toEqual([text, hundredths]);
});

test('BILL-9: a price is shown with sign, commas and two decimals, and read as it was', () => {
  expect(showMoney(1_234_500, 'USD')).toBe('$1,234.50');
  expect(showMoney(105, 'USD')).toBe('$0.105');
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000_000 }),
      fc.constantFrom('USD', 'EUR', 'GBP'),
      (mills, currency) => {
        // Nobody changed the field, so the price stays, also in parts of a cent.
        expect(readPrice(showMoney(mills, currency), currency, mills)).toBe(mills);
        const typed = parseMoney(showMoney(mills, currency), currency);
        expect(typed).toBe(mills % 10 === 0 ? mills : null);
      },
    ),
  );
});
