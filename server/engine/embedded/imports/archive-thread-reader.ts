import { Worker } from 'node:worker_threads';
import type { ImportContent } from '#contract/engine/imports.ts';
import type { Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { ContentError } from '../../shared/content-error.ts';
import type { ArchiveTask } from './archives/archive-thread.ts';
import type { ArchiveStep, CutStep, EntryPlace } from './archives/read-archive.ts';
import { importMessages as t } from './messages.en.ts';

/** An entry of an archive, read. `lost`: it broke the thread, or took too long. */
export type ReadEntry = EntryPlace &
  (
    | Extract<ArchiveStep, { kind: 'mail' | 'file' | 'outlook' | 'known' | 'skipped' | 'failed' }>
    | LargeFile
    | { readonly kind: 'lost' }
  );
/** A file that is not read as a whole. */
export interface LargeFile {
  readonly kind: 'large';
  readonly modifiedAt: Ms | null;
  readonly version?: string;
  /** To be read to its end. Throws a `ContentError` if that doesn't come. */
  readonly content: AsyncIterable<Uint8Array>;
  /** How it ended; null: it wasn't read to its end. */
  readonly getEnd: () => LargeEnd | null;
}
export type LargeEnd = ArchiveStep | null | 'broken' | 'stopped';
export type EntryCount = Extract<ArchiveStep, { kind: 'listed' }>;
export type MailStates = Extract<ArchiveStep, { kind: 'states' }>;
/** What comes between the entries, and says something about others. */
export type EntryNote = EntryCount | MailStates;
/** The last one: `damaged`, `unknown`: the rest of the archive, or all of it, can't be read. */
export type ArchiveEnd = { readonly kind: 'end' | 'damaged' | 'unknown' } | CutStep;

export interface ReaderLimits {
  /** For what one entry is. */
  readonly timeoutMs: Ms;
  /** Until the next entry. */
  readonly waitMs: Ms;
  readonly memoryMb: number;
  /** The thread's program. */
  readonly script: URL;
  /** Entries that may break the thread before the archive counts as damaged. */
  readonly maxLost: number;
}

const LIMITS: ReaderLimits = {
  timeoutMs: 60_000,
  waitMs: 60_000,
  memoryMb: 512,
  script: new URL('./archives/archive-thread.ts', import.meta.url),
  maxLost: 100,
};

interface ArchivePlace {
  readonly path: string;
  readonly stem: string;
  /** Entries that were read before. */
  readonly skippedEntries: number;
  readonly content: ImportContent;
}

/** Reads an archive in a thread. */
export const readInThread = (
  context: { readonly clock: Clock },
  { skippedEntries, ...place }: ArchivePlace,
  signal: AbortSignal,
  limits: Partial<ReaderLimits> = {},
): AsyncGenerator<ReadEntry | EntryNote | ArchiveEnd, void> =>
  readEntries(
    context,
    (n): ArchiveTask => ({ ...place, skippedEntries: skippedEntries + n }),
    signal,
    limits,
  );

/**
 * Reads entries in a thread with little memory and time (G67). An entry that breaks the thread is
 * lost alone: another thread continues with the next one. `getTask` returns what a thread starts
 * with, after the given number of entries.
 */
export async function* readEntries(
  { clock }: { readonly clock: Clock },
  getTask: (readEntries: number) => unknown,
  signal: AbortSignal,
  limits: Partial<ReaderLimits>,
): AsyncGenerator<ReadEntry | EntryNote | ArchiveEnd, void> {
  const { timeoutMs, waitMs, memoryMb, script, maxLost } = { ...LIMITS, ...limits };
  let n = 0;
  for (let lost = 0; ; lost++) {
    const thread = new Worker(script, {
      workerData: getTask(n),
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // What a library writes there would be of the archive.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    // Without a listener, its end would end the server.
    thread.on('error', () => undefined);
    let place: EntryPlace | null = null;
    /** The one that broke the thread was passed on already. */
    let isGivenUp = false;
    try {
      for (;;) {
        const step = await getStep(clock, thread, place === null ? waitMs : timeoutMs, signal);
        if (step === 'stopped') return;
        if (step === 'broken') break;
        if (step === null) return yield { kind: 'end' };
        if (step.kind === 'damaged' || step.kind === 'unknown') return yield { kind: step.kind };
        if (step.kind === 'cut') return yield step;
        if (step.kind === 'listed' || step.kind === 'states') {
          yield step;
          continue;
        }
        if (step.kind === 'reading') {
          const { kind: _kind, ...found } = step;
          place = found;
          continue;
        }
        if (place === null) throw new Error('An entry came without its place.');
        if (step.kind === 'whole') throw new Error('A file ended before it began.');
        if (step.kind === 'part') {
          const file = readLarge(step, () => getStep(clock, thread, waitMs, signal));
          yield { ...place, ...file };
          const end = file.getEnd();
          if (end === null || end === 'stopped') return;
          if (end !== 'broken' && end.kind === 'cut') return yield end;
          n += 1;
          place = null;
          isGivenUp = end === 'broken';
          if (isGivenUp) break;
          continue;
        }
        n += 1;
        yield { ...place, ...step };
        place = null;
      }
    } finally {
      await thread.terminate();
    }
    if (isGivenUp && lost < maxLost) continue;
    // The beginning of the next entry is unknown.
    if (place === null || lost >= maxLost) return yield { kind: 'damaged' };
    n += 1;
    yield { ...place, kind: 'lost' };
  }
}

/** Passes the parts of a file on as the thread reads them. */
function readLarge(
  first: Extract<ArchiveStep, { kind: 'part' }>,
  getNext: () => Promise<LargeEnd>,
): LargeFile {
  let end: LargeEnd = null;
  const { modifiedAt, version } = first;
  async function* read(): AsyncGenerator<Uint8Array, void> {
    let next: LargeEnd = first;
    while (next !== null && typeof next === 'object' && next.kind === 'part') {
      yield next.content;
      next = await getNext();
    }
    end = next ?? 'broken';
    if (typeof end === 'string' || end.kind !== 'whole')
      throw new ContentError({ kind: 'damaged', message: t.failedDamaged });
  }
  return {
    kind: 'large',
    modifiedAt,
    ...(version !== undefined && { version }),
    content: read(),
    getEnd: () => end,
  };
}

function getStep(
  clock: Clock,
  thread: Worker,
  timeoutMs: Ms,
  signal: AbortSignal,
): Promise<ArchiveStep | null | 'broken' | 'stopped'> {
  if (signal.aborted) return Promise.resolve('stopped');
  return new Promise((resolve) => {
    const timer = clock.after(timeoutMs, () => end('broken'));
    function end(result: ArchiveStep | null | 'broken' | 'stopped'): void {
      timer.cancel();
      thread.off('message', end);
      thread.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    }
    const onExit = (): void => end('broken');
    const onAbort = (): void => end('stopped');
    thread.once('message', end);
    thread.once('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.postMessage(null, []);
  });
}
