import fs from 'node:fs';
import { promisify } from 'node:util';
import type { Acknowledged } from './acknowledged.ts';
import {
  advance,
  type FlushedPosition,
  getFlushed,
  getFlushedEnd,
  type Unflushed,
} from './durable-folder.ts';

/** Flushes the write-ahead log of the embedded database for the transactions that wait for it. */
export interface LogFlush {
  /** Takes in the end of the log after an answer of the database, and begins to flush it. */
  add(end: Unflushed): void;
  /**
   * Resolves when the log is on disk up to the last answer that came before this call, and this is
   * noted beside the log. All calls that wait share one flush. Rejects if the disk fails.
   */
  finish(): Promise<void>;
  /** Closes its files when the last flush is done. */
  close(): Promise<void>;
}

/** `fail` is called at the first failure, after which nothing is flushed. */
export function makeLogFlush(
  flushed: FlushedPosition,
  acknowledged: Acknowledged,
  fail: (error: Error) => void,
): LogFlush {
  let end: Unflushed | null = null;
  let isRunning = false;
  let isClosed = false;
  let file: { readonly path: string; readonly fd: number } | null = null;
  let failure: Error | null = null;
  /** The value of `acknowledged`. The database's thread flushes, too. */
  let noted = 0n;

  const isFinished = (position: bigint): boolean => getFlushed(flushed) >= position;
  const isNoted = (): boolean => noted >= getFlushedEnd(flushed);

  /** Flushes until the end that was last known. Earlier files were flushed before this one began. */
  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (;;) {
        if (end !== null && !isFinished(end.position)) await flushOnce(end);
        else if (isNoted()) break;
        const reached = getFlushedEnd(flushed);
        if (reached > noted) await acknowledged.write(reached);
        noted = reached;
        settle();
      }
    } catch (error) {
      failure = new Error('Connection terminated: the disk did not flush the log', {
        cause: error,
      });
      fail(failure);
    } finally {
      isRunning = false;
      settle();
      if (isClosed) await closeAll();
    }
  }

  async function flushOnce({ path, position, end: last }: Unflushed): Promise<void> {
    try {
      if (file?.path !== path) {
        await closeFile();
        file = { path, fd: await openFile(path, 'r+') };
      }
      await flushFile(file.fd);
    } catch (error) {
      // The database renames a file of its log only after it has flushed it.
      if (isFinished(position)) return;
      throw error;
    }
    advance(flushed, { position, end: last });
  }

  const waiting: {
    readonly position: bigint;
    readonly end: bigint;
    resolve(): void;
    reject(error: Error): void;
  }[] = [];
  function settle(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isFinished(next.position) && noted >= next.end) next.resolve();
      else if (failure !== null) next.reject(failure);
      else return;
      waiting.shift();
    }
  }

  async function closeFile(): Promise<void> {
    const before = file;
    file = null;
    if (before !== null) await promisify(fs.close)(before.fd);
  }

  /** The end of a closed database is known, too. */
  async function closeAll(): Promise<void> {
    await closeFile();
    const reached = getFlushedEnd(flushed);
    if (failure === null && reached > noted)
      await acknowledged.write(reached).catch(() => undefined);
    await acknowledged.close();
  }

  return {
    add(next) {
      end = next;
      if (failure === null && !isRunning) void run();
    },
    finish() {
      const position = end?.position ?? 0n;
      if (isFinished(position) && isNoted()) return Promise.resolve();
      if (failure !== null) return Promise.reject(failure);
      const written = end?.end ?? 0n;
      const flushedEnd = getFlushedEnd(flushed);
      const last = written > flushedEnd ? written : flushedEnd;
      return new Promise((resolve, reject) => {
        waiting.push({ position, end: last, resolve, reject });
        if (!isRunning) void run();
      });
    },
    async close() {
      isClosed = true;
      if (!isRunning) await closeAll();
    },
  };
}

const openFile = promisify(fs.open);
const flushFile = (fd: number): Promise<void> => promisify(fs.fdatasync)(fd);
