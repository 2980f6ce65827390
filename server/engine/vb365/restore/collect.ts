import type { Content } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { OpenedFile } from '#server/platform/systems/client.ts';

/** What the server doesn't give the size of is read into memory, up to this. */
const MAX_COLLECTED_BYTES: Bytes = 64 << 20;

/** Reads a file to its end. Returns null if it is too large for the memory. */
export async function collect({ stream }: OpenedFile): Promise<Content | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.byteLength;
    if (bytes > MAX_COLLECTED_BYTES) return null;
    pieces.push(piece);
  }
  return { bytes, stream: toStream(pieces) };
}

// eslint-disable-next-line require-await -- a stream of what is there
export async function* toStream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
