import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes the errors outside of tests, which Vitest's JSON report leaves out, to a file. */
export const reportUnhandledErrors = (file: string): Reporter => ({
  onTestRunEnd(_modules, errors) {
    const texts = errors.map(
      ({ stack, name, message, VITEST_TEST_PATH: path = 'no test file' }) => ({
        path,
        message: `${name ?? 'Error'}: ${message}`,
        stack: stack ?? '',
      }),
    );
    writeFileSync(file, JSON.stringify(texts));
  },
});
