/** A thread that reads mutations of one PST file, each of them as an entry. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { answerSteps } from '#server/engine/embedded/imports/answer-steps.ts';
import {
  type ArchiveStep,
  readMailArchive,
} from '#server/engine/embedded/imports/archives/read-archive.ts';
import { makeFraction, mutate } from './mutations.ts';

export interface MutatedTask {
  readonly path: string;
  readonly files: number;
  readonly skippedFiles: number;
  readonly seed: number;
}

const { path, files, skippedFiles, seed } = workerData as MutatedTask;
const original = readFileSync(path);
const file = join(mkdtempSync(join(tmpdir(), 'daybook-mutated-')), 'mutated.pst');
process.once('exit', () => rmSync(file, { force: true }));

/** More entries than the file has came out of a ring. */
const MAX_ENTRIES = 200;

async function* readMutations(): AsyncGenerator<ArchiveStep, void> {
  for (let n = skippedFiles; n < files; n++) {
    yield { kind: 'reading', path: ['mutated'], name: `${n}`, position: n };
    const mutated = mutate(original, makeFraction(seed + n));
    writeFileSync(file, mutated);
    let entries = 0;
    const archive = {
      stem: 'mutated',
      filePath: file,
      bytes: mutated.length,
      read: (from: number, count: number) =>
        Promise.resolve(Buffer.from(mutated.subarray(from, from + count))),
    };
    for await (const step of readMailArchive(archive, 0)) if (step.kind === 'reading') entries += 1;
    if (entries > MAX_ENTRIES) throw new Error('There are more entries than in the file.');
    yield { kind: 'skipped', reason: 'other' };
  }
}

answerSteps(Promise.resolve(readMutations()));
