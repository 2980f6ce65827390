import type { Clock } from '#server/platform/app-context.ts';
import { makeLimitedReader, type ThreadResult } from '#server/platform/threads/limited-reader.ts';
import { TEXT_FORMATS, type TextFormat } from './text-format.ts';

/** Reads the words of contents, in threads (G67). */
export interface TextReader {
  read(format: TextFormat, bytes: Uint8Array): Promise<ThreadResult<string>>;
}

export function makeTextReader(context: { readonly clock: Clock }): TextReader {
  const threads = makeLimitedReader<string>(context, {
    timeoutMs: 60_000,
    memoryMb: 512,
    script: new URL('./text-thread.ts', import.meta.url),
    maxRunning: 1,
    maxWaiting: 256,
  });
  return {
    read(format, bytes) {
      const message = new Uint8Array(bytes.length + 1);
      message[0] = TEXT_FORMATS.indexOf(format);
      message.set(bytes, 1);
      return threads.read(message);
    },
  };
}
