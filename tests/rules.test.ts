import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// docs/rules.md numbers what the product promises; the name of a test begins with the ids of
// the rules that it proves.

const RULE = /^- \*\*([A-Z]+-?\d+[a-z]?)\*\*/gm;
const ID = /^[A-Z]{1,8}-?\d+[a-z]?$/;

const rules = [...readFileSync('docs/rules.md', 'utf8').matchAll(RULE)].map(
  (match) => match[1] ?? '',
);

const named = readdirSync('tests', { recursive: true, withFileTypes: true })
  .filter(
    (entry) =>
      entry.isFile() &&
      /\.(test|spec)\.tsx?$/.test(entry.name) &&
      !entry.parentPath.includes('node_modules'),
  )
  .flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [
      ...readFileSync(path, 'utf8').matchAll(
        /\b(?:test|it|describe)(?:\.\w+)*(?:\([^()\n]*\))?\(\s*(['"`])([^\n]*?):/g,
      ),
    ].flatMap((match) =>
      (match[2] ?? '')
        .split(/,\s*/)
        .filter((id) => ID.test(id))
        .map((id) => ({ id, path })),
    );
  });

test('RULE-1: every rule has a number of its own', () => {
  expect(rules.filter((id, at) => rules.indexOf(id) !== at)).toEqual([]);
  expect(rules.length).toBeGreaterThan(50);
});

test('RULE-2: every rule has a test', () => {
  const proved = new Set(named.map(({ id }) => id));
  expect(rules.filter((id) => !proved.has(id))).toEqual([]);
});

test('RULE-3: every id in the name of a test is a rule', () => {
  const known = new Set(rules);
  expect(
    named.filter(({ id }) => !known.has(id)).map(({ id, path }) => `${id} in ${path}`),
  ).toEqual([]);
});
