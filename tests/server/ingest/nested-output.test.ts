import { assert, jsonValue, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { jsonIn } from '#server/features/ingest/tools/tool-output.ts';

/** Longer than what is parsed without a look at its depth. */
const PADDING = ' '.repeat(20_000);
const nested = (depth: number, inside: string): string =>
  `${PADDING}${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

test('ING-18: output nested deeper than any tool writes is not parsed, however it starts', () => {
  expect(jsonIn(nested(1_000, '1'))).toBeUndefined();
  expect(jsonIn(`${PADDING}${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)).toBeUndefined();
  expect(jsonIn('[\n'.repeat(100_000))).toBeUndefined();
  expect(jsonIn(nested(100, '1'))).toEqual(JSON.parse(nested(100, '1')));
});

test("ING-18: brackets in strings and closed brackets don't count", () => {
  assert(
    property(jsonValue(), string(), (value, text) => {
      const json = JSON.stringify([text, `${'['.repeat(500)}"\\{`, value, PADDING]);
      expect(jsonIn(json)).toEqual(JSON.parse(json.replaceAll(/\\u0000/g, '\\ufffd')));
    }),
    { numRuns: 100 },
  );
});
