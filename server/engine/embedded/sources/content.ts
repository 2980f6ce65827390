import type { EngineError, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { ContentError } from '../../shared/content-error.ts';
import { joinBytes } from '../join-bytes.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';

/** Reads content into memory. */
export async function readContent(
  content: EngineResult<AsyncIterable<Uint8Array>>,
  maxBytes: Bytes,
): Reply<Uint8Array<ArrayBuffer>> {
  if (!content.ok) return content;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of content.value) {
      bytes += part.byteLength;
      if (bytes > maxBytes) return failed('invalid', t.itemTooLarge);
      parts.push(part);
    }
  } catch (error) {
    return { ok: false, error: contentFailure(error) };
  }
  return { ok: true, value: joinBytes(parts) };
}

/** Returns why content broke off. Anything else is a bug and thrown on. */
export function contentFailure(error: unknown): EngineError {
  if (error instanceof ContentError) return error.error;
  throw error;
}

/** Parses stored JSON. Undefined: it is none. A repository of another server may have anything. */
export function parseContent(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

/** Smaller files are read at once, several at a time; larger ones piece by piece, one at a time. */
export const SMALL_BYTES: Bytes = 4 * 1_048_576;

/** Content that throws a `ContentError` where it can't be read. */
export async function* streamContent(
  parts: AsyncIterable<EngineResult<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    if (!part.ok) throw new ContentError(part.error);
    yield part.value;
  }
}
