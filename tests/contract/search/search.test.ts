import { assert, date, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { isEnough, soughtIn } from '#contract/search/search.ts';

const day = (iso: string): number => Date.parse(`${iso}T00:00:00Z`) / 86_400_000;
const one = (iso: string) => ({ from: day(iso), to: day(iso) });

test('SEEK-2: a day is recognized as the portal writes it, as an ISO day and with dots; so is a month; the rest are words', () => {
  expect(soughtIn('  SQL  Nightly sql ')).toEqual({ words: ['sql', 'nightly'], days: null });
  for (const text of ['8/14/26', '08/14/2026', '2026-08-14', '2026-8-14', '14.8.2026', '14.08.26'])
    expect(soughtIn(`quota ${text}`)).toEqual({ words: ['quota'], days: one('2026-08-14') });
  expect(soughtIn('2024-02')).toEqual({
    words: [],
    days: { from: day('2024-02-01'), to: day('2024-02-29') },
  });
  expect(soughtIn('2026-08-14 2026-08-15').days).toEqual(one('2026-08-15'));
  // What no calendar has, and what only looks like a day.
  for (const word of [
    '2026-02-30',
    '13/14/26',
    '31.4.2026',
    '2026-13',
    '10.0.4.17',
    '1/2',
    '2026-08-14t10',
    '1969-12-31',
  ])
    expect(soughtIn(word)).toEqual({ words: [word], days: null });
  expect(soughtIn('a b c d e f g h i j').words).toHaveLength(8);
  assert(
    property(
      date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      stringMatching(/^[a-z]{3,9}$/),
      (at, word) => {
        const iso = at.toISOString().slice(0, 10);
        const shown = `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`;
        expect([soughtIn(`${word} ${iso}`), soughtIn(`${shown} ${word}`)]).toEqual([
          { words: [word], days: one(iso) },
          { words: [word], days: one(iso) },
        ]);
      },
    ),
  );
});

test('SEEK-2: two letters, or a day, are enough to ask', () => {
  expect(['', ' ', 's', 'sq', 's q', '2026-08-14'].map((text) => isEnough(soughtIn(text)))).toEqual(
    [false, false, false, true, true, true],
  );
});
