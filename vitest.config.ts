import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        // Nothing of these outlives its file: one process takes one file after the other, and what they share is loaded once.
        extends: true,
        test: { name: 'rooms', include: ['tests/*.test.ts', 'tests/{contract,machines,workers,src}/**/*.test.{ts,tsx}'], exclude, isolate: false },
      },
      {
        // Files of their own processes. The embedded database lives for one file, too short to be worth optimized code.
        extends: true,
        test: { name: 'server', include: ['tests/{server,sim}/**/*.test.ts'], exclude, setupFiles: ['tests/server/cheap-hashes.ts'], execArgv: ['--liftoff-only'] },
      },
    ],
  },
});
