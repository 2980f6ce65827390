import { vi } from 'vitest';

// A hash of a password and the key of a repository are made to cost a core for a moment, and nearly
// every test makes or opens some. Set up before each file of the server's suites, this makes them
// cheap. Real ones are tested by the project `hashes` and by `keys.test.ts`.
vi.mock(import('@node-rs/argon2'), async (original) => {
  const real = await original();
  return {
    ...real,
    hash: (password, options) => real.hash(password, { ...options, memoryCost: 64, timeCost: 1 }),
  };
});
vi.mock(import('#server/engine/embedded/restic/keys.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    addRepositoryKey: (...[target, master, password, tools, cost, note]) =>
      real.addRepositoryKey(target, master, password, tools, cost ?? { N: 16, r: 8, p: 1 }, note),
  };
});
