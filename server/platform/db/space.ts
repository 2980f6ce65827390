import { AsyncLocalStorage } from 'node:async_hooks';
import { createCipheriv } from 'node:crypto';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ms } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';

const MB = 1024 * 1024;
/** PostgreSQL allocates its log in pieces of 16 MB. */
const LOG_SEGMENT_BYTES = 16 * MB;

/**
 * Returns the floor below which only essential writes are made: 64 MB, or 5 % of the disk if that
 * is less, but at least one and a half pieces of the database's log. Below `LAST_BYTES` nothing is
 * written at all.
 */
export const getFloor = (totalBytes: number): number =>
  Math.max(1.5 * LOG_SEGMENT_BYTES, Math.min(64 * MB, Math.floor(totalBytes * 0.05)));
const LAST_BYTES = 4 * MB;
/**
 * Writes resume at this multiple of the floor, so that they don't stop and start with every removed
 * file.
 */
const RESUME = 1.1;
/** Restarting a stopped database takes one piece of its log. The reserve is released for it. */
const RESERVE_BYTES = LOG_SEGMENT_BYTES + 4 * MB;

/** `low`: only essential writes. `full`: none. */
export type SpaceState = 'ok' | 'low' | 'full';
export interface DiskSpace {
  readonly state: SpaceState;
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly floorBytes: number;
}
/** A disk with an embedded database. `flushes`: changes are on it before they are confirmed. */
export interface DatabaseDisk extends DiskSpace {
  readonly flushes: boolean;
}

export interface SpaceWatch {
  /** Returns the state of the disk, at most `FRESH_MS` old. */
  look(): Promise<DiskSpace>;
  /** Call after a write found no space: the next `look` reads the disk again. */
  expire(): void;
  /** Releases the reserve if there is too little space to open the database. */
  makeRoom(): Promise<void>;
  stop(): void;
}

/** How long a reading is valid, and how often the disk is read anyway. */
const FRESH_MS: Ms = 200;
const EVERY_MS: Ms = 2_000;

/** Watches the disk of the data folder. Logs one line per change of state. */
export async function watchSpace(dataDir: string, clock: Clock, log: Log): Promise<SpaceWatch> {
  const reserve = join(dataDir, 'reserve');
  let last: DiskSpace = await read('ok');
  let at = clock.now();
  let stopped = false;
  let looking: Promise<DiskSpace> | null = null;
  let timer: { cancel(): void } | null = null;
  let expirations = 0;

  async function read(before: SpaceState): Promise<DiskSpace> {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    const freeBytes = bavail * bsize;
    const totalBytes = blocks * bsize;
    const floorBytes = getFloor(totalBytes);
    const enough = before === 'ok' ? floorBytes : floorBytes * RESUME;
    return {
      state: freeBytes < LAST_BYTES ? 'full' : freeBytes < enough ? 'low' : 'ok',
      freeBytes,
      totalBytes,
      floorBytes,
    };
  }

  async function look(): Promise<DiskSpace> {
    const now = clock.now();
    if (now >= at && now - at < FRESH_MS) return last;
    if (looking !== null) return looking;
    const mine = renew().finally(() => {
      if (looking === mine) looking = null;
    });
    return (looking = mine);
  }

  async function renew(): Promise<DiskSpace> {
    const before = expirations;
    let next = await read(last.state);
    if (before !== expirations) return look();
    // The reserve is for users who sign in and read.
    if (next.state === 'full' && (await giveUp())) next = await read(last.state);
    if (next.state !== last.state) {
      const fields = { freeBytes: next.freeBytes, floorBytes: next.floorBytes };
      if (next.state === 'ok') log.info('disk space is back: writes go on', fields);
      else if (next.state === 'low')
        log.error('disk space is low: only essential writes are made', fields);
      else log.error('the disk is full: nothing is written', fields);
    }
    at = clock.now();
    return (last = next);
  }

  /** Returns whether there was a reserve. */
  async function giveUp(): Promise<boolean> {
    if ((await stat(reserve).catch(() => null)) === null) return false;
    await rm(reserve, { force: true });
    log.warn('the reserved disk space was released', { bytes: RESERVE_BYTES });
    return true;
  }

  /** Restores the reserve if the disk has room for it. */
  async function keepReserve({ state, freeBytes, floorBytes }: DiskSpace): Promise<void> {
    if (
      state !== 'ok' ||
      freeBytes < RESERVE_BYTES + 2 * floorBytes ||
      (await stat(reserve).catch(() => null)) !== null
    )
      return;
    await writeFile(reserve, unpackable(RESERVE_BYTES), { mode: 0o600 }).catch(() =>
      rm(reserve, { force: true }),
    );
  }

  async function poll(): Promise<void> {
    await keepReserve(await look()).catch((error: unknown) => {
      log.warn('the disk space could not be looked at', { error });
    });
    if (!stopped) timer = clock.after(EVERY_MS, () => void poll());
  }
  void poll();

  return {
    look,
    expire() {
      expirations += 1;
      at = -Infinity;
      // A read in progress may have started before the disk was full.
      looking = null;
    },
    async makeRoom() {
      if ((await read('ok')).freeBytes < RESERVE_BYTES) await giveUp();
    },
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** Returns bytes that a compressing file system can't shrink; always the same ones. */
function unpackable(bytes: number): Uint8Array {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(bytes),
  );
}

const essential = new AsyncLocalStorage<true>();
/**
 * Marks the writes of `work` as essential: they use the last of the space, so that users can sign
 * in and read.
 */
export const withEssentialWrites = <T>(work: () => T): T => essential.run(true, work);

/** Returns whether a write in the current context has to wait for space. */
export const isPaused = (state: SpaceState): boolean =>
  state === 'full' || (state === 'low' && essential.getStore() !== true);
