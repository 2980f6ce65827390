import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ms } from '#contract/ids.ts';
import { answers, bind, type Listener } from './lock-socket.ts';
import { bootedAt, isAlive, myself, type ProcessOwner } from './owner.ts';
import { flushFolder } from '../flush-files.ts';
import { configMessages } from '../config.messages.en.ts';

/** Another process owns the folder. The message is for the operator. */
export class FolderHeld extends Error {
  constructor(dir: string, owner: Lock) {
    super(configMessages.folderInUse({ folder: dir, pid: String(owner.pid), host: owner.host }));
    this.name = 'FolderHeld';
  }
}

/** `socket`: the name of its socket in the folder; null if none could be bound. */
interface Lock extends ProcessOwner {
  readonly id: string;
  readonly at: Ms;
  readonly socket: string | null;
  readonly released: boolean;
}

/**
 * Makes this process the only one that works in the folder.
 * @throws FolderHeld if another process owns it
 *
 * A lock is a file `lock.<generation>`, created by a hard link, so that it appears atomically and
 * only once. The highest generation owns the folder:
 *
 *   lock.4 (its owner is dead)   ──▶  link lock.5   one of the contenders gets it
 *                                     check: if there is a lock.6, lock.5 came too late
 *                                     remove all below
 *
 * Only its owner removes or replaces the highest lock, so a live owner never loses it.
 */
export async function holdFolder(dir: string, now: Ms): Promise<{ release(): Promise<void> }> {
  const id = randomUUID();
  const listener = await bind(dir, `lock.${id}.sock`);
  const lock: Lock = {
    ...(await myself()),
    id,
    at: now,
    socket: listener?.name ?? null,
    released: false,
  };
  const draft = join(dir, `lock.${id}.new`);
  // On disk before it has its name, so that a power cut leaves no empty lock.
  await writeFile(draft, JSON.stringify(lock), { mode: 0o600, flush: true });
  try {
    const generation = await claim(dir, draft);
    flushFolder(dir);
    await sweep(dir, generation, id);
    return { release: () => release(dir, generation, lock, listener) };
  } catch (error) {
    await listener?.close();
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function claim(dir: string, draft: string): Promise<number> {
  for (;;) {
    const before = await highest(dir);
    if (before > 0) {
      const held = await lockAt(dir, before);
      if (held === null) continue; // removed by the owner of a higher one
      if (held === 'unreadable') await refuseUnreadable(dir, before);
      else if (!held.released && (await isActive(dir, held))) throw new FolderHeld(dir, held);
    }
    const mine = before + 1;
    if (!(await linked(draft, join(dir, `lock.${mine}`)))) continue;
    if ((await highest(dir)) === mine) return mine;
    await rm(join(dir, `lock.${mine}`), { force: true });
  }
}

/** A socket that accepts connections proves a live owner, whatever its pid looks like from here. */
const isActive = async (dir: string, lock: Lock): Promise<boolean> =>
  (lock.socket !== null && (await answers(dir, lock.socket))) ||
  (await isAlive(lock, lock.socket !== null));

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function highest(dir: string): Promise<number> {
  return Math.max(
    0,
    ...(await readdir(dir)).map((name) => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? 0)),
  );
}

async function lockAt(dir: string, generation: number): Promise<Lock | 'unreadable' | null> {
  try {
    const lock = JSON.parse(await readFile(join(dir, `lock.${generation}`), 'utf8')) as Lock | null;
    return typeof lock?.pid === 'number' && typeof lock.id === 'string' ? lock : 'unreadable';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

/**
 * A power cut may leave a lock of an earlier version incomplete or empty. It is dead if it is older
 * than this boot and nobody listens on a socket in the folder.
 * @throws if its owner may be alive
 */
async function refuseUnreadable(dir: string, generation: number): Promise<void> {
  const file = join(dir, `lock.${generation}`);
  const [boot, found] = await Promise.all([bootedAt(), stat(file).catch(() => null)]);
  if (found === null) return;
  const isOlder = boot !== null && found.mtimeMs < boot;
  if (isOlder && !(await hasListener(dir))) return;
  throw new Error(configMessages.lockUnreadable({ file }));
}

/** Whether somebody listens there who isn't just trying to get the folder, with a draft. */
async function hasListener(dir: string): Promise<boolean> {
  const names = new Set(await readdir(dir));
  const owners = [...names].filter(
    (name) => /^lock\..*\.sock$/.test(name) && !names.has(name.replace(/sock$/, 'new')),
  );
  return (await Promise.all(owners.map((name) => answers(dir, name)))).includes(true);
}

/**
 * Removes what lower generations left. Drafts and sockets of processes that are trying now stay:
 * those processes remove them.
 */
async function sweep(dir: string, generation: number, id: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const lower = /^lock\.(\d+)$/.exec(name);
    if (!lower || Number(lower[1]) >= generation) continue;
    const dead = await lockAt(dir, Number(lower[1]));
    if (dead !== null && dead !== 'unreadable' && dead.socket !== null && dead.id !== id)
      await rm(join(dir, dead.socket), { force: true });
    await rm(join(dir, name), { force: true });
  }
}

async function release(
  dir: string,
  generation: number,
  lock: Lock,
  listener: Listener | null,
): Promise<void> {
  const free = join(dir, `lock.${lock.id}.new`);
  await writeFile(free, JSON.stringify({ ...lock, released: true }), { mode: 0o600, flush: true });
  await rename(free, join(dir, `lock.${generation}`));
  await listener?.close();
}
