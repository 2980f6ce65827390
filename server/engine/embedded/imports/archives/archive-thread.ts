/** The thread that reads archives. What it gets comes from strangers (G67). */
import { workerData } from 'node:worker_threads';
import type { ImportContent } from '#contract/engine/imports.ts';
import { answerSteps } from '../answer-steps.ts';
import { openArchive } from './open-file.ts';
import { readMailArchive } from './read-archive.ts';

/** What the thread is started with. */
export interface ArchiveTask {
  readonly path: string;
  readonly stem: string;
  readonly skippedEntries: number;
  readonly content: ImportContent;
}

const { path, stem, skippedEntries, content } = workerData as ArchiveTask;
answerSteps(openArchive(path, stem).then((file) => readMailArchive(file, skippedEntries, content)));
