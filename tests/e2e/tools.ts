import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Backup tools for the tests: those that are here, or that can be had from Debian's packages as
 * root.
 */
export function toolMissing(name: string, pack: string): string | null {
  if (has(name)) return null;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return `${name} is not installed`;
  const quiet = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  // Several tests may install something at once.
  spawnSync('apt-get', ['install', '-y', '-qq', '-o', 'DPkg::Lock::Timeout=300', pack], quiet);
  return has(name) ? null : `${name} could not be installed`;
}

const has = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

export interface Ran {
  readonly status: number;
  readonly said: string;
  readonly endedAt: number;
}

/**
 * Runs a shell line to its end, as `user` (a number) where given: an unreadable file is readable
 * for root.
 */
export function runLine(
  line: string,
  env: Readonly<Record<string, string>> = {},
  user?: number,
): Ran {
  const done = spawnSync('bash', ['-c', line], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  return { status: done.status ?? -1, said: `${done.stdout}${done.stderr}`, endedAt: Date.now() };
}

/**
 * A user who is nobody, to whom a file can be closed. Null where we are not root and the present
 * user will do.
 */
export const nobody = (): number | undefined => (process.getuid?.() === 0 ? 65_534 : undefined);
