import { assert, constantFrom, array, oneof, property, string } from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { cutText, lineOfText, parseStorable, storable } from '#contract/stored-text.ts';
import { nameText } from '#contract/text-schema.ts';

const RUNS = { numRuns: 300 * Number(process.env['PROOF'] ?? 1) };
/** UTF-16 units one by one, among them halves of pairs. */
const units = array(
  oneof(
    constantFrom(
      '\0',
      '\ud83d',
      '\ude00',
      '\udce9',
      '\\',
      '"',
      'u0000',
      '\\ud800',
      '\ufffe',
      '\n',
      '\u2028',
      '\u0085',
    ),
    string({ unit: 'binary' }),
  ),
  { maxLength: 12 },
).map((all) => all.join(''));

/** Unit by unit, by what Unicode says of surrogates: the slow way. */
function slowly(text: string): string {
  let out = '';
  for (const sign of text)
    out +=
      sign === '\0' || (sign.length === 1 && sign >= '\ud800' && sign <= '\udfff')
        ? '\ufffd'
        : sign;
  return out;
}
const deeply = (value: unknown): unknown =>
  typeof value === 'string'
    ? slowly(value)
    : Array.isArray(value)
      ? value.map(deeply)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([name, one]) => [slowly(name), deeply(one)]),
          )
        : value;

test('TEXT-1: what cannot be stored becomes U+FFFD, sign by sign, and nothing else changes', () => {
  expect(storable('caf\udce9 \0 \ud83d\ude00 \ufffe \u202e \r\n')).toBe(
    'caf\ufffd \ufffd \ud83d\ude00 \ufffe \u202e \r\n',
  );
  assert(
    property(units, (text) => {
      expect(storable(text)).toBe(slowly(text));
    }),
    RUNS,
  );
});

test('TEXT-1: of JSON every text and every key, at any depth, and no text that only looks like an escape', () => {
  expect(
    parseStorable(String.raw`{"a\u0000":["\udce9","\\u0000","\ud83d\ude00","\ud83d","\u0041"]}`),
  ).toEqual({ 'a\ufffd': ['\ufffd', String.raw`\u0000`, '\ud83d\ude00', '\ufffd', 'A'] });
  assert(
    property(units, units, units, (key, one, other) => {
      const value = { [key]: [one, { [`x${other}`]: other, n: 1, none: null }] };
      expect(parseStorable(JSON.stringify(value))).toEqual(deeply(value));
    }),
    RUNS,
  );
  const depth = 200_000;
  expect(
    JSON.stringify(
      parseStorable(`{"x":"\\ud800","y":${'['.repeat(depth)}${']'.repeat(depth)}}`) instanceof
        Object,
    ),
  ).toBe('true');
  expect(() => parseStorable('{')).toThrow(SyntaxError);
});

test('TEXT-2: a name is a single line and must not be empty', () => {
  expect(lineOfText('a\r\nb\u2028c\td\u0085\u001be\0')).toBe('a b c d e\ufffd');
  const name = nameText(10);
  const read = (text: string) => {
    const result = v.safeParse(name, text);
    return result.success ? result.output : null;
  };
  expect([
    read(' Night\nrun '),
    read('\r\n'),
    read('\t x'),
    read('12345678901'),
    read('\ud83d\ude00'),
  ]).toEqual(['Night run', null, 'x', null, '\ud83d\ude00']);
});

test('TEXT-3: text is never cut within a sign', () => {
  expect([cutText('abc', 3), cutText('ab\ud83d\ude00', 3), cutText('ab\ud83d\ude00', 4)]).toEqual([
    'abc',
    'ab',
    'ab\ud83d\ude00',
  ]);
  assert(
    property(string({ unit: 'grapheme', maxLength: 20 }), (text) => {
      for (let max = 0; max <= text.length; max += 1)
        expect(cutText(text, max).isWellFormed()).toBe(true);
    }),
    RUNS,
  );
});
