/** The thread that cuts, names and seals blobs. */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from '#server/platform/threads/thread-pool.ts';
import { type BlobAnswer, type BlobTask, makeTaskRunner } from './blob-tasks.ts';

const runTask = makeTaskRunner();
let turn: Promise<void> = Promise.resolve();
parentPort?.on('message', (task: BlobTask) => {
  turn = turn.then(() => answer(task));
});

async function answer(task: BlobTask): Promise<void> {
  try {
    const done = await runTask(task);
    post({ answer: done }, [done.bytes]);
  } catch (error) {
    // Without its message: that could have a part of the task, which has a key.
    post({ failed: error instanceof Error ? error.name : 'unknown' }, []);
  }
}

function post(message: ThreadAnswer<BlobAnswer>, transfer: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, transfer);
}
