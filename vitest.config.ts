import { defineConfig } from 'vitest/config';
import { reportUnhandledErrors } from './tests/unhandled-errors.ts';

const exclude = ['**/node_modules/**'];
const eachFile = 'tests/server/each-file.ts';
const propertyReports = 'tests/property-reports.ts';
/** Optimizing the code of the embedded database costs minutes of a core, which no run wins back. */
const execArgv = ['--liftoff-only', '--stack-trace-limit=40'];
/** Those that test the work of a hash. */
const HASHES = ['sessions', 'recovery-timing', 'sign-in', 'timing'].map(
  (name) => `tests/server/auth/${name}.test.ts`,
);

/** Where `npm test` finds what failed. */
const reports = process.env['UNIT_REPORTS'];

export default defineConfig({
  test: {
    // These end a test that hangs. They are no measure of speed: a busy machine may take its time.
    testTimeout: 300_000 * Number(process.env['PROOF'] ?? 1),
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Summaries of a run show messages only, so they name the values.
    chaiConfig: { truncateThreshold: 500 },
    globalSetup: 'tests/run-folder.ts',
    reporters: [
      'default',
      ...(reports === undefined
        ? []
        : [
            ['json', { outputFile: `${reports}/unit.json` }] as const,
            reportUnhandledErrors(`${reports}/unit-errors.json`),
          ]),
    ],
    pool: 'forks',
    // One more than the cores of a small machine: many tests wait for a database or another program.
    maxWorkers: 3,
    // Nothing outlives its file: one process takes one file of a project after the other, and what
    // they share (code, the embedded database) is made ready once.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/*.test.ts', 'tests/{contract,machines,workers,src}/**/*.test.{ts,tsx}'],
          exclude,
          setupFiles: [propertyReports],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['tests/{server,sim}/**/*.test.ts'],
          exclude: [...exclude, ...HASHES],
          setupFiles: [propertyReports, eachFile, 'tests/server/cheap-keys.ts'],
          execArgv,
        },
      },
      {
        extends: true,
        test: {
          name: 'hashes',
          include: HASHES,
          exclude,
          setupFiles: [propertyReports, eachFile],
          execArgv,
        },
      },
    ],
  },
});
