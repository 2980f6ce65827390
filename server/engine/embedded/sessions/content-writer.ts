import { crc32 } from 'node:zlib';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes } from '#contract/ids.ts';
import type { Repository } from '../restic/repository.ts';
import type { FetchedPart } from '../types.ts';
import type { ContentWriter } from './read-object.ts';

/** Writes to a repository and counts. `failure`: why nothing can be written any more. */
export interface CountingWriter extends ContentWriter {
  readonly storedBytes: () => Bytes;
  readonly failure: () => EngineError | null;
}

export function writeTo(repository: Repository): CountingWriter {
  let storedBytes = 0;
  let failure: EngineError | null = null;
  const noted = <T>(result: EngineResult<T>): EngineResult<T> => {
    if (!result.ok) failure = result.error;
    return result;
  };
  return {
    storedBytes: () => storedBytes,
    failure: () => failure,
    async save({ as, name, content }: FetchedPart): Promise<EngineResult<StoredPart>> {
      if (content instanceof Uint8Array && content.length <= MAX_BLOB_BYTES) {
        const saved = noted(await repository.saveBlob('data', content));
        if (!saved.ok) return saved;
        storedBytes += saved.value.newBytes;
        const blobs = content.length === 0 ? [] : [saved.value.id];
        const part = { as, bytes: content.length, crc: crc32(content), blobs };
        return { ok: true, value: name === undefined ? part : { ...part, name } };
      }
      const stream = content instanceof Uint8Array ? [content] : content;
      const saved = noted(await repository.saveFile(asStream(stream)));
      if (!saved.ok) return saved;
      const { content: blobs, sizeBytes, newBytes, crc } = saved.value;
      storedBytes += newBytes;
      const part = { as, bytes: sizeBytes, crc, blobs };
      return { ok: true, value: name === undefined ? part : { ...part, name } };
    },
    flush: async () => noted(await repository.flush()),
  };
}

/** What is in memory as a whole, such as a mail, becomes one blob. */
const MAX_BLOB_BYTES: Bytes = 8 << 20;

async function* asStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  yield* chunks;
}
