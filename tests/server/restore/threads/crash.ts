import { parentPort } from 'node:worker_threads';

/** A thread that mails bring down: each by its first byte. */
parentPort?.on('message', ([first]: Uint8Array) => {
  if (first === 1) throw new Error('a crash');
  if (first === 2) for (;;);
  if (first === 3) {
    const all: unknown[] = [];
    for (;;) all.push(Array.from({ length: 100_000 }, (_, n) => ({ n })));
  }
  if (first === 4) process.exit(7);
  parentPort?.postMessage({ subject: 'read' }, []);
});
