import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { messagesIn } from '../scripts/vite-messages.ts';
import { textsIn } from './texts.ts';

// The message catalogs: what they may say, and that no text stays outside them.

const files = ['contract', 'machines', 'workers', 'server', 'src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);
const catalogs = files.filter((file) => /[/.]messages\.en\.ts$/.test(file));

/** Folders with a catalog of their own, and what is below them. */
const withCatalog = catalogs
  .filter((file) => basename(file) === 'messages.en.ts')
  .map((file) => `${dirname(file)}/`);

test('I18N-4: in a folder with a catalog, no text that people read is outside it', () => {
  const left = files
    .filter((file) => !catalogs.includes(file))
    .filter((file) => withCatalog.some((folder) => file.startsWith(folder)))
    .flatMap((file) => textsIn(file));
  expect(left.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

/** Turns of phrase that nobody speaks, each with a text that would show it. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|be) told\b/i, 'Who is to know is told by mail'],
  [/\btold (?:from|by)\b/i, 'Told from this device'],
  [/\bstands? (?:here|there|above|below|in|for)\b/i, 'what stands here'],
  [/\banew\b/i, 'Sign in anew'],
  [/\bby (?:itself|themselves)\b/i, 'Send it by itself'],
  [/\bwhich is the most\b/i, 'There are 20 alarms, which is the most.'],
  [/\bbelieved?\b/i, 'The one certificate that is believed'],
  [/\bso many\b/i, 'A good backup every so many hours'],
  [/\b(?:is|are) asked\b/i, 'No system is asked yet'],
  [/\b(?:is|are) kept\b/i, 'when it is kept again'],
  [/\btaken? (?:away|back)\b/i, 'The second factors are taken away.'],
  [/\bwho(?:ever)? (?:has|may|is to)\b/i, 'Who has it can post results'],
  [/\bat once\b/i, 'Its sessions end at once.'],
  [/\bawake\b/i, 'awake again'],
  [/\bheed/i, 'heed the job'],
  [/\btied? (?:to|it)\b/i, 'Tie to a number instead'],
  [/\bput(?:s)? a note to\b/i, 'puts a note to them'],
  [/\bthe books\b/i, 'the books of the provider'],
];

test('I18N-5: no text of a catalog has a turn of phrase that nobody speaks', () => {
  expect(BANNED.filter(([turn, example]) => !turn.test(example))).toEqual([]);
  const found: string[] = [];
  for (const file of catalogs)
    for (const { key, text } of messagesIn(readFileSync(file, 'utf8'), file))
      for (const [turn] of BANNED) if (turn.test(text)) found.push(`${file} ${key}: ${text}`);
  expect(found).toEqual([]);
});

test('I18N-5: a sentence of a catalog has at most 25 words', () => {
  const long: string[] = [];
  for (const file of catalogs)
    for (const { key, text } of messagesIn(readFileSync(file, 'utf8'), file))
      for (const sentence of text.split(/[.!?]\s|\n/))
        if (sentence.split(/\s+/).length > 25) long.push(`${file} ${key}: ${sentence}`);
  expect(long).toEqual([]);
});

test('I18N-7: the labels of shared buttons are in one catalog', () => {
  const shared = [
    'Cancel',
    'Close',
    'Delete',
    'Done',
    'Edit',
    'Reload',
    'Remove',
    'Save',
    'Try again',
  ];
  expect(
    shared.flatMap((label) =>
      holders(label)
        .filter((file) => file !== 'src/ui/messages.en.ts' && !beforeSignIn(file))
        .map((file) => `${label} in ${file}`),
    ),
  ).toEqual([]);
});
/** Catalogs that have a text. */
const holders = (label: string): string[] =>
  catalogs.filter((file) =>
    [...messagesIn(readFileSync(file, 'utf8'), file)].some(({ text }) => text === label),
  );
/** Pages before the sign-in load no shared catalog. */
const beforeSignIn = (file: string): boolean => /^src\/(features\/auth|app)\//.test(file);

test('I18N-4: on the server, queries, credentials and stored words are not texts', () => {
  const code = `const a = \`select \${n} from job\`, b = sql\`Any \${'One text.'} of it.\`, c = \`Bearer \${token}\`;
     const d = { product: 'Daybook', unit: 'Jobs' }, e = 'Jobs of all companies';
     const g = \`Dear \${name}\`, h = \`\${n} of \${m}\`;`;
  const found = (file: string): readonly string[] => textsIn(file, code).map(({ text }) => text);
  expect(found('server/x.ts')).toEqual([
    'One text.',
    'Jobs of all companies',
    'Dear {}',
    '{} of {}',
  ]);
  expect(found('src/x.ts')).toContain('Daybook');
});

test('I18N-4: what reads like a text is found, and what is for the browser is not', () => {
  const found = textsIn(
    'x.tsx',
    `const a = <p className="grid gap-2" keycap="Esc" title="Add">Save <b>it</b> {n} rules</p>;
     const b = ok ? 'Rule changed' : \`\${n} of \${m}\`;
     if (event.key === 'Enter') throw new Error('Not for people');
     const c = cond ? 'flex-1 min-w-0' : 'Escape';
     const d = \`/api/v1/\${path}\`, e = 'users/list', f = 'all of it failed.';
     const g = { state: 'Missed' }, h = \`-H Authorization: Bearer \${s}\`;
     const i = \`Authorization: Bearer \${s}\`, j = \`restic backup /path || rc=$?\`;`,
  );
  expect(found.map(({ kind, text }) => [kind, text])).toEqual([
    ['attribute', 'Add'],
    ['jsx', 'Save'],
    ['jsx', 'it'],
    ['jsx', 'rules'],
    ['string', 'Rule changed'],
    ['template', '{} of {}'],
    ['string', 'all of it failed.'],
  ]);
});
