/** A thread that reads archives and is killed by one of their entries. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ArchiveTask } from '#server/engine/embedded/imports/archives/archive-thread.ts';
import { openArchive } from '#server/engine/embedded/imports/archives/open-file.ts';
import { readMailArchive } from '#server/engine/embedded/imports/archives/read-archive.ts';

const { path, stem, skippedEntries } = workerData as ArchiveTask;
const steps = openArchive(path, stem).then((file) => readMailArchive(file, skippedEntries));
let isDoomed = false;
parentPort?.on('message', () => void answer());

async function answer(): Promise<void> {
  if (isDoomed) process.exit(1);
  const next = await (await steps).next();
  const step = next.done === true ? null : next.value;
  isDoomed = step?.kind === 'reading' && step.name === '2.eml';
  parentPort?.postMessage(step, []);
}
