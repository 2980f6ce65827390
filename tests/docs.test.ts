import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { APP_VERSION } from '#contract/app-version.ts';
import { SOAK_TESTS } from './bench/soak-list.ts';

// The documents name files, commands and settings, and link to pages: each must exist.

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

test('DOC-1: every file that a document names exists', () => {
  const missing = documents.flatMap((document) =>
    [
      ...readFileSync(document, 'utf8').matchAll(
        /`((?:contract|machines|workers|src|server|tests|scripts|docs)\/[\w./-]+)`/g,
      ),
    ]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(path))
      .map((path) => `${document}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('DOC-1: every link between documents leads to a file', () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, path = '']) => join(dirname(document), path))
      .filter((path) => !existsSync(path))
      .map((path) => `${document}: ${path}`),
  );
  expect(broken).toEqual([]);
  expect(documents).toContain('docs/architecture.md');
});

test('DOC-1: every link to a heading of a document leads to one', () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)#([\w-]+)\)/g)]
      .filter(
        ([, path = '', heading = '']) =>
          !getHeadings(path === '' ? document : join(dirname(document), path)).includes(heading),
      )
      .map(([link]) => `${document}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** The anchors of a document's headings: lower case, words joined by hyphens. */
const getHeadings = (document: string): string[] =>
  [...readFileSync(document, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );

test('DOC-2: every command that a document shows is one of the project', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const unknown = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\bnpm run ([\w-]+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !(name in scripts))
      .map((name) => `${document}: npm run ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('DOC-2: every setting that a document names is read by the code', () => {
  const read = ['server', 'scripts', 'cli-wrapper']
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.m?[jt]s$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  const unknown = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\bDAYBOOK_[A-Z_]+\b/g)]
      .filter(([name]) => !new RegExp(`\\b${name}\\b`).test(read))
      .map(([name]) => `${document}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('DOC-3: the index of the decisions has one line for each record', () => {
  const lines = readFileSync('docs/adr/README.md', 'utf8').split('\n');
  const unlisted = readdirSync('docs/adr')
    .flatMap((file) => /^(\d{4})-.*\.md$/.exec(file)?.[1] ?? [])
    .filter(
      (number) =>
        lines.filter((line) => new RegExp(`^\\| \\[?${number}\\b`).test(line)).length !== 1,
    );
  expect(unlisted).toEqual([]);
});

test('DOC-4: no document has a merge that was left unfinished', () => {
  const unfinished = documents.filter((document) =>
    /^(?:<{7}|>{7}) |^={7}$/m.test(readFileSync(document, 'utf8')),
  );
  expect(unfinished).toEqual([]);
});

/** Returns the parts of the page that are older than one release, or that lack machine or figures. */
function findStale(page: string, changelog: string, version: string): readonly string[] {
  const releases = [...changelog.matchAll(/^## \[?(\d+\.\d+\.\d+)/gm)];
  const recent = [version, ...releases.slice(0, 2).map(([, number]) => number)];
  return page
    .split(/^(?=## )/m)
    .slice(1)
    .filter((text) => {
      const [, measured, day] =
        /^Version ([\d.]+) on (\d{4}-\d\d-\d\d), Node [\d.]+, \d+ cores/m.exec(text) ?? [];
      return (
        !recent.includes(measured ?? '') ||
        Number.isNaN(Date.parse(day ?? '')) ||
        // A table with at least one figure.
        !/^\| .+ \| [\d,.]+ \|/m.test(text)
      );
    })
    .map((text) => text.slice(0, text.indexOf('\n')));
}

test('DOC-5: each part of the benchmark was measured not more than one release ago, with its machine and peers', () => {
  const page = readFileSync('docs/measured.md', 'utf8');
  const sections = page.split(/^(?=## )/m).slice(1);
  expect(sections.map((text) => /^npm run bench -- (\w+)/m.exec(text)?.[1])).toEqual(
    expect.arrayContaining(['store', 'ingest', 'suite']),
  );
  expect(findStale(page, readFileSync('CHANGELOG.md', 'utf8'), APP_VERSION)).toEqual([]);

  // Two releases later every part is stale, and so is one without a machine or a figure.
  const titles = sections.map((text) => text.slice(0, text.indexOf('\n')));
  expect(findStale(page, '## [9.2.0]\n## [9.1.0]\n', '9.3.0')).toEqual(titles);
  expect(findStale(page, `## [9.1.0]\n## [${APP_VERSION}]\n`, '9.2.0')).toEqual([]);
  expect(findStale(page.replaceAll(/, \d+ cores/g, ''), '', APP_VERSION)).toEqual(titles);
  expect(findStale(page.replaceAll(/^\|.*$/gm, ''), '', APP_VERSION)).toEqual(titles);
});

interface Proof {
  readonly id: string;
  readonly paths: readonly string[];
  readonly soak: string;
  readonly missing: string;
}
const proofs: Proof[] = readFileSync('docs/promises.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| **G'))
  .map((line) => {
    const [, id = '', , tests = '', , soak = '', missing = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    return {
      id: id.replaceAll('*', ''),
      paths: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
      soak,
      missing,
    };
  });

/** Whether a test in the file names the promise. */
const isProvedIn = (path: string, id: string): boolean =>
  new RegExp(
    `['"\`](?:[A-Z][A-Z0-9]*-?\\d+[a-z]?, )*${id}(?:, [A-Z][A-Z0-9]*-?\\d+[a-z]?)*: `,
  ).test(readFileSync(path, 'utf8'));

test('DOC-6: the page of promises has each once, with files in which a test names it', () => {
  expect(proofs.map(({ id }) => id)).toEqual(Array.from({ length: 73 }, (_, n) => `G${n + 1}`));
  const wrong = proofs.flatMap(({ id, paths, missing }) =>
    paths.length === 0
      ? [`${id} names no file`]
      : paths
          // A benchmark measures and proves nothing, and the page says so.
          .filter((path) =>
            path.startsWith('tests/bench/')
              ? !existsSync(path) || missing === '–'
              : !existsSync(path) || !isProvedIn(path, id),
          )
          .map((path) => `${id} is named by no test of ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('DOC-6: each test of the soak names its promises, and the page says that the soak has it', () => {
  const wrong = SOAK_TESTS.flatMap(({ file, promises }) =>
    promises
      .filter((id) => {
        const proof = proofs.find((one) => one.id === id);
        const isListed = proof?.paths.includes(file) === true && proof.soak !== '–';
        return !isProvedIn(file, id) || (id.startsWith('G') && !isListed);
      })
      .map((id) => `${id} in ${file}`),
  );
  expect(wrong).toEqual([]);
});
