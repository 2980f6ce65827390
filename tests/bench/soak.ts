/**
 * `npm run soak [-- --minutes 10] [--only kills,G1,G22] [--resume] [--seed N]`: kills servers for a third
 * of the time (`soak-kills.ts`), then runs the tests of `soak-list.ts`, each with a `PROOF` as large as the
 * rest of the time allows, at most that of its promise. Prints a line for each: promises, test, size,
 * result. The results are also in `.cache/soak.json`; with `--resume`, what has passed at its full size
 * there is not run again. Exits with 1 if anything fails, not if the time is over.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readArguments } from '../../server/command-syntax.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { SOAK_TESTS, type SoakTest } from './soak-list.ts';

const RESULTS = '.cache/soak.json';
const REPORT = '.cache/soak-report.json';
const { values } = readArguments('soak');
const MINUTES = Number(values.minutes ?? '10');
const ONLY = values.only?.split(',') ?? null;
const SEED = values.seed ?? null;
const endsAt = systemClock.now() + MINUTES * 60_000;
/** The servers that the kills start need a moment to end. */
const KILLS_SHARE = 1 / 3;

type Result = 'passed' | 'failed' | 'out of time' | 'nothing ran';
interface Line {
  readonly test: string;
  readonly promises: readonly string[];
  readonly size: string;
  readonly isFull: boolean;
  readonly result: Result;
  readonly seconds: number;
  readonly failures: readonly string[];
}
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const lines = new Map<string, Line>();

function save(line: Line): void {
  lines.set(line.test, line);
  mkdirSync('.cache', { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify([...lines.values()], null, 2)}\n`);
  const mark = { 'passed': 'ok  ', 'failed': 'FAIL', 'out of time': '–   ', 'nothing ran': 'FAIL' };
  console.log(
    `${mark[line.result]} ${line.promises.join(' ').padEnd(12)} ${line.size}; ${line.test}; ${line.result} after ${line.seconds} s`,
  );
  for (const failure of line.failures) console.log(`     ${failure.replaceAll('\n', '\n     ')}`);
}

/** Runs a program to its end, or until `until` (epoch ms), when it and what it started are ended. */
async function runUntil(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  until: number | null,
  quiet: boolean,
): Promise<{ readonly code: number | null; readonly text: string; readonly isLate: boolean }> {
  const isGroup = process.platform !== 'win32';
  const child = spawn(process.execPath, program, {
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    detached: isGroup,
  });
  let text = '';
  const take = (chunk: Buffer): void => void (text = (text + chunk.toString()).slice(-20_000));
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const end = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  let isLate = false;
  const late =
    until === null
      ? null
      : setTimeout(
          () => {
            isLate = true;
            end('SIGTERM');
            setTimeout(() => end('SIGKILL'), 5_000).unref();
          },
          Math.max(0, until - systemClock.now()),
        );
  const stop = (): void => {
    end('SIGKILL');
    process.exit(130);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
    child.on('error', () => resolve(1));
  });
  if (late !== null) clearTimeout(late);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return { code, text, isLate };
}

async function runKills(): Promise<void> {
  const begunAt = systemClock.now();
  const minutes = Math.round(MINUTES * KILLS_SHARE * 100) / 100;
  const seed = SEED === null ? [] : ['--seed', SEED];
  const { code } = await runUntil(
    ['tests/bench/soak-kills.ts', '--minutes', String(minutes), ...seed],
    {},
    null,
    false,
  );
  save({
    test: 'tests/bench/soak-kills.ts',
    promises: ['G19', 'G61'],
    size: `${minutes} minutes of kills`,
    isFull: true,
    result: code === 0 ? 'passed' : 'failed',
    seconds: getSeconds(begunAt),
    failures: [],
  });
}

const getSeconds = (since: number): number => Math.round((systemClock.now() - since) / 1_000);
const getName = ({ file, promises }: SoakTest): string => `${file} (${promises.join(', ')})`;

/**
 * `proof`: as much of the test's own as the time that is left for all allows. `until` (epoch ms): one
 * that hangs takes no more time of the others.
 */
async function runTest(test: SoakTest, proof: number, until: number): Promise<void> {
  const begunAt = systemClock.now();
  const names = `\\b(?:${test.promises.join('|')})\\b`;
  rmSync(REPORT, { force: true });
  const isBrowser = test.project === 'browser';
  const { code, text, isLate } = await runUntil(
    isBrowser
      ? [
          'node_modules/@playwright/test/cli.js',
          'test',
          test.file,
          `--grep=${names}`,
          `--repeat-each=${proof}`,
          '--workers=1',
          '--output=.cache/soak-e2e',
        ]
      : [
          'node_modules/vitest/vitest.mjs',
          'run',
          `--project=${test.project}`,
          test.file,
          `--testNamePattern=${names}`,
          '--reporter=json',
          `--outputFile=${REPORT}`,
        ],
    {
      // A test in the browser is repeated as a whole, on a portal of its own.
      ...(!isBrowser && { PROOF: String(proof) }),
      DAYBOOK_NODE: process.execPath,
      PLAYWRIGHT_JSON_OUTPUT_NAME: '.cache/soak-e2e.json',
    },
    until,
    true,
  );
  const report = isBrowser ? null : readReport();
  const failures = report ? listFailures(report) : code === 0 ? [] : [text.slice(-3_000)];
  const isNothing = report !== null && report.numPassedTests === 0 && failures.length === 0;
  save({
    test: getName(test),
    promises: test.promises,
    size: `${(test.runs * proof).toLocaleString('en')} of ${(test.runs * test.proof).toLocaleString('en')} ${test.what}`,
    isFull: proof >= test.proof,
    result: isLate ? 'out of time' : isNothing ? 'nothing ran' : code === 0 ? 'passed' : 'failed',
    seconds: getSeconds(begunAt),
    failures: isLate ? [] : failures,
  });
}

function readReport(): Report | null {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as Report;
  } catch {
    return null;
  }
}

const listFailures = ({ testResults }: Report): string[] =>
  testResults.flatMap(({ message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    return failed.length === 0 && message !== ''
      ? [message.slice(0, 2_000)]
      : failed.map(
          ({ title, failureMessages }) => `${title}\n${failureMessages.join('\n').slice(0, 2_000)}`,
        );
  });

if (values.resume === true)
  try {
    for (const line of JSON.parse(readFileSync(RESULTS, 'utf8')) as Line[])
      if (line.result === 'passed' && line.isFull) lines.set(line.test, line);
  } catch {
    console.log(`No results in ${RESULTS}. Running all tests.`);
  }

const isWanted = (names: readonly string[]): boolean =>
  ONLY === null || names.some((name) => ONLY.includes(name));
if (isWanted(['kills']) && !lines.has('tests/bench/soak-kills.ts')) await runKills();

const left = SOAK_TESTS.filter((test) => isWanted(test.promises) && !lines.has(getName(test)));
const notRun: string[] = [];
for (const [index, test] of left.entries()) {
  const minutesLeft = (endsAt - systemClock.now()) / 60_000;
  const needed = left.slice(index).reduce((sum, { minutes }) => sum + minutes, 0);
  const share = Math.min(1, minutesLeft / needed);
  if (minutesLeft <= 0) {
    notRun.push(getName(test));
    continue;
  }
  const longest = 60_000 + 3 * 60_000 * test.minutes * share;
  await runTest(
    test,
    Math.max(1, Math.floor(test.proof * share)),
    Math.min(endsAt, systemClock.now() + longest),
  );
}

const all = [...lines.values()];
const failed = all.filter(({ result }) => result === 'failed' || result === 'nothing ran');
const full = all.filter(({ result, isFull }) => result === 'passed' && isFull);
console.log(
  `\n${full.length} passed at the full size, ${all.filter(({ result, isFull }) => result === 'passed' && !isFull).length} at a smaller one, ${failed.length} failed, ${all.filter(({ result }) => result === 'out of time').length + notRun.length} out of time.`,
);
for (const name of notRun) console.log(`not run: ${name}`);
if (full.length < all.length + notRun.length)
  console.log('The rest: npm run soak -- --resume --minutes 60');
process.exit(failed.length > 0 ? 1 : 0);
