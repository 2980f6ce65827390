import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// docs/rules.md numbers what the product promises; the name of a test begins with the ids of
// the rules that it proves, and comments and documents cite rules by their ids.

const RULE = /^- \*\*([A-Z][A-Z0-9]*-?\d+[a-z]?)\*\*/gm;
const ID = /^[A-Z][A-Z0-9]{0,8}-?\d+[a-z]?$/;

const rules = [...readFileSync('docs/rules.md', 'utf8').matchAll(RULE)].map(
  (match) => match[1] ?? '',
);

/** Promises may be measured instead of proved (DOC-6). */
const promises = [
  ...readFileSync('docs/promises.md', 'utf8').matchAll(/^\| \*\*(G\d+)\*\* /gm),
].map((match) => match[1] ?? '');

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

/** What comments and the names of tests say; of a document, everything. */
const FOLDERS = [
  'contract',
  'machines',
  'workers',
  'src',
  'server',
  'cli-wrapper',
  'tests',
  'scripts',
  'docs',
];
const SOURCE = /\.(?:tsx?|mjs|css|html|md)$/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$|<!--[\s\S]*?-->/gm;
const TEST_NAME = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^()\n]*\))?\(\s*(['"`])([^\n]*?)\1/g;
const EXAMPLE = /```[\s\S]*?```|`[^`\n]*`|https?:\S+/g;
const CITED = /(?<![\w\-/.#:+\\])(?:[A-Z][A-Z0-9]{1,8}-\d{1,3}|[A-Z]\d{1,2})[a-z]?(?![\w-]|\.\d)/g;
/** Names of standards and programs that look like ids. */
const NOT_A_RULE = /^(?:AES|CRC|ISO|P|SHA|UTF|V)-?\d|^S3$/;

const citationsIn = (text: string): string[] =>
  (text.replaceAll(EXAMPLE, '').match(CITED) ?? []).filter((id) => !NOT_A_RULE.test(id));

const getProse = (path: string, text: string): string =>
  path.endsWith('.md')
    ? text
    : [
        ...(text.match(COMMENT) ?? []),
        ...(path.startsWith('tests/')
          ? [...text.matchAll(TEST_NAME)].map(([, , name]) => name)
          : []),
      ].join('\n');

const unknownIn = (prose: string, known: ReadonlySet<string>): string[] =>
  citationsIn(prose).filter((id) => !known.has(id));

test('RULE-4: every id that a comment, the name of a test or a document cites is a rule', () => {
  const known = new Set([...rules, ...promises]);
  const paths = [
    ...FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(
          (entry) =>
            entry.isFile() && SOURCE.test(entry.name) && !entry.parentPath.includes('node_modules'),
        )
        .map((entry) => join(entry.parentPath, entry.name)),
    ),
    ...readdirSync('.').filter((name) => SOURCE.test(name)),
  ];
  const wrong = paths.flatMap((path) =>
    unknownIn(getProse(path, readFileSync(path, 'utf8')), known).map((id) => `${id} in ${path}`),
  );
  expect(wrong).toEqual([]);
  expect(paths.length).toBeGreaterThan(1_000);
});

test('RULE-4: a citation of a missing rule is found, and nothing else is taken for one', () => {
  const known = new Set(['LOG-2', 'E2E-1', 'G42']);
  // `#` stands for 99, so that this file doesn't cite the missing rules itself.
  const code = [
    '// Rows are locked in order (LOG-2, LOG-#).',
    '/** Ends the session (G42) and',
    ' * asks again (G#); see E2E-1 to E2E-#. */',
    "const host = 'FS-#'; // SHA-256 in UTF-8, as `RUN-#` at https://example.com/LOG-#",
    "test('OUT-#: the key of C# is sent', () => {});",
  ]
    .join('\n')
    .replaceAll('#', '99');
  const inComments = ['LOG-99', 'G99', 'E2E-99'];
  expect(unknownIn(getProse('server/example.ts', code), known)).toEqual(inComments);
  expect(unknownIn(getProse('tests/example.ts', code), known)).toEqual([
    ...inComments,
    'OUT-99',
    'C99',
  ]);
  const page = 'See **LOG-#** and (G42), not `LOG-#`.'.replaceAll('#', '99');
  expect(unknownIn(getProse('docs/example.md', page), known)).toEqual(['LOG-99']);
});
