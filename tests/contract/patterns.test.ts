import * as v from 'valibot';
import { expect, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';

/** Every regular expression in a schema, with the message that it has of its own. */
function* listPatterns(schema: unknown, seen = new Set<unknown>()): Generator<[RegExp, unknown]> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  if (schema instanceof RegExp) return;
  if ('type' in schema && schema.type === 'regex' && 'requirement' in schema) {
    const { requirement } = schema;
    if (requirement instanceof RegExp)
      yield [requirement, 'message' in schema ? schema.message : undefined];
    return;
  }
  for (const part of Object.values(schema)) yield* listPatterns(part, seen);
}

test('SUITE-2: each pattern that a call of the cloud suite takes says in words what it expects', () => {
  const silent = Object.entries(CALLS).flatMap(([name, { path, input }]) => {
    if (!path.startsWith('o365/')) return [];
    return [...listPatterns(input)].flatMap(([pattern, message]) =>
      message === undefined ? [`${name} ${pattern.source}`] : [],
    );
  });
  expect(silent).toEqual([]);
  expect([...listPatterns(v.pipe(v.string(), v.regex(/a/)))]).toEqual([[/a/, undefined]]);
});
