import { hash, verify } from '@node-rs/argon2';
import { makeQueue } from '../http/concurrency.ts';

/** argon2id, 19 MiB, two passes (G35). argon2id is the library's default. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** A hash costs 19 MiB and most of a core, so at most two run at a time, with a bounded queue. */
const line = makeQueue(2, 50);
/**
 * The hash of a random password. It is checked for unknown users, so that both cases take the same
 * time.
 */
let nobody: Promise<string> | null = null;

/** Returns null if the queue is full. */
export const hashPassword = (password: string): Promise<string> | null =>
  line.run(() => hash(password, COST));

/**
 * Always computes one hash, even without a stored one to compare with. Returns null if the queue is
 * full.
 */
export function checkPassword(stored: string | null, password: string): Promise<boolean> | null {
  nobody ??= hash('no such user', COST);
  const decoy = nobody;
  return line.run(async () => {
    const right = await verify(stored ?? (await decoy), password);
    return right && stored !== null;
  });
}
