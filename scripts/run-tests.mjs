// Runs all tests: checks, unit and store suites, build, e2e. Ends with a short text per failure and
// one line of counts.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from './build.mjs';
import { findBrowser } from './browser.mjs';
import { check } from './check.mjs';
import { browserFailures, outsideFailures, unitFailures } from './failures.mjs';
import { run } from './node.mjs';

const OUT = '.cache';
/**
 * The suites start hundreds of processes on the same sources. The cache strips types and compiles
 * each source once.
 */
const COMPILED = { NODE_COMPILE_CACHE: resolve(OUT, 'compiled') };

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

/**
 * The passed, failed and skipped tests of a run. A runner without a report counts as one failure.
 */
function countTests(report, code, getCounts) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const counts = getCounts(report);
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

export async function runTests(node) {
  mkdirSync(OUT, { recursive: true });
  for (const name of ['unit.json', 'unit-errors.json', 'e2e.json'])
    rmSync(`${OUT}/${name}`, { force: true });
  // Building uses one core while the checks use another.
  const [checks, built] = await Promise.all([check(node), build(node)]);
  for (const name of checks.failed) console.error(`check failed: ${name}`);
  const total = [
    { passed: checks.count - checks.failed.length, failed: checks.failed.length, skipped: 0 },
  ];
  const failures = checks.failed.map((name) => `check: ${name}`);

  const unit = await run(['node_modules/vitest/vitest.mjs', 'run'], {
    node,
    env: { ...COMPILED, UNIT_REPORTS: OUT },
  });
  const unitReport = readJson(`${OUT}/unit.json`);
  const unitFailed = [
    ...unitFailures(unitReport),
    ...outsideFailures(readJson(`${OUT}/unit-errors.json`)),
  ];
  failures.push(
    ...(unit !== 0 && unitFailed.length === 0
      ? [`unit tests: exit code ${unit} without a failed test`]
      : unitFailed),
  );
  total.push(
    countTests(unitReport, unit, (report) => ({
      passed: report.numPassedTests,
      failed:
        report.numFailedTests +
        report.testResults.filter(
          ({ status, assertionResults }) =>
            status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
        ).length,
      skipped: report.numPendingTests + report.numTodoTests,
    })),
  );

  if (built === 0) {
    const browser = findBrowser(node);
    const e2e = await run(['node_modules/@playwright/test/cli.js', 'test'], {
      node,
      env: {
        ...COMPILED,
        PLAYWRIGHT_JSON_OUTPUT_NAME: `${OUT}/e2e.json`,
        DAYBOOK_NODE: node,
        ...(browser ? { CHROMIUM: browser } : {}),
      },
    });
    const browserReport = readJson(`${OUT}/e2e.json`);
    const browserFailed = browserFailures(browserReport);
    failures.push(
      ...(e2e !== 0 && browserFailed.length === 0
        ? [`browser tests: exit code ${e2e} without a failed test`]
        : browserFailed),
    );
    total.push(
      countTests(browserReport, e2e, ({ stats }) => ({
        passed: stats.expected,
        failed: stats.unexpected + stats.flaky,
        skipped: stats.skipped,
      })),
    );
  } else {
    failures.push('build: failed (see its output above)');
    total.push({ passed: 0, failed: 1, skipped: 0 });
  }
  const sum = (outcome) => total.reduce((all, counts) => all + counts[outcome], 0);
  if (failures.length > 0)
    console.log(
      `\n--- Summary of ${failures.length} ${failures.length === 1 ? 'failure' : 'failures'} ---\n${failures.map((text, index) => `${index + 1}) ${text}`).join('\n')}`,
    );
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
}
