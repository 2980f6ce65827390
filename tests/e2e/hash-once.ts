/**
 * Hashes each password once in this process, which makes many users with one password. Import it
 * before the server's code.
 */
import { createRequire } from 'node:module';

type Hash = (password: string, options: object) => Promise<string>;

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { hash: Hash };
const { hash } = argon2;
const known = new Map<string, Promise<string>>();
argon2.hash = (password, options) => {
  const key = JSON.stringify([password, options]);
  const hashed = known.get(key) ?? hash(password, options);
  known.set(key, hashed);
  return hashed;
};
