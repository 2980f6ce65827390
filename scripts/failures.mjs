// Summarizes the failures of a run, a few lines each, from the reports of the test runners.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const MAX_LINES = 20;
const MAX_CHARS = 2_000;
const MAX_FRAMES = 6;

/** Returns the first lines of an error, without colors and stack. */
function shorten(message) {
  const lines = stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  const text = lines.slice(0, MAX_LINES).join('\n    ');
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

/**
 * Returns one text per failed test or file. `report`: Vitest's JSON report, or null if the run left
 * none.
 */
export function unitFailures(report) {
  if (!report) return ['unit tests: the run ended without a report'];
  return report.testResults.flatMap((file) => {
    const name = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0)
      return file.status === 'failed' ? [`${name}\n    ${shorten(file.message)}`] : [];
    return failed.map(
      (test) => `${name} › ${test.fullName}\n    ${shorten(test.failureMessages[0])}`,
    );
  });
}

/**
 * Returns one text per error outside of tests, with where it began. `errors`: those of
 * `tests/unhandled-errors.ts`, or null if the run left none.
 */
export function outsideFailures(errors) {
  return (errors ?? []).map(({ path, message, stack }) => {
    const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
    const own = frames.filter((line) => !line.includes('node_modules')).slice(0, MAX_FRAMES);
    return [
      `outside of a test, while ${relative(process.cwd(), path)} ran`,
      `    ${shorten(message)}`,
      ...own,
    ].join('\n');
  });
}

/**
 * Returns one text per failed test, or error outside of tests. `report`: Playwright's JSON report,
 * or null if the run left none.
 */
export function browserFailures(report) {
  if (!report) return ['browser tests: the run ended without a report'];
  const inSuite = (suite, titles) => [
    ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, [...titles, inner.title])),
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ results }) => {
          const error = results.flatMap(({ errors }) => errors)[0];
          return `tests/e2e/${spec.file}:${spec.line} › ${[...titles, spec.title].join(' › ')}\n    ${shorten(error?.message)}`;
        }),
    ),
  ];
  return [
    ...report.suites.flatMap((suite) => inSuite(suite, [])),
    ...(report.errors ?? []).map(({ message }) => shorten(message)),
  ];
}
