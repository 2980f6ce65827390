/** The thread that reads archives. What it gets comes from strangers (G67). */
import { parentPort, workerData } from 'node:worker_threads';
import { openArchive } from './open-file.ts';
import { type ArchiveStep, readArchive } from './read-archive.ts';

/** What the thread is started with. */
export interface ArchiveTask {
  readonly path: string;
  readonly stem: string;
  readonly skippedEntries: number;
}

const { path, stem, skippedEntries } = workerData as ArchiveTask;
const steps = openArchive(path, stem).then((file) => readArchive(file, skippedEntries));

/** Each message asks for the next step; null: there is none. */
parentPort?.on('message', () => void answer());

async function answer(): Promise<void> {
  const next = await (await steps).next();
  const step: ArchiveStep | null = next.done === true ? null : next.value;
  // A mail is handed over, not copied.
  parentPort?.postMessage(step, step?.kind === 'mail' ? [step.mime.buffer] : []);
}
