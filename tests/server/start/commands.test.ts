import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readArguments } from '#server/command-syntax.ts';
import { SIZES } from '#server/demo/plan.ts';
import { formatUsage, parseArguments } from '#server/platform/command-arguments.ts';

// The commands of package.json as processes, and the parser of their arguments.

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const hadData = existsSync('data');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-commands-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
/** Runs `node PROGRAM` in an empty folder, which is also where a command would make its data. */
async function run(program: readonly string[]): Promise<Ended> {
  const [file = '', ...args] = program;
  const child = spawn(process.execPath, [resolve(file), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', DAYBOOK_DATA: join(folder, 'data') },
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => void (texts.out += String(chunk)));
  child.stderr.on('data', (chunk) => void (texts.err += String(chunk)));
  const code = await new Promise<number | null>((done) => void child.on('close', done));
  return { code, ...texts };
}
/** Every script is `node` with a program. */
const getProgram = (script: string): readonly string[] => {
  const [node, ...program] = script.split(' ');
  expect(node).toBe('node');
  return program;
};
const expectNoFile = (): void => {
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync('data')).toBe(hadData);
};

describe.each(Object.entries(scripts))('%s', (name, script) => {
  test('START-7: --help prints the usage and does nothing', async () => {
    const { code, out, err } = await run([...getProgram(script), '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^Usage: npm (?:run )?${name}(?: --|\\n)`));
    expect(out).toMatch(/^  --help +\S/m);
    expectNoFile();
  });

  test('START-7: an unknown option is refused before anything is done', async () => {
    const { code, out, err } = await run([...getProgram(script), '--no-such-option']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      new RegExp(`^Unknown option --no-such-option\\.\\n\\nUsage: npm (?:run )?${name}(?: --|\\n)`),
    );
    expectNoFile();
  });
});

test('START-7: a missing argument or a wrong value is refused before anything is done', async () => {
  for (const [args, sentence] of [
    [['restore'], 'The argument FILE is missing.'],
    [['start', '--estate', 'huge'], 'The demo size is unknown.'],
    [['start', '--estate'], 'The option --estate needs a value.'],
    [['rotate-key', '--forgot'], 'Unknown option --forgot.'],
    [['soak', '--minutes', 'ten'], 'The option --minutes takes a number above 0.'],
    [['bench', 'everything'], 'Unknown part.'],
    [['check:tenant', '--tenant', 'a.example.com'], 'The option --application is missing.'],
  ] as const) {
    const { code, out, err } = await run(['scripts/run.mjs', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err.slice(0, sentence.length)).toBe(sentence);
    expect(err).toContain('\n\nUsage: npm ');
  }
  expectNoFile();
});

test('START-7: each demo size is an option of the start', () => {
  for (const size of [...SIZES, 'none'])
    expect(readArguments('start', ['--estate', size]).values.estate).toBe(size);
});

test('START-7: a program that is started without npm refuses the same', async () => {
  const { code, out, err } = await run(['server/rotate-key.ts', '--forgot']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^Unknown option --forgot\.\n\nUsage: npm run rotate-key /);
  expectNoFile();
});

test('START-7: an older Node than package.json allows is refused with the version that is needed', async () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toBe('>=20');
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });`;
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, resolve('scripts/run.mjs')],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let err = '';
  child.stderr.on('data', (chunk) => void (err += String(chunk)));
  expect(await new Promise((done) => void child.on('close', done))).toBe(1);
  expect(err).toMatch(/^Daybook needs Node 20 or newer, and this is Node 18\.20\.8\. .*\n$/);
});

const SYNTAX = {
  summary: 'Copies files.',
  positionals: ['FROM', 'TO'],
  options: {
    depth: { type: 'string', value: 'NUMBER', summary: 'How deep', isRequired: true },
    force: { type: 'boolean', summary: 'Overwrite files' },
  },
} as const;

test('START-7: arguments are read, and what is wrong never shows a value', () => {
  expect(parseArguments(SYNTAX, ['a', '--depth=2', 'b', '--force'])).toMatchObject({
    kind: 'arguments',
    values: { depth: '2', force: true },
    positionals: ['a', 'b'],
  });
  expect(parseArguments(SYNTAX, ['--depth', '2', '--', '-a', '--help'])).toMatchObject({
    kind: 'arguments',
    positionals: ['-a', '--help'],
  });
  expect(parseArguments(SYNTAX, ['--wrong', '-h'])).toEqual({ kind: 'help' });
  for (const [args, sentence] of [
    [['a', 'b'], 'The option --depth is missing.'],
    [['a', '--depth', '2'], 'The argument TO is missing.'],
    [['a', 'b', 'planted', '--depth', '2'], 'Too many arguments: this command takes 2 arguments.'],
    [['a', 'b', '--depth', '--force'], 'The option --depth needs a value.'],
    [['a', 'b', '--depth', '2', '--force=planted'], 'The option --force takes no value.'],
    [['a', 'b', '--toString=planted'], 'Unknown option --toString.'],
    [['-x'], 'Unknown option -x.'],
  ] as const)
    expect(parseArguments(SYNTAX, args)).toEqual({ kind: 'wrong', sentence });
});

test('START-7: the usage has the call, the arguments and all options', () => {
  expect(formatUsage('copy', SYNTAX)).toBe(
    [
      'Usage: npm run copy -- FROM TO --depth NUMBER [options]',
      '',
      'Copies files.',
      '',
      '  --depth NUMBER  How deep',
      '  --force         Overwrite files',
      '  --help          Show this help',
      '',
    ].join('\n'),
  );
});
