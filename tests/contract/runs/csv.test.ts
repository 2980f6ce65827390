import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BOM, csvLine, csvName, utcText, wallText, withoutFormula } from '#contract/runs/csv.ts';
import type { Cell } from '#contract/runs/csv.ts';
import { parseCsv } from './parse-csv.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '=1+1',
    '+49 30 1',
    '-5',
    '@sum',
    '\tx',
    '\rx',
    '\n',
    '"',
    '""',
    ',',
    'a,b',
    'line\r\nline',
    ' padded ',
    '',
    BOM,
    '\u202Etxt.exe',
    'a\u2066b\u2069',
    '\u202E=1+1',
    "'=x",
    '＝1',
    'a"b',
  ),
);
const cell: fc.Arbitrary<Cell> = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constant(null),
);
const asRead = (one: Cell): string =>
  one === null ? '' : typeof one === 'number' ? String(one) : withoutFormula(withoutTurns(one));
/** Slowly: sign by sign. */
const withoutTurns = (one: string): string =>
  one
    .split('')
    .filter((sign) => !'\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069'.includes(sign))
    .join('');

test('CSV-1, CSV-2, G47: a file reads back as it was written, whatever its cells contain', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 6 }),
      (lines) => {
        const written = BOM + lines.map(csvLine).join('');
        expect(parseCsv(written)).toEqual(lines.map((line) => line.map(asRead)));
      },
    ),
    { numRuns: 1_000 * Number(process.env['PROOF'] ?? 1) },
  );
});

test('CSV-1: lines end in CRLF, and only what needs quotes has them', () => {
  expect(csvLine(['a', 'b "c"', 'd,e', 'f\ng', 1, null, ' h'])).toBe(
    'a,"b ""c""","d,e","f\ng",1,," h"\r\n',
  );
  expect(csvLine([''])).toBe('\r\n');
  expect(() => parseCsv('a,"b\r\n')).toThrow(RangeError);
  expect(() => parseCsv('a,b')).toThrow(RangeError);
  expect(() => parseCsv('a,')).toThrow(RangeError);
});

test('CSV-2, G47: no text begins a formula, and numbers stay numbers', () => {
  for (const bad of ['=HYPERLINK("x")', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1', '＠x'])
    expect(parseCsv(csvLine([bad]))).toEqual([[`'${bad}`]]);
  expect(csvLine([-5, 1e21, 0.5, Number.NaN, Infinity])).toBe('-5,1e+21,0.5,,\r\n');
  expect(csvLine(['a=b', '1-2', ''])).toBe('a=b,1-2,\r\n');
  fc.assert(
    fc.property(text, (one) =>
      /^'?[^=+\-@\t\r\n]|^'|^$/u.test(parseCsv(csvLine([one, 'x']))[0]?.[0] ?? '?'),
    ),
  );
});

test('CSV-7: no cell turns the direction of writing, and none hides a formula behind it', () => {
  expect(csvLine(['\u202Efdp.exe', 'a\u2067b\u2069c', '\u202A=1+1', 'שלום\u200F!'])).toBe(
    "fdp.exe,abc,'=1+1,שלום\u200F!\r\n",
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      expect(csvLine(cells)).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    }),
  );
});

test('CSV-3: a time is written as on the page, in the zone, through every change of the clocks', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'UTC',
    'Africa/Cairo',
  ];
  const formats = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('en-US', {
        timeZone,
        year: '2-digit',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h12',
      }),
    ]),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }),
      (zone, at) => {
        expect(wallText(at, zone)).toBe(
          formats.get(zone)?.format(at).replace(', ', ' ').replace('\u202F', ' '),
        );
      },
    ),
    { numRuns: 500 * Number(process.env['PROOF'] ?? 1) },
  );
  expect(wallText(Date.UTC(2026, 10, 20, 6, 46), 'Europe/Berlin')).toBe('11/20/26 07:46 AM');
  expect(wallText(Date.UTC(2026, 10, 20), 'UTC')).toBe('11/20/26 12:00 AM');
  expect(wallText(Date.UTC(2026, 10, 20, 12), 'UTC')).toBe('11/20/26 12:00 PM');
  expect(utcText(Date.UTC(2026, 10, 20, 6, 46, 9))).toBe('2026-11-20T06:46:09Z');
});

test('CSV-4: a file is named by what it is and when it was made, in the zone', () => {
  expect(csvName('DailyChecks', Date.UTC(2026, 10, 21, 6, 46, 13), 'Europe/Berlin')).toBe(
    'DailyChecks_2026-11-21_074613.csv',
  );
  expect(csvName('Users', Date.UTC(2026, 0, 1, 2), 'America/New_York')).toBe(
    'Users_2025-12-31_210000.csv',
  );
});
