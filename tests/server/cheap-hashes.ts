import { vi } from 'vitest';

// A hash is made to cost most of a core for a moment, and every user of every test has one. Set up
// before each file of the server's suites, this makes them cheap; the project `hashes` does
// without, for the files in which the work itself is tested.
vi.mock(import('@node-rs/argon2'), async (original) => {
  const real = await original();
  return {
    ...real,
    hash: (password, options) => real.hash(password, { ...options, memoryCost: 64, timeCost: 1 }),
  };
});
