/**
 * The thread of blobs. It writes a line for each task into the file that the environment names:
 * `THREAD KIND`. It ends at as many tasks as the other file has letters.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { parentPort, threadId } from 'node:worker_threads';

const { BLOB_THREAD_LOG: log = '', BLOB_THREAD_ENDS: ends = '' } = process.env;

// First, so that it is called before the thread's own listener.
parentPort?.on('message', ({ kind }: { readonly kind: string }) => {
  appendFileSync(log, `${threadId} ${kind}\n`);
  const left = readFileSync(ends, 'utf8');
  writeFileSync(ends, left.slice(1));
  if (left !== '') process.exit(1);
});
await import('#server/engine/embedded/restic/blob-thread.ts');
