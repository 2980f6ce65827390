import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messagesIn } from '../scripts/vite-messages.ts';
import { NO_TEXTS } from './no-texts.ts';
import { copiedTexts, fixedFormats, joinedLists, phrasesIn, textsIn } from './texts.ts';

// The message catalogs: what they may say, and that no text stays outside them.

const files = ['contract', 'machines', 'workers', 'server', 'src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);
const catalogs = files.filter((file) => /[/.]messages\.en\.ts$/.test(file));

/**
 * The causes of problems are stored with results and compared with later ones, so they are values
 * in English.
 */
const WITHOUT_CATALOG = /^contract\/problems\//;

// One test a layer: reading all of them takes long on a busy machine.
for (const layer of [
  'contract',
  'machines',
  'workers',
  'server',
  'src/app',
  'src/features',
  'src/service-worker',
  'src/ui',
])
  test(`I18N-4: no text that people read is outside a catalog, in ${layer}`, () => {
    const left = files
      .filter((file) => file.startsWith(`${layer}/`))
      .filter((file) => !catalogs.includes(file) && !WITHOUT_CATALOG.test(file))
      .flatMap((file) => textsIn(file))
      .filter(({ file, text }) => !isException(file, text));
    expect(
      left.map(({ file, line, text }) => `${file}:${line} ${text}`),
      'Put texts that people read into the catalog of the feature (messages.en.ts). If nobody reads them, such as the messages of results, add the file to the reason that fits in tests/no-texts.ts.',
    ).toEqual([]);
  });

test('I18N-4: texts are found whatever their first word looks like, and values are not', () => {
  const texts = ['E-mail, A to Z', 'QuickBooks is connected', 'SMS codes', 'No invoices yet'];
  const values = ['quickbooks-tokens', 'Content-Type: {}', 'api/key'];
  const found = textsIn('src/x.ts', `const a = ${JSON.stringify([...texts, ...values])};`);
  expect(found.map(({ text }) => text)).toEqual(texts);
});

/** Whether `NO_TEXTS` names the file, and its reason fits the text. */
const isException = (file: string, text: string): boolean =>
  NO_TEXTS.some(({ files: listed, only }) => listed.includes(file) && only?.test(text) !== false);

test('I18N-4: each exception is a file that needs it, once', () => {
  const listed = NO_TEXTS.flatMap((group) => group.files);
  expect(listed.filter((file, i) => listed.indexOf(file) !== i)).toEqual([]);
  expect(listed.filter((file) => !files.includes(file) || textsIn(file).length === 0)).toEqual([]);
  expect(isException('server/platform/sync/visible.ts', 'Rule')).toBe(true);
  expect(isException('server/platform/sync/visible.ts', 'The rule is gone.')).toBe(false);
});

test('I18N-2: what is loaded before the language is set copies no text', () => {
  const early = files.filter(
    (file) => /^(contract|machines|workers|src\/(app|ui))\//.test(file) && !catalogs.includes(file),
  );
  expect(early.flatMap((file) => copiedTexts(file).map((text) => `${file} ${text}`))).toEqual([]);
  const code = `import { ruleMessages as t } from './messages.en.ts';
    const OLD = { title: t.title, words: [t.none] };
    const NEW = { get title() { return t.title; } };
    const name = () => t.name;`;
  expect(copiedTexts('x.ts', code)).toEqual(['t.title', 't.none']);
});

test('I18N-2: the ids of two catalogs never meet', () => {
  const names = catalogs.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/defineMessages\('([\w-]+)'/g),
      ([, name = '']) => name,
    ),
  );
  expect(names.length).toBeGreaterThanOrEqual(catalogs.length);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
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
  [/\btold of\b/i, 'QuickBooks told of an invoice'],
  [/\bgave (?:no|an) answer\b/i, 'The server gave no answer to the search.'],
  [/\bleft alone\b/i, 'The host asks to be left alone for a while.'],
  [/\b(?:broke|breaks|broken) off\b/i, 'The host broke off the file.'],
  [/\bcancelled\b/i, 'Download cancelled'],
  [/\bhand-overs?\b/i, 'Past hand-overs'],
  [/\bsays? nothing\b/i, 'says nothing of the reporting'],
  [/\bwhich there (?:is|are)\b/i, '--help tells which there are.'],
  [/\b(?:is|are|was|were) given\b/i, 'No key was given: nothing is reported.'],
  [/\b(?:goes|go) out with\b/i, 'The report goes out with the next.'],
  [/\b(?:is|are|was|were) not known\b/i, 'An option is not known.'],
  [/\bin short\b/i, '3 failed, in short'],
  [/^No [\w ]+ here\b/i, 'No Chromium here: getting one'],
  [/’/, 'This page doesn’t exist.'],
];

test('I18N-5: no text of a catalog has a turn of phrase that nobody speaks', () => {
  expect(BANNED.filter(([turn, example]) => !turn.test(example))).toEqual([]);
  const found: string[] = [];
  for (const file of catalogs)
    for (const { key, text } of messagesIn(readFileSync(file, 'utf8'), file))
      for (const [turn] of BANNED) if (turn.test(text)) found.push(`${file} ${key}: ${text}`);
  expect(found).toEqual([]);
});

/** Programs in plain JavaScript, which load no catalog: the wrapper, the commands, the first paint. */
const PLAIN_FILES = ['cli-wrapper', 'scripts', 'src/public'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);

test('I18N-5: programs in plain JavaScript print sentences of at most 20 words, without such turns', () => {
  const phrases = PLAIN_FILES.map((file) => ({ file, found: phrasesIn(file) }));
  for (const name of ['cli-wrapper/daybook-run.mjs', 'scripts/run.mjs', 'scripts/install.mjs'])
    expect(phrases.find(({ file }) => file === name)?.found.length).toBeGreaterThan(0);
  const wrong = phrases.flatMap(({ file, found }) =>
    found
      .filter(
        (phrase) =>
          BANNED.some(([turn]) => turn.test(phrase)) ||
          phrase.split(/[.!?]\s|\n/).some((sentence) => countWords(sentence) > 20),
      )
      .map((phrase) => `${file}: ${phrase}`),
  );
  expect(wrong).toEqual([]);
  expect(
    phrasesIn('x.mjs', "const a = 'key', b = 'the key', c = `no ${key} was ${'sent by us'}`;"),
  ).toEqual(['the key', 'no {} was {}', 'sent by us']);
});

/** Errors whose messages are shown on pages. */
const SHOWN_ERROR = /new (?:Source|Outbound|Psa|QuickBooks|Content)Error\(\s*'[\w-]+',\s*(['"`])/g;

test('I18N-4: an error that a page shows has its text from a catalog', () => {
  expect("new SourceError('busy', `${host} is busy.`)".match(SHOWN_ERROR)).toHaveLength(1);
  const found = files
    .filter((file) => file.startsWith('server/'))
    .flatMap((file) =>
      Array.from(readFileSync(file, 'utf8').matchAll(SHOWN_ERROR), ([error]) => `${file} ${error}`),
    );
  expect(found).toEqual([]);
});

/** Texts for operators, at the terminal of the server. */
const OF_OPERATORS = new Set([
  'server/commands.messages.en.ts',
  'server/platform/config.messages.en.ts',
]);

test("BRAND-13: no text of a provider's portal names the product behind it", () => {
  const found: string[] = [];
  for (const file of catalogs.filter((one) => !OF_OPERATORS.has(one)))
    for (const { key, text } of messagesIn(readFileSync(file, 'utf8'), file))
      if (text.includes('Daybook')) found.push(`${file} ${key}: ${text}`);
  expect(found).toEqual([]);
});

test('I18N-5: a sentence of a catalog has at most 20 words', () => {
  const long: string[] = [];
  for (const file of catalogs)
    for (const { key, text } of messagesIn(readFileSync(file, 'utf8'), file))
      for (const sentence of longestForm(text).split(/[.!?]\s|\n/))
        if (countWords(sentence) > 20) long.push(`${file} ${key}: ${sentence}`);
  expect(long).toEqual([]);
  const text = 'It has {n, plural, one {# file} other {# old files of {m, number} kinds}} now.';
  expect(longestForm(text)).toBe('It has # old files of {m} kinds now.');
  expect(countWords(longestForm(text))).toBe(9);
});
const countWords = (text: string): number => text.trim().split(/\s+/).length;
/** A plural or a choice without another one in it. */
const BRANCHES =
  /\{\w+, (?:plural|select|selectordinal),((?:\s*[=\w]+ \{(?:[^{}]|\{\w+\})*\})+)\s*\}/;
/** Returns a text as a person reads it, with the branch that has the most words. */
function longestForm(text: string): string {
  let read = text.replaceAll(/\{(\w+), (?:number|date|time)(?:, [^{}]+)?\}/g, '{$1}');
  for (let found = BRANCHES.exec(read); found; found = BRANCHES.exec(read)) {
    const branches = Array.from(
      (found[1] ?? '').matchAll(/[=\w]+ \{((?:[^{}]|\{\w+\})*)\}/g),
      ([, branch = '']) => branch,
    );
    const [longest = ''] = branches.toSorted((one, two) => countWords(two) - countWords(one));
    read = read.slice(0, found.index) + longest + read.slice(found.index + found[0].length);
  }
  return read;
}

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
  expect(found('src/x.ts')).toContain('Jobs');
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
     const i = \`Authorization: Bearer \${s}\`, j = \`restic backup /path || rc=$?\`;
     const k = <Kbd>Esc</Kbd>, l = 'Veeam B&R', m = \`Bearer \${s}\`, n = 'Veeam is slow.';
     const o = 'Other' satisfies JobType, p = new DiskFault('full', 'The disk is full.');
     const r = '14 days', s = '1 1 0';
     const q = String.raw\`(?:a|the) (?<=b c.)\`;`,
  );
  expect(found.map(({ kind, text }) => [kind, text])).toEqual([
    ['attribute', 'Add'],
    ['jsx', 'Save'],
    ['jsx', 'it'],
    ['jsx', 'rules'],
    ['string', 'Rule changed'],
    ['template', '{} of {}'],
    ['string', 'all of it failed.'],
    ['string', 'Veeam is slow.'],
    ['string', '14 days'],
  ]);
});

test('I18N-1: no format and no list of what people read has a fixed language', () => {
  const found = files
    .filter((file) => /^(?:contract|src|server\/features)\//.test(file))
    .filter((file) => !WITHOUT_CATALOG.test(file))
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8');
      const isShown = file.startsWith('src/') && !file.startsWith('src/features/auth/api-docs/');
      return [...fixedFormats(code), ...(isShown ? joinedLists(code) : [])].map(
        (text) => `${file} ${text}`,
      );
    });
  expect(found).toEqual([]);
  const code = `new Intl.NumberFormat('en-US', { style }); n.toLocaleString('en'); at.toLocaleTimeString();
    new Intl.DateTimeFormat(
      'en-US', how); share.toFixed(1); new Intl.NumberFormat(formatTag()); new Intl.Collator('en');`;
  expect(fixedFormats(code)).toHaveLength(5);
  expect(joinedLists("a.join(', '); b.join(' or '); c.join(','); d.join(' · ');")).toHaveLength(2);
});

test('I18N-4: names of components, words of the API and plurals are texts', () => {
  const found = textsIn(
    'src/x.tsx',
    `const a = <ChipSelect name="Role" icon="user" />, b = <Download name="exportUsers" />;
     const c = <td title={line.unit}>{line.unit} {t.unit} {ui.state} <code>{status}</code>{unit}</td>;
     const d = \`\${n} \${n === 1 ? 'job' : 'jobs'}\`, e = ok ? 'on' : 'off', f = <p>{UNITS[unit]}</p>;`,
  );
  expect(found.map(({ kind, text }) => [kind, text])).toEqual([
    ['string', 'Role'],
    ['value', '{line.unit}'],
    ['value', '{unit}'],
    ['plural', "n === 1 ? 'job' : 'jobs'"],
  ]);
});

test('I18N-4: the reference of the API and its values are for engineers, also in English', () => {
  const code = `
    export const STATES = ['Failed to start', 'Over'] as const;
    export const PAIRS = [['over', 'Over']] as const;
    export const LABELS = { over: 'Over the limit' };
    const isOver = (state) => state ?? 'Over';
    export const calls = { read: call({ summary: 'Returns a run.', title: 'A run' }) };
    const kinds = v.pipe(v.string(), v.description('One or more kinds.'));`;
  expect(textsIn('contract/x.ts', code).map(({ text }) => text)).toEqual([
    'Over the limit',
    'A run',
  ]);
  expect(textsIn('src/x.ts', code).map(({ text }) => text)).toEqual([
    'Failed to start',
    'Over',
    'Over',
    'Over the limit',
    'Over',
    'Returns a run.',
    'A run',
    'One or more kinds.',
  ]);
});
