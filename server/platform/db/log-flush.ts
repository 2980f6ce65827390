import fs from 'node:fs';
import { promisify } from 'node:util';
import { advance, type FlushedPosition, getFlushed, type Unflushed } from './durable-folder.ts';

/** Flushes the write-ahead log of the embedded database for the transactions that wait for it. */
export interface LogFlush {
  /** Takes in the end of the log after an answer of the database, and begins to flush it. */
  add(end: Unflushed): void;
  /**
   * Resolves when the log is on disk up to the last answer that came before this call. All calls
   * that wait share one flush. Rejects if the disk fails.
   */
  finish(): Promise<void>;
  /** Closes the file of the log when the last flush is done. */
  close(): Promise<void>;
}

/** `fail` is called at the first failure, after which nothing is flushed. */
export function makeLogFlush(flushed: FlushedPosition, fail: (error: Error) => void): LogFlush {
  let end: Unflushed | null = null;
  let isRunning = false;
  let isClosed = false;
  let file: { readonly path: string; readonly fd: number } | null = null;
  let failure: Error | null = null;

  const isFinished = (position: bigint): boolean => getFlushed(flushed) >= position;

  /** Flushes until the end that was last known. Earlier files were flushed before this one began. */
  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (let next = end; next !== null && !isFinished(next.position); next = end) {
        const { path, position } = next;
        try {
          if (file?.path !== path) {
            await closeFile();
            file = { path, fd: await openFile(path, 'r+') };
          }
          await flushFile(file.fd);
        } catch (error) {
          // The database renames a file of its log only after it has flushed it.
          if (isFinished(position)) continue;
          throw error;
        }
        advance(flushed, position);
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
      if (isClosed) await closeFile();
    }
  }

  const waiting: {
    readonly position: bigint;
    resolve(): void;
    reject(error: Error): void;
  }[] = [];
  function settle(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isFinished(next.position)) next.resolve();
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

  return {
    add(next) {
      end = next;
      if (failure === null && !isRunning) void run();
    },
    finish() {
      const position = end?.position ?? 0n;
      if (isFinished(position)) return Promise.resolve();
      if (failure !== null) return Promise.reject(failure);
      return new Promise((resolve, reject) => void waiting.push({ position, resolve, reject }));
    },
    async close() {
      isClosed = true;
      if (!isRunning) await closeFile();
    },
  };
}

const openFile = promisify(fs.open);
const flushFile = (fd: number): Promise<void> => promisify(fs.fdatasync)(fd);
