import { hash, verify } from '@node-rs/argon2';
import { makeQueue } from '../http/concurrency.ts';

/** argon2id, 19 MiB, two passes (G35). The library's default kind is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** A hash costs 19 MiB and most of a core: two at a time, and a bounded line. */
const line = makeQueue(2, 50);
/**
 * The hash of a password that nobody has: checked where there is no user, so that both cases take
 * the same time.
 */
let nobody: Promise<string> | null = null;

/** Null: too many are waiting. */
export const hashPassword = (password: string): Promise<string> | null =>
  line.run(() => hash(password, COST));

/**
 * Always computes one hash, also where there is none to compare with. Null: too many are waiting.
 */
export function checkPassword(stored: string | null, password: string): Promise<boolean> | null {
  nobody ??= hash('no such user', COST);
  const decoy = nobody;
  return line.run(async () => {
    const right = await verify(stored ?? (await decoy), password);
    return right && stored !== null;
  });
}
