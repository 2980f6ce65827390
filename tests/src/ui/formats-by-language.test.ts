import { afterEach, expect, test } from 'vitest';
import { formatList } from '#contract/i18n/list.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import { ENGLISH, languageTag, setLanguage } from '#contract/i18n/messages.ts';
import { PSEUDO } from '#contract/i18n/pseudo.ts';
import { hourName } from '#src/features/calendar/steps.ts';
import { moneyWords } from '#src/features/billing/labels.ts';
import { parseQuantity } from '#src/features/billing/subscriptions/labels.ts';
import {
  formatLongMonth,
  formatMonth,
  formatShortMonth,
} from '#src/features/shared/format-month.ts';
import {
  formatBytes,
  formatCount,
  formatDay,
  formatTime,
  formatTimeSeconds,
  formatWhen,
  formatTenths,
} from '#src/ui/format.ts';
import { parseMoney, showMoney } from '#src/ui/money.ts';

// What CLDR has for English and for German, written by hand. The pseudo-language has German formats.

const GERMAN = { ...ENGLISH, tag: 'de' };
const FRIDAY = Date.UTC(2026, 10, 20, 19, 46, 9);

afterEach(() => {
  setLanguage(ENGLISH);
});

/** Plain spaces instead of no-break ones. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

const show = (): readonly string[] =>
  [
    formatCount(1_234),
    formatCount(1_234_567.5),
    formatBytes(9_640),
    formatTenths(975),
    formatTime(FRIDAY, 'UTC'),
    formatTimeSeconds(FRIDAY, 'UTC'),
    formatDay(FRIDAY, 'UTC'),
    formatWhen(FRIDAY, 'UTC'),
    formatMoment(FRIDAY),
    hourName(6),
    formatMonth(2026, 5),
    formatLongMonth('2026-12'),
    formatShortMonth('2026-12'),
    showMoney(1_234_500, 'USD'),
    moneyWords(1_234_500, 'USD'),
    formatList(['A', 'B', 'C'], 'and'),
    formatList(['A', 'B', 'C'], 'or'),
    formatList(['A', 'B', 'C'], 'plain'),
  ].map(plain);

const IN_GERMAN = [
  '1.234',
  '1.234.567,5',
  '9,6 kB',
  '97,5',
  '19:46',
  '19:46:09',
  'Freitag 11/20/26',
  '11/20/26 19:46',
  '20. Nov. 2026, 19:46 UTC',
  '06:00',
  'Mai 2026',
  'Dezember 2026',
  'Dez. 2026',
  '$1.234,50',
  '1.234,50 $',
  'A, B und C',
  'A, B oder C',
  'A, B und C',
];

test('I18N-1: numbers, times, months, amounts and lists follow the language; the pattern of dates does not', () => {
  expect(show()).toEqual([
    '1,234',
    '1,234,567.5',
    '9.6 kB',
    '97.5',
    '07:46 PM',
    '07:46:09 PM',
    'Friday 11/20/26',
    '11/20/26 07:46 PM',
    'Nov 20, 2026, 7:46 PM UTC',
    '06:00 AM',
    'May 2026',
    'December 2026',
    'Dec 2026',
    '$1,234.50',
    '$1,234.50',
    'A, B, and C',
    'A, B, or C',
    'A, B, C',
  ]);
  setLanguage(GERMAN);
  expect(show()).toEqual(IN_GERMAN);
});

test('I18N-2: the pseudo-language has the formats of another language than English', () => {
  setLanguage(PSEUDO);
  const texts = ['9,6 kB', '97,5', 'Freitag 11/20/26', '1.234,50 $', 'A, B und C'];
  expect(show()).toEqual(expect.arrayContaining(texts));
  expect(languageTag()).toBe('en-XA');
});

test('I18N-1: an amount and a quantity are read as the language writes them', () => {
  setLanguage(GERMAN);
  expect(
    ['1.234,50', '1234,5', '12', '1,234.50', '2.5', '12.34,50', '1,505'].map((text) =>
      parseMoney(text, 'USD'),
    ),
  ).toEqual([1_234_500, 1_234_500, 12_000, null, null, null, null]);
  expect(parseMoney(showMoney(1_234_500, 'USD'), 'USD')).toBe(1_234_500);
  expect(['12,5', '1.234,56', '12.5'].map((text) => parseQuantity(text))).toEqual([
    1_250,
    123_456,
    null,
  ]);
  setLanguage({ ...ENGLISH, tag: 'fr' });
  // French has a narrow no-break space between thousands, which nobody types.
  expect(parseMoney('1 234,50', 'EUR')).toBe(1_234_500);
});
