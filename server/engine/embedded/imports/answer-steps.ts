import { parentPort } from 'node:worker_threads';
import type { ArchiveStep } from './archives/read-archive.ts';

const getBuffers = (step: ArchiveStep | null): ArrayBuffer[] =>
  step?.kind === 'mail'
    ? [step.mime.buffer]
    : step?.kind === 'file' || step?.kind === 'part'
      ? [step.content.buffer]
      : [];

/**
 * Answers each message to the thread with the next step; null: there is none. What a reader gets comes
 * from strangers (G67).
 */
export function answerSteps(reading: Promise<AsyncIterator<ArchiveStep, void>>): void {
  async function answer(): Promise<void> {
    const next = await (await reading).next();
    const step: ArchiveStep | null = next.done === true ? null : next.value;
    // Content is transferred, not copied.
    parentPort?.postMessage(step, getBuffers(step));
  }
  parentPort?.on('message', () => void answer());
}
