import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/**
 * Identifies a process, so that a later one with the same pid is not confused with it. Null:
 * unknown on this system.
 */
export interface ProcessOwner {
  readonly pid: number;
  readonly host: string;
  /** Clock ticks after boot at which it started. */
  readonly began: string | null;
  readonly boot: string | null;
  /** Pids are only comparable within one namespace (containers). */
  readonly pidSpace: string | null;
}

export const myself = async (): Promise<ProcessOwner> => ({
  pid: process.pid,
  host: hostname(),
  began: await beganAt(process.pid),
  boot: await bootId(),
  pidSpace: await pidSpaceId(),
});

/**
 * Returns whether the owner may still be alive. `hadSocket`: its socket exists and didn't answer,
 * which is the only evidence about an owner in another container. Without a socket, such an owner
 * counts as alive.
 */
export async function isAlive(owner: ProcessOwner, hadSocket: boolean): Promise<boolean> {
  const boot = await bootId();
  if (owner.boot !== null && boot !== null && owner.boot !== boot) return false;
  if (owner.pidSpace !== (await pidSpaceId())) return !hadSocket;
  if (!exists(owner.pid)) return false;
  const began = await beganAt(owner.pid);
  return owner.began === null || began === null || owner.began === began;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The start time is the 22nd field; the second, the program's name, may contain spaces and
 * brackets. A zombie has ended.
 */
async function beganAt(pid: number): Promise<string | null> {
  const stat = await quietly(readFile(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? null : fields[0] === 'Z' ? 'ended' : (fields[19] ?? null);
}

/** When the system started, in milliseconds since 1970; null: unknown on this system. */
export async function bootedAt(): Promise<number | null> {
  const seconds = /^btime (\d+)$/m.exec((await quietly(readFile('/proc/stat', 'utf8'))) ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

const bootId = async (): Promise<string | null> =>
  (await quietly(readFile('/proc/sys/kernel/random/boot_id', 'utf8')))?.trim() ?? null;
const pidSpaceId = (): Promise<string | null> => quietly(readlink('/proc/self/ns/pid'));

async function quietly<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch {
    return null;
  }
}
