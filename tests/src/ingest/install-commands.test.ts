import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ingestCalls } from '#contract/ingest/calls.ts';
import { TOOL_CHOICES, getRecipe, shell, getSlug } from '#src/features/ingest/install-commands.ts';

const NOW = Date.UTC(2026, 0, 31, 1, 12, 30);

const secret = 'dbk_3nJ8xQvR0sWc5TzYhLm2Kf7BdGpUe9AiXoN4qE1uZr6';
const origin = 'https://portal.example';
/**
 * `curl` prints its arguments instead, one a line. Of the programs that the recipes call, only these
 * of the system run; every other one prints a word.
 */
const SYSTEM = ['cat', 'date', 'gzip', 'mktemp', 'rm', 'sed', 'tail', 'uname'];
const programs = mkdtempSync(join(tmpdir(), 'daybook-programs-'));
for (const name of SYSTEM)
  symlinkSync(
    execFileSync('bash', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
    join(programs, name),
  );
afterAll(() => rmSync(programs, { recursive: true }));
const STUBS = `PATH='${programs}'
curl() { cat >/dev/null; for a in "$@"; do printf '%s\\n' "ARG:$a" >&2; done; }
command_not_found_handle() { echo out; }`;
const getArgs = (line: string): string[] => {
  const out = execFileSync('bash', ['-c', `exec 2>&1 </dev/null\n${STUBS}\n${line}`], {
    encoding: 'utf8',
  });
  return out
    .split('\n')
    .filter((one) => one.startsWith('ARG:'))
    .map((one) => one.slice(4));
};
const BASH = TOOL_CHOICES.map((choice) => choice.tool).filter(
  (tool) => tool !== 'borgmatic' && tool !== 'duplicati',
);

const NAMES = ['Files on FS01', `it's "quoted" $HOME \`id\` $(id) !x; rm -rf / & | > \\ %`];

test("COPY-1: each tool whose output the server takes is offered, with a command that posts to the tool's own address", () => {
  const records = new Set(['executions', 'events', 'repositories', 'computers']);
  const tools = Object.values(ingestCalls)
    .map(({ path }) => path.replace('ingest/', ''))
    .filter((one) => !records.has(one));
  const offered = TOOL_CHOICES.filter(({ tool }) =>
    getRecipe(tool, { origin, secret, job: 'Files', now: NOW }).text.includes(
      `${origin}/api/v1/ingest/${tool}?`,
    ),
  ).map(({ tool }) => tool);
  expect(offered.toSorted()).toEqual(tools.toSorted());
});

test.each(NAMES)(
  'COPY-1: each line is valid bash and sends to this site, whatever the name of the job: %s',
  (job) => {
    const sent = BASH.map((tool) =>
      getArgs(getRecipe(tool, { origin, secret, job, now: NOW }).text).filter((arg) =>
        arg.startsWith('https://'),
      ),
    );
    expect(
      sent.every((urls) => urls.length > 0 && urls.every((url) => new URL(url).origin === origin)),
    ).toBe(true);
  },
);

test.each(NAMES)(
  'COPY-1: each line has the key in its header, and a ping in its address: %s',
  (job) => {
    const posts = BASH.filter((tool) => tool !== 'ping').map((tool) =>
      getArgs(getRecipe(tool, { origin, secret, job, now: NOW }).text),
    );
    expect(posts.every((args) => args.includes(`Authorization: Bearer ${secret}`))).toBe(true);
    expect(getArgs(getRecipe('ping', { origin, secret, job, now: NOW }).text).at(-1)).toBe(
      `${origin}/ping/${secret}/${getSlug(job)}/0`,
    );
  },
);

test.each(NAMES)('COPY-1: the name of the job arrives unchanged: %s', (job) => {
  const jobs = (['restic', 'borg', 'rclone', 'kopia'] as const)
    .map(
      (tool) =>
        getArgs(getRecipe(tool, { origin, secret, job, now: NOW }).text).find((arg) =>
          arg.startsWith('https://'),
        ) ?? '',
    )
    .map((url) => [new URL(url).searchParams.get('job'), new URL(url).searchParams.get('exit')]);
  expect(jobs).toEqual([
    [job, '0'],
    [job, '0'],
    [job, '0'],
    [job, '0'],
  ]);
});

test.each(NAMES)(
  'COPY-1: the wrapper is loaded from this site, and gets its complete job and a hidden key: %s',
  (job) => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-copy-'));
    const text = getRecipe('ping', { origin, secret, job, now: NOW }).also?.text ?? '';
    expect(getArgs(`cd ${folder}\n${text}`)).toEqual([
      '-fsSo',
      'daybook-run.mjs',
      `${origin}/daybook-run.mjs`,
    ]);
    const shown = execFileSync(
      'bash',
      [
        '-c',
        `curl() { :; }\nnode() { printf '%s\\n' "$DAYBOOK_URL" "$DAYBOOK_KEY" "$@"; }\ncd ${folder}\n${text}`,
      ],
      { encoding: 'utf8' },
    );
    expect(shown).toBe(
      [origin, secret, 'daybook-run.mjs', '--job', job, '--', 'your-command', ''].join('\n'),
    );
    rmSync(folder, { recursive: true });
  },
);

test('COPY-1: own records are one JSON argument with the job', () => {
  const job = `it's a "job"`;
  const data = getArgs(getRecipe('api', { origin, secret, job, now: NOW }).text).find((arg) =>
    arg.startsWith('{'),
  );
  expect(JSON.parse(data ?? '')).toMatchObject({ job, status: 'Success' });
});

test('COPY-1: a quoted shell word comes out unchanged', () => {
  const words = fc.sample(
    fc.string({ unit: fc.constantFrom("'", '"', '$', '`', '\\', ' ', '!', 'a', ';', '*', '\t') }),
    40,
  );
  const out = execFileSync(
    'bash',
    ['-c', `printf '%s\\0' ${words.map((word) => shell(word)).join(' ')}`],
    { encoding: 'utf8' },
  );
  expect(out.split('\0').slice(0, -1)).toEqual(words);
});

test('COPY-1: a slug is safe in an address and never empty', () => {
  expect([
    getSlug('SQL nightly, tier 1'),
    getSlug('Büro Zürich'),
    getSlug('日本'),
    getSlug('--'),
  ]).toEqual(['sql-nightly-tier-1', 'bu-ro-zu-rich', 'backup', 'backup']);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '-', '.', 'ü', '日', '/', "'") }),
      (name) => {
        expect(getSlug(name)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      },
    ),
  );
});
