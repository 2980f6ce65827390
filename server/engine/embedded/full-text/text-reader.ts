import type { Clock } from '#server/platform/app-context.ts';
import {
  makeLimitedReader,
  type ThreadLimits,
  type ThreadResult,
} from '#server/platform/threads/limited-reader.ts';
import { FOR_READING, TEXT_FORMATS, type TextFormat } from './text-format.ts';
import type { DocumentText } from './text-thread.ts';

/** Reads the words of contents, in threads (G67). */
export interface TextReader {
  read(format: TextFormat, bytes: Uint8Array): Promise<ThreadResult<string>>;
}
/** Reads the texts of documents for people, in threads (G67). */
export interface DocumentReader {
  read(format: TextFormat, bytes: Uint8Array): Promise<ThreadResult<DocumentText>>;
}

const LIMITS: ThreadLimits = {
  timeoutMs: 60_000,
  memoryMb: 512,
  script: new URL('./text-thread.ts', import.meta.url),
  maxRunning: 1,
  maxWaiting: 256,
};

export function makeTextReader(context: { readonly clock: Clock }): TextReader {
  const threads = makeLimitedReader<string>(context, LIMITS);
  return { read: (format, bytes) => threads.read(makeMessage(format, bytes, 0)) };
}

/** Somebody waits for it: the words of others don't hold it up. */
export function makeDocumentReader(
  context: { readonly clock: Clock },
  limits: Partial<ThreadLimits> = {},
): DocumentReader {
  const threads = makeLimitedReader<DocumentText>(context, {
    ...LIMITS,
    maxWaiting: 32,
    ...limits,
  });
  return { read: (format, bytes) => threads.read(makeMessage(format, bytes, FOR_READING)) };
}

function makeMessage(
  format: TextFormat,
  bytes: Uint8Array,
  purpose: number,
): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = TEXT_FORMATS.indexOf(format) | purpose;
  message.set(bytes, 1);
  return message;
}
