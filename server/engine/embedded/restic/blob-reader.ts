import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { ContentError } from '../../shared/content-error.ts';
import { openBlob } from './blob.ts';
import type { BlobPlace } from './blob-table.ts';
import type { LoadedIndex } from './loaded-index.ts';
import type { BlobId, BlobType } from './pack.ts';
import { PackReader } from './pack-reader.ts';
import type { PackWriter } from './pack-writer.ts';
import { failed, ok } from '../../result.ts';
import { SEAL_BYTES, type Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { resticMessages as t } from './messages.en.ts';

interface Place {
  readonly target: RepositoryTarget;
  readonly sealer: Sealer;
  readonly index: LoadedIndex;
  readonly writer: PackWriter;
}

/** Reads blobs, checks each one, and tries every copy of it (ENG-8). */
export interface BlobReader {
  read(type: BlobType, id: BlobId): Promise<EngineResult<Uint8Array>>;
  /** Reads a file from byte `from` until before `to`. Only the blobs of that range are read. */
  readContent(
    content: readonly BlobId[],
    range?: { readonly from?: Bytes; readonly to?: Bytes },
  ): Promise<EngineResult<AsyncIterable<Uint8Array>>>;
}

export function makeBlobReader(place: Place): BlobReader {
  const { target, sealer, index, writer } = place;
  const { table } = index;
  const packs = new PackReader(target, table);

  async function read(type: BlobType, id: BlobId): Promise<EngineResult<Uint8Array>> {
    const pending = writer.findPending(type, id);
    if (pending) return openBlob(sealer, pending.entry, pending.sealed);
    let last: EngineResult<Uint8Array> | null = null;
    for (const row of table.find(type, id)) {
      last = await readCopy(table.place(row));
      if (last.ok) return last;
      if (last.error.kind !== 'damaged') return last;
    }
    if (last?.error.kind === 'damaged') writer.markDamaged(type, id);
    return last ?? failed('missing', t.blobMissing({ id }));
  }

  async function readCopy(copy: BlobPlace): Promise<EngineResult<Uint8Array>> {
    const sealed = await packs.read(copy.pack, copy.offset, copy.offset + copy.length);
    if (sealed.ok) return openBlob(sealer, copy, sealed.value);
    return sealed.error.kind === 'missing'
      ? failed('damaged', t.packMissing({ id: table.packId(copy.pack) }))
      : sealed;
  }

  /** Loads the index again for a blob that it doesn't list: another server may have written it. */
  async function readKnown(type: BlobType, id: BlobId): Promise<EngineResult<Uint8Array>> {
    if (getSize(type, id) === null) {
      const reloaded = await index.load();
      if (!reloaded.ok) return reloaded;
    }
    return read(type, id);
  }

  /** Length of the plain bytes, or null for an unknown blob. */
  function getSize(type: BlobType, id: BlobId): Bytes | null {
    const pending = writer.findPending(type, id);
    if (pending) return plainBytes(pending.entry);
    for (const row of table.find(type, id)) return plainBytes(table.place(row));
    return null;
  }

  async function* readParts(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
    for (const { id, from, to } of parts) {
      const bytes = await readKnown('data', id);
      if (!bytes.ok) throw new ContentError(bytes.error);
      yield from === 0 && to >= bytes.value.length ? bytes.value : bytes.value.subarray(from, to);
    }
  }

  return {
    read: readKnown,
    async readContent(content, { from = 0, to = Number.POSITIVE_INFINITY } = {}) {
      if (content.some((id) => getSize('data', id) === null)) {
        const reloaded = await index.load();
        if (!reloaded.ok) return reloaded;
      }
      const parts: Part[] = [];
      let start = 0;
      for (const id of content) {
        const size = getSize('data', id);
        if (size === null) return failed('missing', t.blobMissing({ id }));
        if (start + size > from && start < to)
          parts.push({ id, from: Math.max(0, from - start), to: to - start });
        start += size;
      }
      return ok(readParts(parts));
    },
  };
}

interface Part {
  readonly id: BlobId;
  readonly from: Bytes;
  readonly to: Bytes;
}

const plainBytes = ({ rawLength, length }: { rawLength: Bytes; length: Bytes }): Bytes =>
  rawLength > 0 ? rawLength : length - SEAL_BYTES;
