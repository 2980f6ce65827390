/**
 * Preloaded into a server (`node --expose-gc --import`): writes to the file that MEMORY_FILE names how many
 * MB its main thread holds after a garbage collection, every few seconds.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 2_000;
const file = process.env['MEMORY_FILE'];

if (isMainThread && file !== undefined)
  setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(file, String((heapUsed + external) / 2 ** 20));
  }, EVERY_MS).unref();
