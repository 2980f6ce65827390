import { hashPassword } from '#server/platform/crypto/passwords.ts';

/**
 * CPU time of one hash of a password on this machine, in ms: the least of ten. For files in which
 * hashes are as they are.
 */
export async function workOfHash(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const before = process.cpuUsage();
    await hashPassword('quiet-ledger-morning-340');
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
}
